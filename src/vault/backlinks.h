/*
 * backlinks - the links to a file, one by one, each with the line it stands in.
 *
 * graph.h knows which files link to which; this finds the links themselves in the texts.
 */
#pragma once

#include "vault/index.h"

enum { BACKLINKS_LINE_MAX = 300 }; /* bytes of a line */

struct backlink {
    const struct file *source;
    struct file_link link;
};

/* By the source's path, then in the order of the file; links of f to itself left out. */
size_t backlinks_to(const struct index *x, struct arena *a, const struct file *f,
                    struct backlink **out);

/* The line that a link of f stands in, or nothing where lines say nothing to people. */
str backlinks_line(const struct file *f, const struct file_link *l);
