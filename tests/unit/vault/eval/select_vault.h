/*
 * select_vault - an index made of texts, and queries over it as one line each.
 */
#pragma once

#include "base/sbuf.h"
#include "check.h"
#include "vault/eval/select.h"

/* 2026-11-16T10:00:00Z, a Monday. */
#define NOW 1794823200

struct literal {
    const char *path, *text;
    int64_t mtime;
    bool excluded;
};

static inline struct index *index_of(const struct literal *files, size_t n)
{
    struct index *x = index_create();
    struct arena scratch = {0};
    for (size_t i = 0; i < n; i++) {
        struct fs_info info = {.size = (int64_t)strlen(files[i].text),
                               .mtime = files[i].mtime != 0 ? files[i].mtime : NOW};
        struct file *f =
            file_make(&scratch, str_c(files[i].path), &info, str_c(files[i].text));
        index_put(x, f, files[i].excluded);
    }
    arena_release(&scratch);
    return x;
}

/* Names of the rows, with lines for tasks, each with its columns: "A B(1|x)". */
static inline str rows_text(struct arena *a, const struct select_result *r,
                            size_t n_columns)
{
    struct sbuf out = SBUF_ON(a);
    for (size_t i = 0; i < r->n; i++) {
        if (i > 0)
            sbuf_char(&out, ' ');
        sbuf_add(&out, file_title(r->rows[i].file->path));
        if (r->rows[i].task != NULL)
            sbuf_printf(&out, ":%u", r->rows[i].task->line);
        for (size_t k = 0; k < n_columns; k++) {
            sbuf_char(&out, k == 0 ? '(' : '|');
            value_print(&out, &r->rows[i].values[k]);
        }
        if (n_columns > 0)
            sbuf_char(&out, ')');
    }
    return sbuf_str(&out);
}

/* The rows of a query, or its error. */
static inline str run_text(struct arena *a, const struct index *x, struct select s)
{
    struct select_result r;
    struct err err = {0};
    s.now = s.now != 0 ? s.now : NOW;
    if (!select_run(x, a, &s, &r, &err))
        return arena_str(a, str_c(err.msg));
    return rows_text(a, &r, s.n_columns);
}
