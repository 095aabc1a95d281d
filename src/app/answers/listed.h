/*
 * listed - the answers to what is in a folder, and which files there are.
 */
#pragma once

#include "app/answers/answer.h"
#include "vault/ask/filter.h"
#include "vault/vault.h"

/* --- directly in a folder: vault_list() is how to ask --- */

struct folder_listed {
    struct vault_listing found;
    size_t offset;
};

extern const struct answer_shape folder_shape;

/* One entry, for shapes of other servers. */
answer_item folder_put;

/* --- files, wherever they are, by path --- */

struct listed {
    struct arena *arena;
    const struct file **files; /* those of offset and limit */
    size_t n, offset, total;
    str note; /* why there are none; may be empty */
};

/* Fails as filter_open(). Result and index live as long. */
MUST_CHECK bool listed_find(struct vault *v, const struct index *x, struct arena *a,
                            const struct filter_wish *wish, size_t offset, size_t limit,
                            struct listed *out, struct err *err);

extern const struct answer_shape listed_shape;

/* One file, for shapes of other servers. */
answer_item listed_put;
