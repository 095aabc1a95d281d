/*
 * utf8 - checking, normalising and folding UTF-8. utf8proc is included only here.
 *
 * Everything has a fast path for ASCII, which is nearly all text.
 */
#pragma once

#include "base/arena.h"
#include "base/str.h"

/* Well-formed: no overlong form, surrogate or value above U+10FFFF. */
bool utf8_valid(str s);

/* The length in bytes of the valid text at the start of s. */
size_t utf8_valid_prefix(str s);

/* The longest valid text of at most max bytes at the start of s, for use in messages. */
str utf8_cut(str s, size_t max);

/*
 * The character at the start of s, and its length in *n. Invalid bytes give
 * U+FFFD with the length of the longest broken piece (1..3), as the Unicode
 * standard recommends. s must not be empty.
 */
uint32_t utf8_decode(str s, size_t *n);

/* Write c, which is a character (no surrogate), to out; returns how many bytes. */
size_t utf8_encode(uint32_t c, char out[4]);

/* s with U+FFFD for whatever is not valid: s itself if it is, otherwise in the arena. */
str utf8_repair(struct arena *a, str s);

/* s in normal form C: s itself if it already is or is invalid, otherwise in the arena. */
str utf8_nfc(struct arena *a, str s);

/*
 * The form in which names are compared: NFC, no-break spaces (U+00A0, U+202F) as plain
 * spaces, lower case per character (final sigma as sigma; ß stays ß). s itself if nothing
 * changes, otherwise in the arena; invalid bytes stay as they are.
 */
str utf8_fold(struct arena *a, str s);

/*
 * The character that represents c in a search: lower case, normal width, Latin and Greek
 * letters without diacritics (ё as е; other scripts keep their marks, which distinguish
 * letters there). Characters that would become two letters (ß, æ, ﬁ) stay as they are.
 */
uint32_t utf8_fold_char(uint32_t c);

/* c in lower case, or as the first letter of a word; itself if it has no case. */
uint32_t utf8_lower_char(uint32_t c);
uint32_t utf8_title_char(uint32_t c);

/* The number of terminal columns of c: 0, 1 or 2. */
unsigned utf8_columns(uint32_t c);

/* Letters, digits and the marks on them. */
bool utf8_is_word(uint32_t c);

/*
 * Letters of scripts written without spaces between words or, like Hangul, with endings
 * attached to words: Han, kana, Hangul, Thai, Lao, Khmer, Burmese, with their marks.
 */
bool utf8_is_cjk(uint32_t c);

/* What a character is, by its general category in Unicode. */
enum utf8_kind {
    UTF8_OTHER,       /* letters, digits, symbols, other marks, not assigned */
    UTF8_UNSEEN,      /* controls, formats, private use (Cc, Cf, Cs, Co) */
    UTF8_SPACE,       /* between words, lines or paragraphs (Z) */
    UTF8_MARK,        /* a mark that takes no space (Mn) */
    UTF8_PUNCTUATION, /* (P) */
};
enum utf8_kind utf8_kind(uint32_t c);

/* The characters of c in normal form D; returns how many. */
enum { UTF8_PARTS_MAX = 4 };
size_t utf8_parts(uint32_t c, uint32_t out[UTF8_PARTS_MAX]);
