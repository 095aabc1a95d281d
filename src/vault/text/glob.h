/*
 * glob - path filters like rg --glob.
 *
 * '*' and '?' stay within a name, "**" as a whole name spans folders, [abc], [!a-z],
 * {a,b} (not nested), '\' takes the next character as it is. A glob without '/' fits the
 * name in any folder, with one it is anchored at the root; a trailing '/' fits folders
 * only; a leading '!' excludes, and what is below an excluded folder is out, too. The
 * last glob that fits decides; if only exclusions are given, everything else is in. Case
 * matters. Unlike rg, '?' and classes fit one character, not one byte of it.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

enum { GLOB_MAX = 64, GLOB_MAX_BYTES = 1024 };

struct glob;

/*
 * Everything is kept in the arena; the patterns need not live on. No pattern at all (or
 * only empty ones and '#' comments) lets everything in. Fails with ERR_INVALID, which
 * names the glob and what is wrong, or ERR_LIMIT.
 */
MUST_CHECK bool glob_compile(struct arena *a, const str *patterns, size_t n,
                             struct glob **out, struct err *err);

/* Whether a file with that path (from the root, '/'-separated) is in. */
bool glob_match(const struct glob *g, str path);

/* The glob that fits exactly that path. */
str glob_of_path(struct arena *a, str path);
