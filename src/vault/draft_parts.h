/*
 * draft_parts - the structure of a draft. Private to draft*.c.
 */
#pragma once

#include "base/map.h"
#include "vault/draft.h"

/* A file that the draft has read or changed. */
struct draft_entry {
    str path;                /* before moves */
    str folded;              /* the same, folded for comparison */
    bool existed, exists;    /* before the draft, and at this point */
    struct hash_content was; /* of what existed */
    str before, text;
};

struct draft {
    struct vault *vault;
    struct arena *a;
    struct change as;
    struct stop stop;
    struct draft_entry **entries; /* in order of appearance */
    size_t n;
    struct map_index by_folded; /* by hash of the folded path */
    struct change_op *others;   /* moves and folders */
    size_t n_others;
};

static inline bool draft_entry_changed(const struct draft_entry *e)
{
    return e->exists != e->existed || !str_eq(e->before, e->text);
}
