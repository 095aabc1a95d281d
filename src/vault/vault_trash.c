/*
 * The trash, for callers who may not read everything. Obsidian moves files there without
 * the folder they were in, so their path does not say whether a caller may read them. The
 * journal says where the files were that we moved, as long as they are still the same:
 * what left the trash through us, and what arrived there later (moving a file sets its
 * ctime), is not shown.
 */
#include "vault/vault_trash.h"
#include "base/array.h"
#include "base/path.h"
#include "vault/access.h"
#include "vault/change/change.h"
#include "vault/change/journal.h"
#include "vault/note/policy.h"
#include "vault/vault_live.h"
#include "vault/vault_policy.h"

enum {
    TRASH_LATE_S = 60, /* a change touches its files at most this long after its time */
    TRASH_READ_MS = 5000, /* to read the journal; changes wait meanwhile */
};

str trash_original(str path)
{
    return trash_contains(path) ? str_skip(path, sizeof(VAULT_TRASH "/") - 1) : path;
}

bool trash_contains(str path)
{
    return str_starts(path, STR(VAULT_TRASH "/"));
}

static bool trash_closing(void *arg)
{
    return atomic_load(&((struct live *)arg)->closing);
}

static void trash_add(struct arena *a, const struct trash_origin *o, str only,
                      struct trash_origins *out)
{
    if (only.n == 0 || path_is_or_below(o->to, only))
        *ARRAY_ADD(a, out->items, out->n) =
            (struct trash_origin){arena_str(a, o->from), arena_str(a, o->to), o->time};
}

/* The last operation first, like the changes. */
static void trash_take(struct arena *a, const struct journal_change *c, str only,
                       struct trash_origins *out)
{
    for (size_t i = c->n; i-- > 0;) {
        const struct journal_op *op = &c->ops[i];
        bool moved = op->kind == JOURNAL_MOVE;
        if (moved && trash_contains(op->to))
            trash_add(a, &(struct trash_origin){op->path, op->to, c->time}, only, out);
        if ((moved || op->kind == JOURNAL_DELETE) && trash_contains(op->path))
            trash_add(a, &(struct trash_origin){.to = op->path}, only, out);
    }
}

static bool trash_read(struct vault *v, const struct journal *j, struct arena *a,
                       str only, struct trash_origins *out, struct err *err)
{
    struct stop stop = stop_within(&(struct stop){.asked = trash_closing, .arg = v->live},
                                   TRASH_READ_MS);
    const struct journal_entry *all;
    struct arena scratch = {0};
    bool stopped = false;
    for (size_t i = journal_entries(j, &all);
         i > 0 && !stopped && (only.n == 0 || out->n == 0); i--) {
        struct journal_change c;
        struct err ignored; /* what cannot be read is not shown */
        if (all[i - 1].hidden && all[i - 1].state == JOURNAL_DONE &&
            journal_read(j, &scratch, all[i - 1].number, false, &c, &ignored))
            trash_take(a, &c, only, out);
        arena_reset(&scratch);
        stopped = stop_now(&stop);
    }
    arena_release(&scratch);
    return !stopped || stop_fail(&stop, "reading the trash", "try again later", err);
}

bool trash_origins(struct vault *v, struct arena *a, str only, struct trash_origins *out,
                   struct err *err)
{
    struct journal *j;
    struct err none; /* unknown without a journal */
    struct changes *changes = vault_changes(v, &none);
    *out = (struct trash_origins){0};
    if (changes == NULL)
        return true;
    if (!changes_lock_all(changes, &j, err))
        return false;
    bool ok = trash_read(v, j, a, only, out, err);
    changes_unlock(changes);
    return ok;
}

static bool trash_is_late(const struct trash_origin *o, int64_t changed_ns)
{
    static const int64_t SECOND_NS = 1000000000;
    return changed_ns / SECOND_NS > o->time + TRASH_LATE_S;
}

bool trash_is_visible(const struct vault *v, const struct trash_origins *origins,
                      str path, int64_t changed_ns)
{
    const struct trash_origin *o = NULL; /* the last change that put or took it */
    for (size_t i = 0; i < origins->n && o == NULL; i++)
        if (path_is_or_below(origins->items[i].to, path))
            o = &origins->items[i];
    if (o == NULL || o->from.n == 0 || trash_is_late(o, changed_ns))
        return false;
    struct arena a = {0};
    str from = arena_printf(&a, STR_FMT STR_FMT, STR_ARG(o->from),
                            STR_ARG(str_skip(path, o->to.n)));
    bool seen =
        access_reads(&v->access, from) && vault_policy_held(v, from) != POLICY_HIDDEN;
    arena_release(&a);
    return seen;
}

bool vault_trash_has(const struct vault *v, str path)
{
    struct fs_entry e;
    struct err ignored;
    return trash_contains(path) && fs_stat_entry(&v->live->root, path, &e, &ignored);
}
