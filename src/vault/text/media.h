/*
 * media - media types, by file name and by the first bytes of a file.
 */
#pragma once

#include "base/str.h"

/* The media type by extension, case ignored; MEDIA_UNKNOWN if that is not known. */
#define MEDIA_UNKNOWN "application/octet-stream"
str media_type(str path);

/* The type that the first bytes show, of pictures, PDF, audio and video; empty for
 * anything else. m4a files show "video/mp4": the format is the same. */
str media_of_bytes(str bytes);

/* Whether clients get files of that type as text. */
bool media_is_text(str type);

/* Whether the type is of that kind: "image/png" is an "image". */
bool media_is(str type, str kind);
