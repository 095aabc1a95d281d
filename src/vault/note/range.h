/*
 * range - a part of a text, by its bytes.
 */
#pragma once

#include <stddef.h>

/* Bytes [start, end). */
struct edit_range {
    size_t start, end;
};
