/*
 * plain_text - the words of a part of a note, as a reader sees them.
 *
 * Without comments, HTML tags, URLs, pictures and the marks of Markdown; links are what
 * is displayed; code is kept. On one line, valid UTF-8. Parts of one note are cleaned in
 * their order, so that all of them together are linear.
 */
#pragma once

#include "base/sbuf.h"
#include "vault/note/note.h"

struct plain_text {
    const struct note *note;
    uint32_t link, region; /* the next ones */
    uint32_t close;        /* the next '>' is not before this */
};

/* The cleaned text, in the arena; empty if nothing is left. */
str plain_text_part(struct plain_text *c, struct arena *a, struct span part);
