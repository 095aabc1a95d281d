/*
 * plan_parts - shared by the files that run a plan (plan*.c).
 */
#pragma once

#include "vault/eval/plan.h"

/* 32 bytes, which sort_with() moves directly. */
struct plan_item {
    struct row row;
    struct value *keys; /* of the sort that runs; then its place before, as a number */
};

struct plan_run {
    struct eval *eval;
    const struct plan *plan;
    struct arena *arena;     /* of the result */
    struct arena line, work; /* for one row; for the whole run */
    size_t n_first; /* filters at the beginning, applied while rows are collected */
    struct plan_item *items;
    size_t n, seen;
    bool ordered; /* by path and line, or by a sort */
    bool counted; /* the total is known */
    struct plan_result result;
};

/* Stop now and then; true if the run must end. */
bool plan_stopped(struct plan_run *run);

/* Put the rows in the order of their paths and lines, unless they have an order. */
void plan_order(struct plan_run *run);

/* Evaluate for a row, in the arena. */
struct value plan_value(struct plan_run *run, const struct expr *x, const struct row *row,
                        struct arena *a);

/* Whether an error drops the row (drops_errors); then it is counted. */
bool plan_drops(struct plan_run *run, const struct value *v);

/* A key for grouping: links to one file have the same, whatever they say. */
struct value plan_key(struct plan_run *run, const struct value *v);

void plan_sort(struct plan_run *run, const struct plan_step *step);

/* Sort only the rows from that one on; run->ordered stays. */
void plan_sort_from(struct plan_run *run, const struct plan_step *step, size_t from);

/* Take a row if it passes the first filters. */
void plan_try_row(struct plan_run *run, const struct file *f,
                  const struct note_task *task);

/* Whether a file is in the plan's folder. */
bool plan_is_in_folder(struct plan_run *run, const struct file *f);

/* Tasks that are sorted by their due date first, in the order of the index: false if the
 * plan is not about these. */
bool plan_list_due(struct plan_run *run);

/* Fill result.missing. */
void plan_find_missing(struct plan_run *run);

void plan_group(struct plan_run *run, const struct plan_step *step);
void plan_collect(struct plan_run *run, const struct plan_step *step);
void plan_flatten(struct plan_run *run, const struct plan_step *step);

/* The summaries of rows first to first + n. */
struct value *plan_summarise(struct plan_run *run, size_t first, size_t n);
