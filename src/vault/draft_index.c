/*
 * The index after a draft. Files that the draft does not touch are those of the vault's
 * index, which is therefore held; the others are made anew, or are a copy of the struct
 * with another path.
 *
 * It is kept between steps and brought up to date with what they have done, because to
 * make one takes as long as reading all names and links. If the vault's index has changed
 * in between, its files may be gone, and a new one is made.
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
    arena_release(&scratch);
    return f;
}

size_t draft_rewritten(struct draft *d, const struct index *x, struct file ***out)
{
    size_t n = 0;
    *out = ARENA_ARRAY(d->a, struct file *, d->n);
    for (size_t i = 0; i < d->n; i++) {
        const struct file *before = index_find(x, d->entries[i]->path);
        if (before == NULL || !draft_entry_changed(d->entries[i]))
            continue;
        struct file *f = (*out)[n++] = make_file(d, d->entries[i], before);
        f->id = before->id;
    }
    return n;
}

/* --- what has changed --- */

/* A file whose place in the index after the draft is to be set. */
struct laying {
    struct file *before;       /* in the vault's index, or NULL */
    struct draft_entry *entry; /* or NULL */
    file_id id;
    struct file *now;  /* NULL: there is none */
    struct file *made; /* by us, in the place of it: to be freed */
};

struct layings {
    struct draft *draft;
    const struct index *index;
    struct laying *items;
    size_t n;
};

static void lay_entry(struct layings *l, struct draft_entry *e)
{
    if (e->dirty)
        return;
    file_id id = NO_FILE;
    const struct file *before = index_find(l->index, e->path);
    if (before != NULL)
        id = before->id;
    e->dirty = true;
    *ARRAY_ADD(l->draft->a, l->items, l->n) = (struct laying){
        .before = id != NO_FILE ? l->index->files[id] : NULL, .entry = e, .id = id};
}

static void lay_file(struct layings *l, file_id id)
{
    struct file *f = l->index->files[id];
    struct draft_entry *e = draft_find_entry(l->draft, f->path);
    if (e != NULL)
        lay_entry(l, e);
    else
        *ARRAY_ADD(l->draft->a, l->items, l->n) = (struct laying){.before = f, .id = id};
}

/* Everything that was at path, or below it, before the draft. */
static void lay_moved(struct layings *l, str path)
{
    struct draft *d = l->draft;
    struct arena scratch = {0};
    const struct file *one = index_find(l->index, path), **files = &one;
    size_t n = one != NULL ? 1 : index_below(l->index, &scratch, path, &files);
    for (size_t i = 0; i < n; i++)
        lay_file(l, files[i]->id);
    arena_release(&scratch);
    for (size_t i = 0; i < d->n; i++)
        if (path_is_or_below(path, d->entries[i]->path))
            lay_entry(l, d->entries[i]);
}

static void lay_moves(struct layings *l)
{
    struct draft *d = l->draft;
    struct change_op *moves = ARENA_ARRAY(d->a, struct change_op, d->n_others);
    size_t n = 0;
    for (size_t i = 0; i < d->n_others; i++)
        if (d->others[i].kind == JOURNAL_MOVE)
            moves[n++] = d->others[i];
    for (size_t i = 0; i < n || i < d->n_moves; i++) {
        const struct change_op *old = i < d->n_moves ? &d->moves[i] : NULL,
                               *now = i < n ? &moves[i] : NULL;
        if (old != NULL && now != NULL && str_eq(old->path, now->path) &&
            str_eq(old->to, now->to))
            continue;
        if (old != NULL)
            lay_moved(l, old->path);
        if (now != NULL)
            lay_moved(l, now->path);
    }
    d->moves = moves;
    d->n_moves = n;
}

static bool is_laid(const struct draft_entry *e)
{
    return e->laid ? e->laid_exists == e->exists && str_eq(e->laid_text, e->text)
                   : !draft_entry_changed(e);
}

/* --- putting it there --- */

static void lay_prepare(struct layings *l, struct laying *at)
{
    struct draft *d = l->draft;
    struct draft_entry *e = at->entry;
    struct file *f = at->before;
    if (e != NULL) {
        at->made = e->made;
        e->made = NULL;
        e->laid = true;
        e->laid_exists = e->exists;
        e->laid_text = e->text;
        e->dirty = false;
    }
    if (e != NULL && draft_entry_changed(e)) {
        at->now = e->made = make_file(d, e, f);
    } else if (f != NULL) {
        str path = path_after(d, f->path);
        at->now = str_eq(path, f->path) ? f : at_path(d, f, path);
    }
    if (at->id == NO_FILE && e->id == NO_FILE)
        e->id = index_new_id(d->after);
    if (at->id == NO_FILE)
        at->id = e->id;
}

/* First all that leave their paths, as others may come there. */
static void lay_all(struct layings *l)
{
    struct index *after = l->draft->after;
    for (size_t i = 0; i < l->n; i++)
        lay_prepare(l, &l->items[i]);
    for (size_t i = 0; i < l->n; i++) {
        const struct laying *at = &l->items[i];
        const struct file *was = after->files[at->id];
        if (was != NULL && (at->now == NULL || !str_eq(was->path, at->now->path)))
            index_lay(after, at->id, NULL);
    }
    for (size_t i = 0; i < l->n; i++)
        if (l->items[i].now != NULL)
            index_lay(after, l->items[i].id, l->items[i].now);
    for (size_t i = 0; i < l->n; i++)
        file_free(l->items[i].made);
}

/* --- holding it --- */

static void forget_after(struct draft *d)
{
    index_free(d->after);
    d->after = NULL;
    d->n_moves = 0;
    for (size_t i = 0; i < d->n; i++) {
        struct draft_entry *e = d->entries[i];
        file_free(e->made);
        e->made = NULL;
        e->laid = false;
        e->id = NO_FILE;
    }
}

static void update_after(struct draft *d, const struct index *x)
{
    struct layings l = {.draft = d, .index = x};
    uint64_t version = vault_version(d->vault);
    if (d->after != NULL && d->version != version)
        forget_after(d);
    if (d->after == NULL)
        d->after = index_borrow(x->files, x->n);
    d->version = version;
    lay_moves(&l);
    for (size_t i = 0; i < d->n; i++)
        if (!is_laid(d->entries[i]))
            lay_entry(&l, d->entries[i]);
    lay_all(&l);
}

const struct index *draft_lock(struct draft *d)
{
    const struct index *x = vault_lock(d->vault);
    if (d->after == NULL && draft_is_empty(d))
        return x;
    update_after(d, x);
    return d->after;
}

void draft_unlock(struct draft *d)
{
    vault_unlock(d->vault);
}

void draft_close(struct draft *d)
{
    forget_after(d);
}
