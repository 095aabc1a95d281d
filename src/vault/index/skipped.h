/*
 * skipped - what is on the disk but not in an index, and why: names that no client can
 * write, folders that are too deep or cannot be read.
 *
 * A move cannot rewrite links in there, so it names them.
 */
#pragma once

#include "base/str.h"

enum { SKIPPED_MAX = 1000 }; /* kept; more are forgotten */

struct skipped_file {
    str path; /* on the disk, names may be any bytes */
    str why;
};

struct skipped {
    struct skipped_file *items;
    size_t n;
};

/* Replace what was left out at path or below it ("": everywhere) by copies of items. In
 * the copies, bytes that are not UTF-8 are U+FFFD. */
void skipped_replace(struct skipped *l, str path, const struct skipped_file *items,
                     size_t n);

void skipped_release(struct skipped *l);
