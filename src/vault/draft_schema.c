#include "vault/draft_schema.h"

#include "base/path.h"
#include "vault/ask/schema.h"
#include "vault/index/file.h"
#include "vault/index/index.h"
#include "vault/vault.h"

struct draft_schema_look {
    const struct index *index;
    struct schemas schemas;
    struct arena *arena;
    struct arena scratch;
    struct draft_schema *out;
};

/* NULL if it is not a note, or one that nothing is asked of. */
static struct file *draft_schema_file(struct draft_schema_look *l, str path, str text)
{
    struct fs_info info = {0};
    bool asked = l->schemas.n > 0 || str_find(text, STR("---")) != STR_NONE;
    return asked && file_kind_of(path) == FILE_NOTE
               ? file_make(&l->scratch, path, &info, text)
               : NULL;
}

static void draft_schema_compare(struct draft_schema_look *l, const struct file *before,
                                 const struct file *after)
{
    struct draft_schema *out = l->out;
    struct arena found = {0};
    struct schema_problem *problems;
    size_t n = schemas_check_new(&l->schemas, &found, before, after, &problems);
    for (size_t i = 0; i < n && out->n < DRAFT_SCHEMA_SHOWN; i++)
        out->messages[out->n++] =
            arena_printf(l->arena, "'" STR_FMT "': " STR_FMT, STR_ARG(after->path),
                         STR_ARG(problems[i].message));
    out->total += n;
    arena_release(&found);
}

static void draft_schema_touch(struct draft_schema_look *l, const struct file *f)
{
    if (f != NULL && schema_is(f->props))
        l->out->touched = arena_str(l->arena, f->path);
}

static void draft_schema_text(struct draft_schema_look *l, const struct draft_touched *t)
{
    bool gone = t->outcome == DRAFT_DELETED, made = t->outcome == DRAFT_CREATED;
    struct file *before = made ? NULL : draft_schema_file(l, t->path, t->before),
                *after =
                    gone ? NULL : draft_schema_file(l, draft_touched_path(t), t->after);
    draft_schema_touch(l, before);
    draft_schema_touch(l, after);
    if (after != NULL)
        draft_schema_compare(l, before, after);
    file_free(before);
    file_free(after);
}

/* Where a file goes: a schema may be about its new place. */
static void draft_schema_moved(struct draft_schema_look *l, const struct draft_touched *t,
                               const struct file *f)
{
    struct file there = *f;
    struct arena path = {0};
    there.path = arena_printf(&path, STR_FMT STR_FMT, STR_ARG(t->to),
                              STR_ARG(str_skip(f->path, t->path.n)));
    draft_schema_touch(l, f);
    if (!path_is_or_below(STR(VAULT_TRASH), there.path))
        draft_schema_compare(l, f, &there);
    arena_release(&path);
}

static void draft_schema_move(struct draft_schema_look *l, const struct draft_touched *t)
{
    const struct file **files;
    const struct file *one = index_find(l->index, t->path);
    struct arena list = {0};
    size_t n = 1;
    if (one != NULL)
        files = &one;
    else
        n = index_below(l->index, &list, t->path, &files);
    for (size_t i = 0; i < n; i++)
        draft_schema_moved(l, t, files[i]);
    arena_release(&list);
}

str draft_schema_touched(const struct draft_result *r)
{
    struct draft_schema_look l = {0};
    str touched = {0};
    for (size_t i = 0; i < r->n; i++) {
        const struct draft_touched *t = &r->files[i];
        struct file *before = draft_schema_file(&l, t->path, t->before),
                    *after = draft_schema_file(&l, t->path, t->after);
        bool is = (before != NULL && schema_is(before->props)) ||
                  (after != NULL && schema_is(after->props));
        file_free(before);
        file_free(after);
        if (is && touched.n == 0)
            touched = t->path;
    }
    arena_release(&l.scratch);
    return touched;
}

bool draft_schema_check(struct draft *d, struct draft_schema *out, struct err *err)
{
    struct arena *a = draft_arena(d);
    struct vault *v = draft_vault(d);
    struct draft_schema_look l = {.arena = a, .out = out};
    struct draft_result r;
    *out = (struct draft_schema){.messages = ARENA_ARRAY(a, str, DRAFT_SCHEMA_SHOWN)};
    draft_preview(d, &r);
    if (r.n == 0)
        return true;
    if (!vault_wait(v, NULL, NULL, err))
        return false;
    l.index = vault_lock(v);
    schemas_learn(l.index, vault_obsidian(v), a, &l.schemas);
    for (size_t i = 0; i < r.n; i++)
        if (r.files[i].outcome == DRAFT_MOVED)
            draft_schema_move(&l, &r.files[i]);
        else
            draft_schema_text(&l, &r.files[i]);
    vault_unlock(v);
    arena_release(&l.scratch);
    return true;
}
