/*
 * tabled - the answer to a view of a base: a table with groups and summaries.
 */
#pragma once

#include "app/answers/answer.h"
#include "base/stop.h"
#include "vault/ask/base_find.h"
#include "vault/eval/base.h"
#include "vault/vault.h"

struct tabled {
    struct arena *arena;
    struct base_found base;
    struct base_table table;
    const struct plan_row *rows; /* the page: offset and limit */
    size_t n, offset;
};

/* Find the base and run its view at the current time. limit 0: as many rows as allowed
 * (PLAN_ROWS_MAX). Fails as base_find() and base_run() do. The index must outlive the
 * result. */
MUST_CHECK bool tabled_find(struct vault *v, const struct index *x, struct arena *a,
                            const struct base_request *request, size_t offset,
                            size_t limit, const struct stop *stop, struct tabled *out,
                            struct err *err);

extern const struct answer_shape tabled_shape;

enum tabled_form { TABLED_CSV, TABLED_MARKDOWN, TABLED_PATHS };

/* The rows of the page as a file of that form. */
str tabled_export(const struct tabled *t, enum tabled_form form);
