/*
 * encoding - texts that are not UTF-8: which encoding they have, and the same as UTF-8.
 *
 * Notes are UTF-8. Others come from old programs: UTF-16 (with a byte order mark, or by
 * the pattern of its zeros), or one byte for each character. Those are read as
 * Windows-1252, which has all printable characters of Latin-1.
 */
#pragma once

#include "base/arena.h"
#include "base/str.h"

enum encoding {
    ENCODING_UTF8,
    ENCODING_DAMAGED, /* UTF-8 with some bytes that are not */
    ENCODING_WINDOWS,
    ENCODING_UTF16LE,
    ENCODING_UTF16BE,
    ENCODING_NONE, /* not text: it has zero bytes */
};

enum encoding encoding_of(str bytes);

/* Whether a change from before, which is not UTF-8, to after leaves one encoding: all of
 * it is UTF-8 now, or nothing in UTF-8 was added to a text in another encoding. */
bool encoding_is_kept(str before, str after);

/* "windows-1252", "UTF-8 with invalid bytes" and so on; of no text "". */
const char *encoding_name(enum encoding e);

/* The text as UTF-8, without a byte order mark of UTF-16; bytes itself if it is UTF-8 or
 * not text. What is not a character becomes U+FFFD. */
str encoding_convert(struct arena *a, str bytes, enum encoding e);
