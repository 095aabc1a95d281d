/*
 * base_source - the YAML of a base as it is written in a file: a .base file, or a `base`
 * code block of a note.
 *
 * The text is what YAML reads: without a byte order mark, without the quote marks and
 * indentation of the blocks around a code block, and with two spaces for each tab at the
 * start of a line, as Obsidian reads them. Anchors lead back to the bytes of the file.
 * Borrows the text of the file.
 */
#pragma once

#include "vault/note/note.h"

struct base_anchor {
    uint32_t at, in_file; /* the same byte, in the YAML and in the file */
};

struct base_source {
    str file;
    str text;                    /* the YAML; a part of file if nothing had to change */
    uint32_t line;               /* of text in the file, from 1 */
    struct base_anchor *anchors; /* by place; each is for the bytes up to the next */
    size_t n_anchors;
};

/* The whole file is a base. */
void base_source_of_file(struct arena *a, str file, struct base_source *out);

/* A code block of a note (code_block.h) is a base. */
void base_source_of_block(struct arena *a, const struct note *n, struct span block,
                          struct base_source *out);

/* The place in the file of a byte of the text. */
size_t base_source_place(const struct base_source *s, size_t at);

/*
 * Where byte `at` of a scalar is in the text: raw is the scalar as written, with its
 * quotes, value is what YAML reads. An escape is one place. Empty, at the start of raw, if
 * it cannot be found.
 */
struct span base_source_in_scalar(const struct base_source *s, struct span raw, str value,
                                  size_t at);

/* The line and column (in characters) of a byte of the file, both from 1. */
void base_source_line(const struct base_source *s, size_t place, size_t *line,
                      size_t *column);
