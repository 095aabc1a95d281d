/*
 * media - what kind of file a name promises.
 */
#pragma once

#include "base/str.h"

/* The media type by extension, case ignored; application/octet-stream when unknown. */
str media_type(str path);

/* Whether files of that type are given to clients as text. */
bool media_is_text(str type);
