/*
 * dql_functions - the tables of DQL's dialect, and its own functions. Private to dql_*.c.
 */
#pragma once

#include "vault/dql/dql.h"
#include "vault/eval/function_table.h"

/* dql_fields.c: file.x, and what a name means in a row. */
extern const struct file_field dql_file_fields[];
struct value dql_row_member(struct eval *e, const struct row *row, str name);

/* dql_task.c: a field of the row's task; false if there is none of that name. */
bool dql_task_field(struct eval *e, const struct row *row, str name, struct value *out);

/* Whether tasks have a field of that name, besides those in their text; or also one of the
 * plugin Tasks there. */
bool dql_task_has(str name);
bool dql_is_task_field(str name);

/* The first n of tasks as rows. */
struct value dql_tasks(struct eval *e, const struct file *f,
                       const struct note_task *tasks, size_t n);

/* dql_text.c */
struct value function_dql_null(struct eval *e, const struct call *c);
struct value function_dql_contains(struct eval *e, const struct call *c);
struct value function_dql_icontains(struct eval *e, const struct call *c);
struct value function_dql_econtains(struct eval *e, const struct call *c);
struct value function_dql_containsword(struct eval *e, const struct call *c);
struct value function_dql_regextest(struct eval *e, const struct call *c);
struct value function_dql_no_pattern(struct eval *e, const struct call *c);
struct value function_dql_regexreplace(struct eval *e, const struct call *c);
struct value function_dql_split(struct eval *e, const struct call *c);
struct value function_dql_number(struct eval *e, const struct call *c);
struct value function_dql_date(struct eval *e, const struct call *c);
struct value function_dql_dur(struct eval *e, const struct call *c);
struct value function_dql_dateformat(struct eval *e, const struct call *c);
struct value function_dql_default(struct eval *e, const struct call *c);
struct value function_dql_typeof(struct eval *e, const struct call *c);
struct value function_dql_meta(struct eval *e, const struct call *c);

/* dql_list.c */
struct value function_dql_length(struct eval *e, const struct call *c);
struct value function_dql_join(struct eval *e, const struct call *c);
struct value function_dql_sum(struct eval *e, const struct call *c);
struct value function_dql_average(struct eval *e, const struct call *c);
struct value function_dql_min(struct eval *e, const struct call *c);
struct value function_dql_max(struct eval *e, const struct call *c);
struct value function_dql_list(struct eval *e, const struct call *c);
struct value function_dql_flat(struct eval *e, const struct call *c);
struct value function_dql_filter(struct eval *e, const struct call *c);
struct value function_dql_map(struct eval *e, const struct call *c);
struct value function_dql_sort(struct eval *e, const struct call *c);
struct value function_dql_all(struct eval *e, const struct call *c);
struct value function_dql_any(struct eval *e, const struct call *c);
struct value function_dql_none(struct eval *e, const struct call *c);
struct value function_dql_object(struct eval *e, const struct call *c);
