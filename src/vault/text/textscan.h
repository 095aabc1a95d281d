/*
 * textscan - plain words in text, without case, and snippets around them.
 *
 * Case is ignored by Unicode's simple folding (ß is ß; k also fits the Kelvin sign, s the
 * long s). ASCII words run at memory speed (needles.h), others by regex.h's engine. Text
 * is compared character by character, not normalised: give both sides in the same form.
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
 * For one thread at a time. needle may be in any case and hold line breaks. Fails with
 * ERR_INVALID if it is empty or no UTF-8, with ERR_LIMIT if it is too long.
 */
MUST_CHECK bool textscan_create(str needle, struct textscan **out, struct err *err);
void textscan_free(struct textscan *t);

/* Where a scan of one text stands, and what it found there last. */
struct textscan_at {
    str text;
    size_t start, end; /* of the occurrence, bytes */
    uint32_t line;     /* of its start, from 1 */
};

/* Begin with {.text = text}; the next occurrence behind the last, or false. */
bool textscan_next(struct textscan *t, struct textscan_at *at);

/* The first occurrence that begins at from or later, without counting lines. */
bool textscan_find(struct textscan *t, str text, size_t from, size_t *start, size_t *end);

/* Whether the needle occurs in text at all. */
bool textscan_in(struct textscan *t, str text);

/*
 * text[start, end) in **bold** with some of the text around it: cut at characters, "..."
 * where something was cut off, line breaks as blanks, invalid bytes as U+FFFD.
 */
str textscan_snippet(struct arena *a, str text, size_t start, size_t end);

/* Bytes [start, end) of a text. */
struct textscan_mark {
    size_t start, end;
};

/*
 * The same with several marks, which are in order and apart: the snippet is around number
 * around of them, and all that lie in it are bold.
 */
str textscan_snippet_marks(struct arena *a, str text, const struct textscan_mark *marks,
                           size_t n, size_t around);
