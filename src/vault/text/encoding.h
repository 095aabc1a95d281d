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
    ENCODING_UTF16LE, /* with a byte order mark */
    ENCODING_UTF16BE,
    ENCODING_UTF16LE_BARE,
    ENCODING_UTF16BE_BARE,
    ENCODING_NONE, /* not text: it has zero bytes */
};

enum encoding encoding_of(str bytes);

/* Whether a text is another one than the bytes of its file: those of these encodings are
 * indexed and edited as UTF-8, all others byte for byte. */
static inline bool encoding_is_other(enum encoding e)
{
    return e != ENCODING_UTF8 && e != ENCODING_DAMAGED && e != ENCODING_NONE;
}

/* The text of a file, as it is indexed and edited; bytes itself unless it is of another
 * encoding. */
str encoding_read(struct arena *a, str bytes, enum encoding *e);

/* The bytes of a text in an encoding. False if they would not be read as this text again:
 * then *missing is the first character that the encoding lacks; or empty, if the bytes
 * look like another encoding. */
MUST_CHECK bool encoding_write(struct arena *a, str text, enum encoding e, str *bytes,
                               str *missing);

/* "windows-1252", "UTF-8 with invalid bytes" and so on; of no text "". */
const char *encoding_name(enum encoding e);

/* The text as UTF-8, without a byte order mark of UTF-16; bytes itself if it is UTF-8 or
 * not text. What is not a character becomes U+FFFD. */
str encoding_convert(struct arena *a, str bytes, enum encoding e);
