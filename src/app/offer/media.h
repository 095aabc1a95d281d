/*
 * media - media types by file name.
 */
#pragma once

#include "base/str.h"

/* The media type by extension, case ignored; application/octet-stream if unknown. */
str media_type(str path);

/* Whether clients get files of that type as text. */
bool media_is_text(str type);
