/*
 * listed - the answers that list a folder, or files of the whole vault.
 */
#pragma once

#include "app/answers/answer.h"
#include "vault/eval/filter.h"
#include "vault/vault.h"

/* --- the entries of one folder, from vault_list() --- */

struct folder_listed {
    struct vault_listing found;
    size_t offset;
    bool details; /* in plain text: with size and time */
};

extern const struct answer_shape folder_shape;

/* Write one entry, for the shapes of other servers. */
answer_item folder_put;

/* --- files, wherever they are, by path --- */

struct listed {
    struct arena *arena;
    const struct file **files; /* the page: offset and limit */
    size_t n, offset, total;
    bool details; /* in plain text: with size, time and tags */
    str note;     /* why there are none; may be empty */
};

/* Fails as filter_open() does. The index must outlive the result. */
MUST_CHECK bool listed_find(struct vault *v, const struct index *x, struct arena *a,
                            const struct filter_request *request, size_t offset,
                            size_t limit, struct listed *out, struct err *err);

extern const struct answer_shape listed_shape;

/* Write one file, for the shapes of other servers. */
answer_item listed_put;
