/*
 * picture_parts - private to picture*.c.
 */
#pragma once

#include "picture/picture.h"

/* Load libgd, once. */
MUST_CHECK bool picture_load(struct err *err);

/*
 * Decode, scale and encode, in this process, with memory that is never freed. *out is on
 * the heap. False if libgd refuses the picture.
 */
bool picture_scale(str bytes, const struct picture *p, str *out, enum picture_kind *kind);
