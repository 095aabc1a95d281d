/*
 * The trash, for callers who may not read everything. Obsidian moves files there without
 * the folder they were in, so their path does not say whether a caller may read them. The
 * journal says where the files were that we moved; other files are not shown.
 */
#include "base/array.h"
#include "base/path.h"
#include "vault/access.h"
#include "vault/change/change.h"
#include "vault/change/journal.h"
#include "vault/vault_live.h"

static void trash_add(struct arena *a, const struct journal_change *c,
                      struct live_origins *out)
{
    for (size_t i = 0; i < c->n; i++)
        if (c->ops[i].kind == JOURNAL_MOVE && live_is_trash(c->ops[i].to))
            *ARRAY_ADD(a, out->items, out->n) =
                (struct live_origin){.from = c->ops[i].path, .to = c->ops[i].to};
}

void live_origins(struct vault *v, struct arena *a, struct live_origins *out)
{
    const struct journal_entry *all;
    struct journal *j;
    struct err ignored; /* what cannot be read is not shown */
    struct changes *changes = vault_changes(v, &ignored);
    *out = (struct live_origins){0};
    if (changes == NULL || !changes_hold(changes, &j, &ignored))
        return;
    for (size_t i = journal_entries(j, &all); i > 0; i--) {
        struct journal_change c;
        if (all[i - 1].state == JOURNAL_DONE &&
            journal_read(j, a, all[i - 1].number, false, &c, &ignored))
            trash_add(a, &c, out);
    }
    changes_let_go(changes);
}

bool live_sees_trash(const struct vault *v, const struct live_origins *origins, str path)
{
    struct arena a = {0};
    bool seen = false;
    for (size_t i = 0; i < origins->n; i++) {
        const struct live_origin *o = &origins->items[i];
        if (!path_is_or_below(o->to, path))
            continue;
        str below = str_skip(path, o->to.n);
        seen = access_reads(&v->access, arena_printf(&a, STR_FMT STR_FMT,
                                                     STR_ARG(o->from), STR_ARG(below)));
        break; /* the last change that put something there */
    }
    arena_release(&a);
    return seen;
}

bool vault_trash_has(const struct vault *v, str path)
{
    struct fs_entry e;
    struct err ignored;
    return live_is_trash(path) && fs_stat_entry(&v->live->root, path, &e, &ignored);
}
