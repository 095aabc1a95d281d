/*
 * check_near - existing names similar to one that was written. Private to check*.c.
 *
 * Near means a few letters wrong, missing, extra or swapped, ignoring case and normal
 * form: one for names up to four characters, two up to fifteen, else three.
 */
#pragma once

#include "base/near.h"
#include "vault/index/index.h"

/* Look for what is near a folded name. */
void check_near_search(struct near_search *s, str folded);

struct check_near;

/* All names of the files of x: titles, aliases, and names of other files without
 * extension. Lives in the arena. */
const struct check_near *check_near_of(const struct index *x, struct arena *a);

/* Up to max files near name, nearest first, then by path; in out. */
size_t check_near_find(const struct check_near *near, str name, file_id *out, size_t max);
