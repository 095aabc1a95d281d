/*
 * rows - the answer to a query over properties: notes, tasks, groups of them, or a count.
 */
#pragma once

#include "app/answers/answer.h"
#include "app/answers/tabled.h"
#include "vault/eval/select.h"
#include "vault/vault.h"

struct rows {
    const struct select *select;
    struct select_result found;
    str note; /* why there are none; may be empty */
};

/* The fields to sort by, as words: "-due" means latest first. */
struct select_order *rows_order(struct arena *a, const str *words, size_t n);

/* select_run() at the current time; the select must outlive the result. */
MUST_CHECK bool rows_find(struct vault *v, const struct index *x, struct arena *a,
                          struct select *s, struct rows *out, struct err *err);

extern const struct answer_shape rows_shape;

/* The rows as a file of that form, with all columns; of groups, each value and how many. Of
 * tasks, the paths are each file once in a row. */
str rows_export(struct arena *a, const struct rows *rows, enum tabled_form form);
