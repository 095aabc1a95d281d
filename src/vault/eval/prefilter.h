/*
 * prefilter - the files that a filter can be about, judged by what the index knows:
 * values of properties, tags, folders, times, links. Perhaps too many, never too few:
 * every row is evaluated afterwards, so what is not understood here only costs time.
 */
#pragma once

#include "vault/eval/eval.h"

struct field;

struct prefilter_files {
    const file_id *ids; /* in the arena or the index */
    size_t n;
    bool all; /* every file, whatever its id */
};

/* The filter was folded (eval_fold). The result is in the arena of e. */
struct prefilter_files prefilter(struct eval *e, const struct expr *filter);

/* Of two conditions that both hold. */
struct prefilter_files prefilter_both(struct prefilter_files x, struct prefilter_files y);

/* Notes that may have a property; that or one of their tasks. */
struct prefilter_files prefilter_having(const struct index *x, struct arena *a,
                                        const struct field *property);

struct prefilter_files prefilter_having_any(const struct index *x, struct arena *a,
                                            const struct field *property);

/* Notes in which a property may take the place of the due date that a task lacks: one of
 * the note, or an inline field of the task. */
struct prefilter_files prefilter_not_by_due(struct eval *e, const struct field *due);

/* Whether x is the due date of a task. */
bool prefilter_is_due(const struct expr *x);

/* Days since 1970, both included. */
struct prefilter_days {
    int32_t first, last;
};

/* Narrow the days on which tasks must be due for the filter to hold; if it says anything
 * about them, tasks without a due date do not match: *others becomes false. */
void prefilter_due_days(const struct expr *filter, struct prefilter_days *days,
                        bool *others);

/* Files below a folder, which is folded, at any depth; spelt: exactly so instead. */
struct prefilter_files prefilter_folder(const struct index *x, struct arena *a,
                                        str folder, bool spelt);
