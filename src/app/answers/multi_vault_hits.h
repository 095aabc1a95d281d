/*
 * multi_vault_hits - the answer to a search in several vaults: hits of all of them in one list, each
 * with the name of its vault.
 *
 * Scores of different vaults cannot be compared, so the best hit of each vault comes first,
 * then the second best of each, and so on; but hits that only have some of the words come
 * after all those that have what was asked for. Everything is copied, so that no vault need
 * be open when the answer is printed.
 */
#pragma once

#include "app/answers/answer.h"
#include "app/answers/hits.h"

struct multi_vault_hit {
    str vault, path, snippet, heading;
    str text; /* the line without marks; empty for a name */
    uint32_t line;
    enum search_where where;
    const struct hidden_list *hidden; /* or NULL */
    bool weak;                        /* not exactly what was asked for */
    size_t rank, order;               /* in its vault; of all */
};

struct multi_vault_hits {
    const struct search *search;
    size_t offset, limit; /* hits to skip and to show */
    struct multi_vault_hit *hits;
    size_t n;
    size_t total, files, vaults;
    str corrected; /* what was searched in a vault that does not have the words; or empty */
    bool partial; /* out of time in one of them */
    bool more;
    str *left_out; /* vaults that were not searched */
    size_t n_left_out;
};

/* Adds the hits in one vault, while its index is held. */
void multi_vault_add(struct multi_vault_hits *x, struct arena *a, str vault,
                     const struct hits *hits);

/* A vault that was not searched. */
void multi_vault_leave_out(struct multi_vault_hits *x, struct arena *a, str vault);

/* When all are added: brings them in order, and keeps those to show. */
void multi_vault_merge(struct multi_vault_hits *x);

extern const struct answer_shape multi_vault_shape;
