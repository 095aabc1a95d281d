/*
 * hits - the answer to a search.
 */
#pragma once

#include "app/answers/answer.h"
#include "vault/ask/search.h"
#include "vault/vault.h"

/* What the command line prints: each hit, the files (rg -l), or their counts (rg -c). */
enum hits_view { HITS_LINES, HITS_FILES, HITS_COUNTS };

enum {
    HITS_VAULTS_NAMED = 5, /* vaults that are named when they were not searched */
    HITS_EMBED_MS = 2000,  /* time limit for making a vector of a query */
};

struct hits {
    const struct search *search;
    struct search_result found;
    str note;       /* why there are none, or why there are these; may be empty */
    str meaning;    /* why it did not help, or not fully; may be empty */
    size_t unpaged; /* PDF files whose text is not known yet */
    enum hits_view view;
    size_t context; /* lines to print before and after each, on a terminal or in a pipe */
    str vault; /* there, of several: "work:Plan.md", and without remarks; may be empty */
    const str *others; /* vaults that were not searched, because none was named */
    size_t n_others;
};

/* The names of the modes, by enum search_mode; ends with NULL. */
extern const char *const hits_modes[];

/* As search_run(), while the index is held; the search must outlive the result. */
MUST_CHECK bool hits_find(struct vault *v, const struct index *x, struct arena *a,
                          const struct search *s, struct hits *out, struct err *err);

/*
 * The same, also by meaning: holds the index, and releases it only to embed the query, if
 * the plan needs that. Returns the index, to be released by the caller; NULL if it cannot
 * be held or the search fails. After vault_wait().
 */
const struct index *hits_hold(struct vault *v, struct arena *a, struct search_plan *p,
                              struct hits *out, struct err *err);

/* Vaults that were not searched, in JSON and as text: "work, home and 3 more". */
void hits_put_unsearched(struct answer_out *out, const str *names, size_t n);
str hits_unsearched(struct arena *a, const str *names, size_t n);

/* Write one hit, for the shapes of other servers. */
answer_item hits_put;

extern const struct answer_shape hits_shape;
