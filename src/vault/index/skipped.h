/*
 * skipped - what is on the disk but not in an index, and why: names that no client can
 * write, folders that are too deep or cannot be read, files that are only in iCloud.
 *
 * A move cannot rewrite links in there, so it names them.
 */
#pragma once

#include "base/str.h"

enum { SKIPPED_MAX = 1000 }; /* kept; more are forgotten */

/* Why a file is left out of which there is only a placeholder (path_in_icloud()). */
#define SKIPPED_IN_ICLOUD                                                                \
    "it is only in iCloud: open it in Obsidian, or choose Download Now in the Finder"

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
