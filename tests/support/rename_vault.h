/*
 * rename_vault - vaults in memory, and rename plans carried out on them.
 */
#pragma once

#include "check.h"
#include "vault/change/rename.h"

/* A file as the index would read it from disk. */
static inline void vault_put(struct index *x, str path, str text)
{
    struct arena scratch = {0};
    struct fs_info info = {0};
    bool read = file_kind_of(path) != FILE_OTHER;
    index_put(x,
              read ? file_make(&scratch, path, &info, text)
                   : file_make_unread(&scratch, path, &info, NULL),
              false);
    arena_release(&scratch);
}

/* A vault as rows of path and text, up to the first without a path. */
struct vault_row {
    const char *path, *text;
};

static inline struct index *vault_of(const struct vault_row *rows, size_t n)
{
    struct index *x = index_create();
    for (size_t i = 0; i < n && rows[i].path != NULL; i++)
        vault_put(x, str_c(rows[i].path), str_c(rows[i].text));
    return x;
}

/* The path of a file after the moves of a plan. */
static inline str vault_path_after(const struct rename_plan *plan, str path)
{
    for (size_t i = 0; i < plan->n_moves; i++)
        if (str_eq(plan->moves[i].from, path))
            return plan->moves[i].to;
    return path;
}

/* A new index of the vault after the plan was carried out. */
static inline struct index *vault_apply(const struct index *x,
                                        const struct rename_plan *plan)
{
    struct index *after = index_create();
    for (file_id id = 0; id < x->n; id++) {
        const struct file *f = index_file(x, id);
        if (f == NULL)
            continue;
        str text = f->text, path = vault_path_after(plan, f->path);
        for (size_t i = 0; i < plan->n_rewrites; i++)
            if (plan->rewrites[i].file == f)
                text = plan->rewrites[i].text;
        vault_put(after, path, text);
    }
    return after;
}

/* Checks that the plan turns x into exactly want. */
static inline void vault_check(const char *row, const struct index *x,
                               const struct rename_plan *plan,
                               const struct vault_row *want, size_t n)
{
    struct index *after = vault_apply(x, plan);
    size_t files = 0;
    for (; files < n && want[files].path != NULL; files++) {
        const struct file *f = index_find(after, str_c(want[files].path));
        if (f == NULL)
            fail_msg("%s: no file %s", row, want[files].path);
        CHECK_STR(row, f->text, want[files].text);
    }
    for (size_t i = 0; i < plan->n_rewrites; i++)
        CHECK(row, !str_eq(plan->rewrites[i].text, plan->rewrites[i].file->text));
    CHECK_INT(row, after->count, files);
    index_free(after);
}
