/*
 * textscan - search for plain text, ignoring case, and snippets around what was found.
 *
 * Case is ignored by Unicode's simple folding (ß is not ss; k also matches the Kelvin
 * sign, s the long s). ASCII runs at memory speed (needles.h), other text through the
 * engine of regex.h. Characters are compared as they are, without normalization: give
 * both sides in the same form.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

enum {
    TEXTSCAN_NEEDLE_MAX = 4096, /* bytes */
    TEXTSCAN_AROUND = 50,       /* characters on each side in a snippet */
    TEXTSCAN_MATCH_MAX = 200,   /* characters of the match itself in a snippet */
};

struct textscan;

/*
 * For one thread at a time. needle may be in any case and contain line breaks. Fails with
 * ERR_INVALID if it is empty or not UTF-8, with ERR_LIMIT if it is too long.
 */
MUST_CHECK bool textscan_create(str needle, struct textscan **out, struct err *err);
void textscan_free(struct textscan *t);

/* The first occurrence that begins at from or later. */
bool textscan_find(struct textscan *t, str text, size_t from, size_t *start, size_t *end);

/* Whether the needle occurs in text at all. */
bool textscan_in(struct textscan *t, str text);

/*
 * text[start, end) in **bold** with some of the text around it: cut between characters,
 * with "..." where text was cut off, line breaks as spaces, invalid bytes as U+FFFD.
 */
str textscan_snippet(struct arena *a, str text, size_t start, size_t end);

/* Bytes [start, end) of a text. */
struct textscan_mark {
    size_t start, end;
};

/*
 * The same with several marks, in order and not overlapping: the snippet is centred on
 * marks[around], and all marks inside it are bold.
 */
str textscan_snippet_marks(struct arena *a, str text, const struct textscan_mark *marks,
                           size_t n, size_t around);
