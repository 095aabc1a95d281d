/*
 * select - structured queries over an index: notes or tasks by their properties and other
 * fields, compared by type, sorted, grouped, counted.
 *
 *     status = "active" AND due < today + 7d AND NOT tag = #archive
 *
 * Fields are property names, ignoring case; fields of files, such as `file.name`; and, in
 * queries for tasks, fields such as `task.text`. A dot selects a member of a map:
 * author.name. Names with special characters are written in backticks, or in double
 * quotes on the left of an operator; `note.x` is always property x, whatever x is. `tag`
 * and `tags` are all tags of the note, including those in its text.
 *
 *     file.name file.path file.folder file.ext file.size file.modified file.tags
 *     file.aliases file.links file.backlinks file.headings file.tasks file.link
 *     task.text task.status task.done task.line task.heading task.tags
 *
 * Tasks also have the fields of the Tasks plugin: task.due task.scheduled task.start
 * task.created task.completion task.cancelled (dates), task.priority (sorted from highest
 * to lowest), task.recurs (the rule), task.id, task.depends, task.blocked, task.blocking,
 * task.description, task.status.name .type .symbol. The first of these, up to
 * task.blocking, can be written without "task."; then a property of the note takes the
 * place of a field that the task does not have.
 *
 * Of a list, .length is the number of items: file.backlinks.length, authors.length.
 *
 * Values are "text", 'text', a word, 5, true, null, 2026-11-16, 2026-11-16T10:00, today,
 * tomorrow, yesterday, now, [[Note]], #tag. On the right of an operator a word is text,
 * unless it begins with file., task. or note., or a value is on the left: in 5 < rating
 * it is a field. + or - and a duration move a date or date field: 7d 2w 3m 1y 5h 30min or
 * in words (m is a month).
 *
 *     = == != <> < <= > >=   contains startswith endswith matches (a regular expression)
 *     in (a, b)   in field   exists   is empty   is null   and each of these with NOT
 *     AND OR NOT && || ! ( )         a field alone: it is neither empty nor false
 *
 * Dataview's contains(a, b), date(today), dur(7 days) and Bases' file.hasTag("a"),
 * file.inFolder("f"), file.hasLink("n"), file.hasProperty("p"), x.contains(y), today()
 * mean the same here.
 *
 * Comparing: text ignores case; a text property that is nothing but a date or a link
 * counts as one; a day and a time compare by day, so 2026-11-16 = 2026-11-16T10:00. A
 * list matches if any item does. [[A]], "[[A|x]]" and a path are equal if they mean the
 * same file. #a also matches #a/b. A missing value equals only null; != is the opposite
 * of =, so it matches missing values. Different types are never less or greater; a number
 * or boolean equals a text that spells it. `exists` is also true of a property without a
 * value.
 *
 * Excluded files are left out, also as sources of backlinks. Time is linear in the notes,
 * memory in the matches. Results borrow from the index, so its lock must be held until
 * they are written.
 */
#pragma once

#include "base/err.h"
#include "vault/eval/unknown_fields.h"
#include "vault/eval/value.h"
#include "vault/forms/task_settings.h"
#include "vault/index/index.h"

enum {
    SELECT_WHERE_MAX = 4096,  /* bytes */
    SELECT_DEPTH_MAX = 64,    /* of brackets and NOT */
    SELECT_TERMS_MAX = 256,   /* comparisons */
    SELECT_COLUMNS_MAX = 32,  /* also the limit for fields to sort by */
    SELECT_LIMIT_MAX = 10000, /* rows or groups in one answer */
};

enum select_from { SELECT_NOTES, SELECT_TASKS };

struct select_order {
    str field;
    bool descending; /* missing values are last in either direction */
};

struct select {
    enum select_from from;
    str where;          /* "": all */
    str folder;         /* only below it, at any depth; "": everywhere */
    const str *columns; /* fields to show; a name without syntax is a property */
    size_t n_columns;
    const struct select_order *order; /* then by path and line */
    size_t n_order;
    str group;       /* a field: count the rows for each of its values; "": no groups */
    bool count_only; /* only the total is needed */
    size_t offset, limit;              /* 0: SELECT_LIMIT_MAX; SIZE_MAX: all */
    const struct task_settings *tasks; /* of the Tasks plugin; NULL: its defaults */
    int64_t now;                       /* seconds since 1970, UTC */
    int utc_offset;                    /* of local time, in seconds */
    const struct stop *stop;           /* NULL: never */
};

struct select_row {
    const struct file *file;
    const struct note_task *task; /* NULL for notes */
    struct value *values;         /* one per column */
};

/* A note whose value is a list is in the group of each of its items. */
struct select_group {
    struct value value;
    size_t count;
};

struct select_result {
    struct select_row *rows; /* after offset and limit */
    size_t n;
    size_t total;                /* rows that match */
    struct select_group *groups; /* most rows first, then by value; offset and limit apply
                                    to groups, and there are no rows */
    size_t n_groups, total_groups;
    struct unknown_field *unknown; /* not determined if stopped */
    size_t n_unknown;
    str missing; /* if there are no rows: what is asked for that no row has; or empty */
    str nested_in,
        nested;        /* a tag of the filter, and one nested in it that notes have; or
                              empty */
    const char *limit; /* stopped by it (plan.h): rows may be missing, counts too low */
};

/*
 * The result is in the arena and the index. Fails with ERR_INVALID (INVALID_QUERY),
 * naming the byte (from 0) and what was expected there, or the nearest field if a file.
 * or task. field is unknown; ERR_LIMIT above a limit.
 */
MUST_CHECK bool select_run(const struct index *x, struct arena *a, const struct select *s,
                           struct select_result *out, struct err *err);
