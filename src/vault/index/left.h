/*
 * left - what is on the disk but not in an index, and why: names that no client can
 * write, folders that are too deep or cannot be read.
 *
 * A move cannot rewrite links in there, so it names them.
 */
#pragma once

#include "base/str.h"

enum { LEFT_MAX = 1000 }; /* kept; more are forgotten */

struct left_out {
    str path; /* on the disk, names may be any bytes */
    str why;
};

struct left {
    struct left_out *items;
    size_t n;
};

/* Replace what was left out at path or below it ("": everywhere) by copies of items. In
 * the copies, bytes that are not UTF-8 are U+FFFD. */
void left_replace(struct left *l, str path, const struct left_out *items, size_t n);

void left_release(struct left *l);
