/*
 * What callers see. Callers who may not see everything get an index of their own, which
 * is made when it is first needed. A note that is not in it cannot appear in any count,
 * hit, tag or link, so no other code has to remember to filter.
 */
#include "base/array.h"
#include "base/clock.h"
#include "base/path.h"
#include "vault/access.h"
#include "vault/index/index.h"
#include "vault/index/names.h"
#include "vault/note/policy.h"
#include "vault/policies.h"
#include "vault/vault_live.h"
#include "vault/vault_policy.h"

struct vault *vault_as(struct vault *v, struct arena *a, const struct access *access)
{
    struct vault *as = ARENA_NEW(a, struct vault);
    as->live = v->live;
    as->ruled = v->ruled;
    as->root = v->live->root;
    as->access = access_join(a, &v->access, access);
    as->root.no_links = !access_reads_all(&as->access);
    str key = access_key(a, &as->access);
    if (!str_eq(key, access_key(a, &v->live->own.access)))
        as->view = key;
    return as;
}

struct vault *vault_for_clients(struct vault *v, struct arena *a,
                                const struct access *access)
{
    struct vault *as = vault_as(v, a, access);
    as->ruled = policies_property(v->live->policies).n > 0;
    return as;
}

bool vault_conceals(const struct vault *v)
{
    return v->ruled && policies_hide(v->live->policies);
}

void vault_count_policies(struct vault *v, struct policies_counts *out)
{
    *out = (struct policies_counts){0};
    if (live_is_ready(v->live))
        policies_count(v->live->policies, out);
}

struct vault *vault_traced(struct vault *v, struct vault_trace *t)
{
    struct vault *traced = ARENA_NEW(t->arena, struct vault);
    *traced = *v;
    traced->trace = t;
    return traced;
}

void vault_trace_add(struct vault_trace *t, struct vault_trace_list *list, str path)
{
    if (t == NULL || map_find(&list->known, path) != MAP_NONE)
        return;
    if (list->n >= VAULT_TRACE_MAX) {
        list->more++;
        return;
    }
    list->known.arena = t->arena;
    str copy = arena_str(t->arena, path);
    (void)map_add(&list->known, copy);
    *ARRAY_ADD(t->arena, list->items, list->n) = copy;
}

struct vault *vault_whole(struct vault *v)
{
    return &v->live->whole;
}

bool vault_name_is_taken(struct vault *v, str path, bool (*counts)(const struct file *f))
{
    struct arena scratch = {0};
    file_id *ids;
    bool taken = false;
    const struct index *x = vault_lock(vault_whole(v));
    size_t n = names_find_name(x->names, &scratch, path_name(path), &ids);
    for (size_t i = 0; i < n && !taken; i++)
        taken = !str_eq(x->files[ids[i]]->path, path) && counts(x->files[ids[i]]);
    vault_unlock(vault_whole(v));
    arena_release(&scratch);
    return taken;
}

bool vault_is_read_only(const struct vault *v)
{
    return v->access.read_only;
}

bool vault_writes(const struct vault *v, str path)
{
    return access_writes(&v->access, path);
}

bool vault_has_review(const struct vault *v)
{
    return access_has_review(&v->access) ||
           (v->ruled && policies_propose(v->live->policies));
}

bool vault_may_read(const struct vault *v, str path)
{
    return access_reads(&v->access, path) && vault_policy_held(v, path) != POLICY_HIDDEN;
}

bool vault_may_use_set(const struct vault *v, str path, struct err *err)
{
    return vault_may_read(v, path) ||
           err_named(err, E_PATH_NOT_ALLOWED,
                     "the vault's settings keep such notes or their template in a folder "
                     "that this connection may not use");
}

bool vault_may_read_all(const struct vault *v)
{
    return access_reads_all(&v->access) && !vault_conceals(v);
}

str vault_writable(const struct vault *v, struct arena *a)
{
    return access_where(a, &v->access);
}

/* --- views --- */

/* Symlinks are hidden, too: they may point to hidden files. A note says itself what it is,
 * whatever leads to it. */
static bool shows(const void *arg, const struct file *f)
{
    const struct view *view = arg;
    bool links =
        access_reads_all(&view->access) && !policies_hide_folders(view->policies);
    return (links || !f->info.linked) && access_reads(&view->access, f->path) &&
           (view->policies == NULL ||
            (f->policy != POLICY_HIDDEN &&
             policies_at(view->policies, f->path) != POLICY_HIDDEN));
}

static void free_view(struct view *view)
{
    if (view == NULL)
        return;
    index_free(view->index);
    arena_release(&view->arena);
    free(view->key);
    free(view);
}

void views_release(struct live *v)
{
    for (size_t i = 0; i < VAULT_VIEWS_MAX; i++)
        free_view(v->views[i]);
}

void views_forget_ruled(struct live *v)
{
    for (size_t i = 0; i < VAULT_VIEWS_MAX; i++)
        if (v->views[i] != NULL && v->views[i]->policies != NULL) {
            free_view(v->views[i]);
            v->views[i] = NULL;
        }
}

/* Whether it has the index of live: nothing in that is hidden from the caller. */
static bool shows_all(const struct vault *as)
{
    return as->view.n == 0 && !vault_conceals(as);
}

static struct view *find_view(const struct vault *as)
{
    struct live *v = as->live;
    for (size_t i = 0; i < VAULT_VIEWS_MAX; i++)
        if (v->views[i] != NULL && (v->views[i]->policies != NULL) == as->ruled &&
            str_eq(str_c(v->views[i]->key), as->view))
            return v->views[i];
    return NULL;
}

static struct view **oldest_place(struct live *v)
{
    struct view **oldest = &v->views[0];
    for (size_t i = 0; i < VAULT_VIEWS_MAX; i++) {
        if (v->views[i] == NULL)
            return &v->views[i];
        if (v->views[i]->used < (*oldest)->used)
            oldest = &v->views[i];
    }
    return oldest;
}

_Static_assert((int)VAULT_VIEWS_MAX < (int)INDEX_VIEWS_MAX,
               "a new view is made before the oldest is freed");

/*
 * Only the holder of the writer's lock changes the index and its views, so the view is
 * built while others read. Readers of views hold the other lock, which is taken for
 * writing only to put the new view in and to take an old one out.
 */
static bool make_view(struct vault *as)
{
    struct live *v = as->live;
    struct stop soon = stop_within(NULL, VAULT_WRITER_MS);
    if (!timed_lock_take(&v->writer, &soon))
        return false;
    if (find_view(as) == NULL) {
        struct view *made = mem_zero(sizeof(*made));
        made->key = mem_str(as->view);
        made->access = access_copy(&made->arena, &as->access);
        made->policies = as->ruled ? v->policies : NULL;
        made->index = index_view(v->index, shows, made);
        made->used = atomic_fetch_add(&v->holds, 1);
        lock_shared_write(&v->lock);
        struct view **place = oldest_place(v), *gone = *place;
        *place = made;
        lock_shared_drop(&v->lock);
        free_view(gone);
    }
    timed_lock_drop(&v->writer);
    return true;
}

bool vault_prepare(struct vault *as, struct err *err)
{
    struct live *v = as->live;
    lock_shared_read(&v->lock);
    bool there = shows_all(as) || find_view(as) != NULL;
    lock_shared_drop(&v->lock);
    return there || make_view(as) ||
           err_named(
               err, E_BUSY,
               "the vault is being read again, which takes a while: try again later");
}

const struct index *vault_lock(struct vault *as)
{
    struct live *v = as->live;
    lock_check(LOCK_WRITER); /* the view may have to be made */
    atomic_fetch_add(&v->holders, 1);
    for (;;) {
        lock_shared_read(&v->lock);
        if (shows_all(as))
            return v->index;
        struct view *view = find_view(as);
        if (view != NULL) {
            view->used = atomic_fetch_add(&v->holds, 1);
            return view->index;
        }
        lock_shared_drop(&v->lock);
        (void)!make_view(as);
    }
}

void vault_unlock(struct vault *as)
{
    struct live *v = as->live;
    lock_shared_drop(&v->lock);
    atomic_store(&v->let_go, clock_ms());
    atomic_fetch_sub(&v->holders, 1);
}
