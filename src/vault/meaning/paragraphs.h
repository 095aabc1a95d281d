/*
 * paragraphs - the runs of lines of a note that are not empty, section by section.
 *
 * Linear in the size of the note. Headings and properties are not paragraphs.
 */
#pragma once

#include "vault/index/file.h"

struct paragraph {
    struct span span;  /* without the last line break; empty for a heading */
    uint32_t line;     /* from 1 */
    uint32_t headings; /* how many headings are before its end */
};

struct paragraphs {
    const struct note *note;
    uint32_t at, end; /* what is left of the text */
    uint32_t line;    /* of at */
    uint32_t heading; /* the next one */
};

struct paragraphs paragraphs_of(const struct file *f);

/* The next paragraph or heading, which is a paragraph with an empty span; false at the
 * end. */
bool paragraphs_next(struct paragraphs *p, struct paragraph *out);
