/*
 * catalogue - the properties used in a vault, with their types and values.
 *
 * Computed on demand from an index, in time linear in its properties. Names are compared
 * after utf8_fold and shown in their most common spelling; ties go to the first by bytes.
 * Excluded files do not count. Only properties at the top level of a note are listed, and
 * its inline fields, but not those of tasks.
 * Results borrow texts from the index.
 */
#pragma once

#include "base/arena.h"
#include "vault/eval/value.h"
#include "vault/index/index.h"
#include "vault/note/obsidian.h"

enum {
    CATALOGUE_VALUES_MAX = 50,     /* shown per property */
    CATALOGUE_DISTINCT_MAX = 4096, /* counted per property; the rest are ignored */
    CATALOGUE_VALUE_BYTES = 200,   /* longer texts are not listed as values */
};

/* A value, or an item of a list, and how many notes have it. */
struct catalogue_value {
    struct value value;
    size_t notes;
};

struct catalogue_property {
    str name;
    size_t notes; /* that have it, even without a value */
    str type; /* as .obsidian/types.json declares it; else one of: text number checkbox
                 date datetime list object empty, or mixed */
    bool declared;
    struct catalogue_value *values; /* most notes first, then by value */
    size_t n_values, distinct;      /* distinct: at most CATALOGUE_DISTINCT_MAX */
};

struct catalogue {
    struct catalogue_property *properties; /* most notes first, then by name */
    size_t n;
};

/* settings may be NULL. folder: only notes below it, as in filter.h; "": all. values: how
 * many to show per property, at most CATALOGUE_VALUES_MAX; 0 is much faster. False if it was
 * stopped. */
MUST_CHECK bool catalogue_make(const struct index *x, const struct obsidian *settings,
                               struct arena *a, str folder, size_t values,
                               const struct stop *stop, struct catalogue *out);
