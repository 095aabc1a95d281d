/*
 * glob - path filters like rg --glob.
 *
 * '*' and '?' do not match '/'; "**" as a whole name spans folders; [abc], [!a-z], {a,b}
 * (not nested); '\' makes the next character literal. A glob without '/' matches a name
 * in any folder; a glob with '/' is anchored at the root. A trailing '/' matches folders
 * only. A leading '!' excludes, including everything below an excluded folder. The last
 * glob that matches decides; if there are only exclusions, everything else is included.
 * Case matters. Unlike in rg, '?' and classes match one character, not one byte.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

enum { GLOB_MAX = 64, GLOB_MAX_BYTES = 1024 };

struct glob;

/*
 * The patterns are copied into the arena. No pattern at all (or only empty ones and '#'
 * comments) includes everything. Fails with ERR_INVALID, naming the glob and what is
 * wrong, or ERR_LIMIT.
 */
MUST_CHECK bool glob_compile(struct arena *a, const str *patterns, size_t n,
                             struct glob **out, struct err *err);

/* Whether a file with that path (from the root, '/'-separated) is included. */
bool glob_match(const struct glob *g, str path);

/* The glob that matches exactly that path. */
str glob_of_path(struct arena *a, str path);
