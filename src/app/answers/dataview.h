/*
 * dataview - the answer to a Dataview query: notes, tasks or groups, with columns.
 */
#pragma once

#include "app/answers/answer.h"
#include "base/stop.h"
#include "vault/ask/dql_find.h"
#include "vault/dql/dql.h"
#include "vault/vault.h"

struct dataview {
    struct arena *arena;
    struct dql_found source;
    struct dql query;
    struct plan_result found;
    size_t offset;
};

struct dataview_request {
    str query;            /* or a note with one: dql_find() */
    str this_path;        /* the note that `this` means; empty: the one with the query */
    size_t offset, limit; /* the page of rows; limit 0: all */
    const struct stop *stop;
};

/* Find and run a query at the current time. Fails as dql_find() and dql_run() do. The
 * index must outlive the result. */
MUST_CHECK bool dataview_find(const struct index *x, struct arena *a,
                              const struct dataview_request *request,
                              struct dataview *out, struct err *err);

extern const struct answer_shape dataview_shape;
