/*
 * charsmap - the table of a SentencePiece model that replaces characters before a text is
 * split ("precompiled_charsmap"): width and composed forms, what is not seen, spaces.
 *
 * 4 bytes with the size of a trie, the trie (a double array: 32-bit little-endian units),
 * then the replacements, each with a NUL at its end. At each place of a text, the longest
 * beginning that the trie has is replaced; if there is none, a character stays.
 *
 * The bytes may be hostile: nothing outside of them is read, and what leads there ends the
 * search.
 */
#pragma once

#include "base/str.h"

enum {
    CHARSMAP_MAX = 1 << 22,   /* bytes */
    CHARSMAP_LONGEST = 128,   /* bytes of a text that are replaced at once */
    CHARSMAP_REPLACED = 1024, /* bytes of a replacement; more is cut */
};

/* Whether it has these parts; no bytes at all are a table that replaces nothing. */
bool charsmap_is_sound(str map);

/* What is at the beginning of the text, which is not empty: returns how many bytes of it,
 * *out is what to take instead. */
size_t charsmap_next(str map, str text, str *out);
