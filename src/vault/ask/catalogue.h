/*
 * catalogue - the properties of a vault: which there are, of what type, with which
 * values.
 *
 * Computed on demand from an index, in time linear in its properties. Names are compared
 * after utf8_fold and shown in their most common spelling, of equally common ones the
 * first by bytes. Excluded files do not count. Only properties at the top level of a note
 * are listed. Results borrow texts from the index.
 */
#pragma once

#include "base/arena.h"
#include "vault/ask/select_value.h"
#include "vault/index/index.h"
#include "vault/note/obsidian.h"

enum {
    CATALOGUE_VALUES_MAX = 50,     /* shown of a property */
    CATALOGUE_DISTINCT_MAX = 4096, /* counted of a property; later ones are not */
    CATALOGUE_VALUE_BYTES = 200,   /* longer texts are no values anybody picks from */
};

/* A value, or an item of a list, and how many notes have it. */
struct catalogue_value {
    struct value value;
    size_t notes;
};

struct catalogue_property {
    str name;
    size_t notes; /* that have it, even without value */
    str type; /* as .obsidian/types.json declares it; else one of: text number checkbox
                 date datetime list object empty, or mixed */
    bool declared;
    struct catalogue_value *values; /* most notes first, then by value */
    size_t n_values, distinct;      /* distinct: as far as they were counted */
};

struct catalogue {
    struct catalogue_property *properties; /* most notes first, then by name */
    size_t n;
};

/* settings may be NULL. values: how many to show of each, at most CATALOGUE_VALUES_MAX;
 * 0 is much faster. */
void catalogue_make(const struct index *x, const struct obsidian *settings,
                    struct arena *a, size_t values, struct catalogue *out);
