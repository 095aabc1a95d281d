/*
 * check_near - names that somebody may have meant who wrote another one. Private to
 * check*.c.
 *
 * Near means a few letters wrong, missing, too many or swapped, case and normal form
 * ignored: one for names up to four characters, two up to fifteen, else three.
 */
#pragma once

#include "base/near.h"
#include "vault/index/index.h"

/* Look for what is near a folded name. */
void check_near_search(struct near_search *s, str folded);

struct check_near;

/* All names that files of x have: titles, aliases, names of other files without their
 * extension. Lives in the arena. */
const struct check_near *check_near_of(const struct index *x, struct arena *a);

/* Up to max files near name, nearest first, then by path; in out. */
size_t check_near_find(const struct check_near *near, str name, file_id *out, size_t max);
