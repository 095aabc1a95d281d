/*
 * The index after a draft. Files that the draft does not touch are those of the vault's
 * index, which is therefore held; the others are made anew, or are a copy of the struct
 * with another path.
 */
#include "base/array.h"
#include "base/path.h"
#include "vault/draft_parts.h"
#include "vault/index/file.h"
#include "vault/index/index.h"
#include "vault/vault.h"

/* Where the file is after the draft; the innermost of its folders that move counts. */
static str path_after(struct draft *d, str path)
{
    const struct change_op *by = NULL;
    for (size_t i = 0; i < d->n_others; i++) {
        const struct change_op *m = &d->others[i];
        if (m->kind == JOURNAL_MOVE && path_is_or_below(m->path, path) &&
            (by == NULL || m->path.n > by->path.n))
            by = m;
    }
    return by == NULL ? path
                      : arena_printf(d->a, STR_FMT STR_FMT, STR_ARG(by->to),
                                     STR_ARG(str_skip(path, by->path.n)));
}

/* The same file at another path; NULL if it is hidden there, as in the trash. */
static struct file *at_path(struct draft *d, struct file *f, str path)
{
    if (!path_is_visible(path))
        return NULL;
    struct file *copy = ARENA_NEW(d->a, struct file);
    *copy = *f;
    copy->path = path;
    return copy;
}

static struct file *make_file(struct draft *d, const struct draft_entry *e,
                              const struct file *before)
{
    struct arena scratch = {0};
    struct fs_info info = before != NULL ? before->info : (struct fs_info){0};
    str path = path_after(d, e->path);
    if (!e->exists || !path_is_visible(path))
        return NULL;
    struct file *f = file_make(&scratch, path, &info, e->text);
    f->excluded = before != NULL && before->excluded;
    *ARRAY_ADD(d->a, d->made, d->n_made) = f;
    arena_release(&scratch);
    return f;
}

static bool moves_any(const struct draft *d)
{
    for (size_t i = 0; i < d->n_others; i++)
        if (d->others[i].kind == JOURNAL_MOVE)
            return true;
    return false;
}

static struct index *index_after_draft(struct draft *d, const struct index *x)
{
    struct file **files = ARENA_ARRAY(d->a, struct file *, x->n + d->n);
    size_t n = x->n;
    bool moves = moves_any(d);
    for (file_id i = 0; i < x->n; i++) {
        files[i] = x->files[i];
        str path = moves && files[i] != NULL ? path_after(d, files[i]->path) : STR("");
        if (path.n > 0 && !str_eq(path, files[i]->path))
            files[i] = at_path(d, files[i], path);
    }
    for (size_t i = 0; i < d->n; i++) {
        const struct draft_entry *e = d->entries[i];
        if (!draft_entry_changed(e))
            continue;
        const struct file *before = index_find(x, e->path);
        struct file *f = make_file(d, e, before);
        if (before != NULL)
            files[before->id] = f;
        else if (f != NULL)
            files[n++] = f;
    }
    return index_borrow(files, n);
}

const struct index *draft_hold(struct draft *d)
{
    const struct index *x = vault_hold(d->vault);
    if (draft_is_empty(d))
        return x;
    d->after = index_after_draft(d, x);
    return d->after;
}

void draft_let_go(struct draft *d)
{
    index_free(d->after);
    for (size_t i = 0; i < d->n_made; i++)
        file_free(d->made[i]);
    d->after = NULL;
    d->n_made = 0;
    d->made = NULL;
    vault_let_go(d->vault);
}
