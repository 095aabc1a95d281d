/*
 * near_link - what a link that leads nowhere may mean: one rule for checks, lists of links,
 * and names that are not found.
 */
#pragma once

#include "base/arena.h"
#include "base/stop.h"
#include "vault/index/index.h"

enum { NEAR_LINK_MAX = 3 }; /* suggestions */

struct file;

struct near_link {
    const struct index *index;
    struct arena *arena;
    const struct stop *stop;        /* or NULL */
    const struct near_names *names; /* made when first needed: NULL at first */
};

/* Files that the path of a link may mean (near_names_suggest()), nearest first. */
size_t near_link_find(struct near_link *n, str path, file_id out[NEAR_LINK_MAX]);

/* "; did you mean 'A.md', 'B.md'?", or "". */
str near_link_text(struct near_link *n, str path);

/*
 * Whether the target of a link has the heading or block that subpath names ("#A", "#^id");
 * true of files that have none of these. If not, *nearest is the one that is spelt alike,
 * written the same way, or empty.
 */
bool near_link_has(struct arena *a, const struct file *target, str subpath, str *nearest);
