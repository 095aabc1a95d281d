#include "vault/vault_live.h"

#include <errno.h>

#include "base/clock.h"
#include "base/encode.h"
#include "base/log.h"
#include "base/os/heap.h"
#include "base/os/thread.h"
#include "base/os/watcher.h"
#include "base/pool.h"
#include "vault/access.h"
#include "vault/change/change.h"
#include "vault/index/index.h"
#include "vault/index/snapshot.h"
#include "vault/load.h"
#include "vault/meaning/meaning.h"
#include "vault/note/obsidian.h"
#include "vault/note/policy.h"
#include "vault/policies.h"
#include "vault/touched.h"
#include "vault/vault_feed.h"
#include "vault/watch.h"
#include "vault/worker.h"

/* The snapshot is written again when this many files have changed, and at least one in
 * SAVE_PART of all files, because writing takes longer the larger the vault is. */
enum { SAVE_AFTER = 1000, SAVE_PART = 2 };

void live_init(struct live *v)
{
    cond_init(&v->state_changed);
    timed_lock_init(&v->changing, LOCK_TURN);
    timed_lock_init(&v->writer, LOCK_WRITER);
    lock_init(&v->placing, LOCK_PLACE);
    lock_shared_init(&v->lock, LOCK_INDEX);
    lock_init(&v->state_lock, LOCK_STATE);
    worker_init(&v->pager, &v->closing, true);
    worker_init(&v->filler, &v->closing, false);
}

void live_take_writer(struct live *v)
{
    if (!timed_lock_take(&v->writer, NULL))
        BUG("a thread of the vault's own gives up waiting");
}

void live_begin_writing(struct live *v)
{
    lock_shared_write(&v->lock);
    v->version++;
}

uint64_t vault_version(const struct vault *vault)
{
    return vault->live->version;
}

static void set_state(struct live *v, enum live_state state)
{
    lock_take(&v->state_lock);
    v->state = state;
    cond_wake_all(&v->state_changed);
    lock_drop(&v->state_lock);
}

static enum live_state get_state(struct live *v)
{
    lock_take(&v->state_lock);
    enum live_state state = v->state;
    lock_drop(&v->state_lock);
    return state;
}

bool live_is_ready(struct live *v)
{
    return get_state(v) == LIVE_READY;
}

bool live_is_loading(struct live *v)
{
    return get_state(v) == LIVE_LOADING;
}

bool live_wait_for_index(struct live *v)
{
    lock_take(&v->state_lock);
    while (v->state == LIVE_LOADING && !atomic_load(&v->closing))
        live_wait_a_little(v);
    bool ready = v->state == LIVE_READY;
    lock_drop(&v->state_lock);
    return ready && !atomic_load(&v->closing);
}

/* --- the snapshot --- */

void vault_set_state_key(struct vault *v, str key)
{
    struct live *live = v->live;
    free(live->state_key);
    live->state_key = mem_str(key);
}

char *live_state_path(const struct live *v, const char *state_dir, const char *kind,
                      const char *ending)
{
    struct arena a = {0};
    /* A folder that cannot be named any more has nothing stored. */
    unsigned long long id = hash_content(str_c(v->folder != NULL ? v->folder : "")).high;
    const char *key =
        v->state_key != NULL ? v->state_key : arena_printf(&a, "%016llx", id).p;
    char *path = mem_str(arena_printf(&a, "%s/%s-%s%s", state_dir, kind, key, ending));
    arena_release(&a);
    return path;
}

/* What the index knows of policies depends on their property. */
static char *snapshot_path_of(const struct live *v, const char *state_dir, str property)
{
    struct arena a = {0};
    const char *ending = ".snapshot";
    if (property.n == 0)
        ending = ".off.snapshot";
    else if (!str_eq_nocase(property, STR(POLICY_PROPERTY)))
        ending = arena_printf(&a, ".%016llx.snapshot",
                              (unsigned long long)hash_content(property).high)
                     .p;
    char *path = live_state_path(v, state_dir, "index", ending);
    arena_release(&a);
    return path;
}

bool vault_check_stored(const struct vault *v, const char *state_dir, struct err *err)
{
    char *path = snapshot_path_of(v->live, state_dir, STR(POLICY_PROPERTY));
    struct snapshot *stored;
    bool ok = snapshot_open(path, NULL, &stored, err);
    if (ok)
        snapshot_close(stored);
    free(path);
    return ok;
}

static void open_state(struct live *v)
{
    struct err err = {0};
    bool read_only = v->own.access.read_only && !v->options.journal;
    if (v->options.state_dir == NULL)
        err_set(&err, ERR_DENIED,
                "this vault is read-only: there is no state folder for the journal of "
                "changes");
    else if (v->folder == NULL)
        err_set(&err, ERR_DENIED,
                "this vault is read-only: its folder has no path any more");
    else if (!fs_make_folder(v->options.state_dir, &err))
        err_reword(&err, "the state folder cannot be used; give another --state-dir");
    else
        v->snapshot_path =
            snapshot_path_of(v, v->options.state_dir, v->options.policy_property);
    if (read_only)
        err_set(&err, ERR_DENIED, VAULT_READ_ONLY);
    else if (v->snapshot_path != NULL) {
        char *journal = live_state_path(v, v->options.state_dir, "changes", "");
        if (!changes_open(&v->own.root, journal, &v->changes, &err))
            v->changes = NULL;
        if (v->changes != NULL && v->options.history_max > 0)
            changes_limit(v->changes, (size_t)v->options.history_max);
        if (v->changes != NULL && v->options.first_change > 0)
            changes_begin_at(v->changes, v->options.first_change);
        free(journal);
    }
    v->why_none = err;
    if (v->changes == NULL && v->options.state_dir != NULL && !read_only)
        log_event(LOG_WARN, "no_changes", LOG_STR("why", str_c(err.msg)),
                  LOG_STR("detail", str_c(err.detail)));
}

/* Call with the writer's lock, or after all threads have ended: the index must not change
 * in the meantime. */
static bool save(struct live *v)
{
    struct err err;
    if (v->snapshot_path == NULL || v->unsaved == 0 || !live_feed_flush(v))
        return false;
    bool ok = snapshot_save(v->snapshot_path, v->index, &err);
    if (!ok)
        log_event(LOG_WARN, "snapshot", LOG_STR("error", str_c(err.msg)),
                  LOG_STR("detail", str_c(err.detail)));
    v->unsaved = 0;
    return ok;
}

/*
 * After a first scan, use the snapshot that was just saved, as after a restart: texts
 * then need no memory of ours, because the page cache has them. There are no views yet:
 * making one needs the writer's lock, which the caller has had since before the vault was
 * ready.
 */
static void vault_live_settle(struct live *v)
{
    struct err ignored; /* the index in memory is as good */
    struct snapshot *saved;
    if (v->old != NULL || atomic_load(&v->closing) ||
        !snapshot_open(v->snapshot_path, v->load.pool, &saved, &ignored))
        return;
    struct index *settled = index_create(), *scanned = v->index;
    index_restore(settled, &saved->parts);
    settled->unreadable = scanned->unreadable;
    live_begin_writing(v);
    settled->skipped = scanned->skipped;
    scanned->skipped = (struct skipped){0};
    v->index = settled;
    v->old = saved;
    lock_shared_drop(&v->lock);
    index_free(scanned);
    heap_trim();
    snapshot_drop_pages(saved);
}

void live_save_much(struct live *v)
{
    if (v->unsaved >= SAVE_AFTER && v->unsaved >= v->index->count / SAVE_PART)
        (void)save(v);
}

/* --- changes --- */

static void vault_live_notify(struct live *v, struct touched *t)
{
    if (t->n > 0 && v->options.changed != NULL)
        v->options.changed(v->options.changed_arg, t->paths, t->n, t->names);
    arena_release(&t->arena);
}

/* Before the index, so that nothing that is hidden is in it without a policy. */
static void apply_policies(struct live *v, const struct load_changes *changes)
{
    bool rules = false, hid = policies_hide(v->policies);
    lock_shared_write(&v->lock);
    for (size_t i = 0; i < changes->n_removed; i++)
        rules = policies_remove(v->policies, changes->removed[i]) || rules;
    for (size_t i = 0; i < changes->n_put; i++)
        rules =
            policies_set(v->policies, changes->put[i]->path, changes->put[i]->policy) ||
            rules;
    if (rules || (hid && !policies_hide(v->policies)))
        views_forget_ruled(v);
    lock_shared_drop(&v->lock);
}

static void apply(struct live *v, struct load_changes *changes)
{
    size_t n = changes->n_put + changes->n_removed;
    v->unsaved += n;
    if (n > 0)
        apply_policies(v, changes);
    for (bool more = true; more;) {
        lock_shared_write(&v->lock);
        v->version += n > 0;
        more = load_apply(&v->load, v->index, changes);
        lock_shared_drop(&v->lock);
    }
    live_look_for_pages(v);
    live_look_for_meaning(v);
}

static void vault_live_look(struct live *v, const str *paths, size_t n,
                            struct touched *touched)
{
    static const str everything = {0};
    struct load_changes changes;
    int64_t now = clock_wall_ns(), read = n > 0 ? now : v->looked_ns;
    load_look(&v->load, v->index, n > 0 ? paths : &everything, n > 0 ? n : 1, read,
              &changes);
    if (n == 0)
        v->looked_ns = now;
    touched_add(touched, v->index, &changes);
    struct feed_batch *seen = live_feed_see(v, v->index, &changes, false);
    apply(v, &changes);
    live_feed_put(v, seen);
    live_save_much(v);
}

static void vault_live_read_settings(struct live *v)
{
    struct obsidian *fresh = obsidian_open(&v->root, STR(VAULT_CONFIG)),
                    *old = v->obsidian;
    lock_shared_write(&v->lock);
    v->obsidian = fresh;
    v->load.obsidian = fresh;
    lock_shared_drop(&v->lock);
    obsidian_free(old);
    const str *problems;
    size_t n = obsidian_problems(fresh, &problems);
    for (size_t i = 0; i < n; i++)
        log_event(LOG_WARN, "settings", LOG_STR("problem", problems[i]));
}

static bool is_setting(str path)
{
    return str_starts(path, STR(VAULT_CONFIG "/")) || str_eq(path, STR(VAULT_CONFIG));
}

/* Call with the writer's lock. */
static void refresh(struct live *v, const str *paths, size_t n, struct touched *touched)
{
    bool settings = n == 0;
    for (size_t i = 0; i < n; i++)
        settings = settings || is_setting(paths[i]);
    if (settings)
        vault_live_read_settings(v);
    vault_live_look(v, paths, settings ? 0 : n,
                    touched); /* the settings decide which files are excluded */
}

void vault_refresh(struct vault *vault, const str *paths, size_t n)
{
    struct live *v = vault->live;
    lock_check(LOCK_WRITER);
    if (get_state(v) != LIVE_READY)
        return;
    struct touched touched = {0};
    struct stop soon = stop_within(NULL, VAULT_WRITER_MS);
    if (!timed_lock_take(&v->writer, &soon)) {
        atomic_store(&v->behind, true);
        log_event(LOG_WARN, "update_late", LOG_STR("vault", str_c(v->name)));
        return;
    }
    bool behind = atomic_exchange(&v->behind, false);
    refresh(v, paths, behind ? 0 : n, &touched);
    timed_lock_drop(&v->writer);
    vault_live_notify(v, &touched);
}

/* A hint that arrives while the first index is made waits for it. */
static void on_changed(void *arg, const str *paths, size_t n)
{
    struct live *v = arg;
    struct err ignored;
    if (vault_wait_long(&v->own, &ignored))
        vault_refresh(&v->own, paths, n);
}

/* --- the start --- */

static void start_watch(struct live *v)
{
    struct watch_config config = {WATCH_DEFAULTS,
                                  .root = &v->root,
                                  .poll = v->options.poll,
                                  .changed = on_changed,
                                  .reopened = live_look_for_place,
                                  .arg = v};
    struct watch *watch;
    struct err err;
    if (watch_start(&config, &watch, &err))
        atomic_store(&v->watch, watch);
    else
        log_event(LOG_WARN, "not_watching", LOG_STR("why", str_c(err.msg)));
}

static void vault_live_report(const struct live *v, uint64_t ms)
{
    log_event(LOG_INFO, "indexed", LOG_INT("files", v->index->count),
              LOG_INT("bytes", v->index->text_bytes), LOG_INT("read", v->done),
              LOG_INT("ms", ms), LOG_STR("watch", str_c(vault_watching(&v->own))),
              LOG_STR("vault", str_c(v->name)));
}

/* From the stored index. */
struct differs {
    struct live *live;
    struct touched touched;
    struct feed_batch *seen;
};

static void vault_live_note_differs(void *arg, const struct index *x,
                                    const struct load_changes *c)
{
    struct differs *d = arg;
    touched_add(&d->touched, x, c);
    d->seen = live_feed_see(d->live, x, c, true);
}

/* Of the first index. */
static void read_policies(struct live *v)
{
    for (file_id i = 0; i < v->index->n; i++) {
        const struct file *f = v->index->files[i];
        if (f != NULL && (f->policy != POLICY_NONE || policy_is_rule(f->path)))
            (void)policies_set(v->policies, f->path, f->policy);
    }
}

static void *load(void *arg)
{
    struct live *v = arg;
    struct touched touched = {0};
    struct differs differs = {.live = v};
    uint64_t began = clock_ms();
    v->load.differs_arg = &differs;
    live_take_writer(v);
    vault_live_read_settings(v);
    open_state(v);
    if (v->snapshot_path != NULL)
        snapshot_clean(v->snapshot_path);
    v->looked_ns = clock_wall_ns();
    bool ok = load_all(&v->load, v->snapshot_path, v->index, &v->old, &v->why);
    bool compared = v->old != NULL;
    uint64_t ms = clock_ms() - began;
    size_t read = v->done;
    if (ok && v->options.no_pages)
        live_forget_pages(v);
    if (ok) {
        read_policies(v);
        live_look_for_pages(v);
        if (!compared)
            live_feed_gap(v);
    }
    live_feed_put(v, differs.seen);
    set_state(v, ok ? LIVE_READY : LIVE_FAILED);
    if (ok && v->options.watch && !atomic_load(&v->closing)) {
        start_watch(v);
        refresh(v, NULL, 0, &touched); /* changes between reading and watching */
    }
    v->unsaved += read;
    if (ok && !atomic_load(&v->closing)) {
        vault_live_report(v, ms);
        if (save(v))
            vault_live_settle(v);
    }
    timed_lock_drop(&v->writer);
    vault_live_notify(v, &differs.touched);
    vault_live_notify(v, &touched);
    if (ok && v->options.loaded != NULL && !atomic_load(&v->closing))
        v->options.loaded(v->options.changed_arg, compared);
    return NULL;
}

void vault_start(struct vault *vault, const struct vault_options *options)
{
    struct live *v = vault->live;
    v->options = *options;
    if (options->access != NULL)
        v->own.access = access_copy(&v->arena, options->access);
    v->own.access.folds = fs_ignores_case(&v->own.root);
    v->own.root.no_links = !access_reads_all(&v->own.access);
    v->policies = policies_create(options->policy_property, v->own.access.folds);
    int64_t memory = options->memory_max > 0 ? options->memory_max : VAULT_MEMORY_MAX;
    v->load = (struct load){.root = &v->own.root,
                            .access = &v->own.access,
                            .policies = v->policies,
                            .pool = options->pool,
                            .memory_max = (size_t)memory,
                            .done = &v->done,
                            .expected = &v->expected,
                            .stop = &v->closing,
                            .scans = live_scans,
                            .scans_arg = v,
                            .wait = &v->early_indexing,
                            .differs = vault_live_note_differs};
    v->started_ns = clock_wall_ns();
    v->index = index_create();
    v->obsidian = obsidian_unread();
    set_state(v, LIVE_LOADING);
    live_start_feed(v); /* these first: they are notified of what the others change */
    live_start_filling(v);
    if (!thread_start(&v->loader, "load", load, v))
        BUG("cannot start a thread for the index");
    live_start_paging(v);
}

void live_stop(struct live *v)
{
    if (atomic_exchange(&v->closing, true) || get_state(v) == LIVE_OFF)
        return;
    thread_join(&v->loader);
    worker_stop(&v->pager);
    worker_stop(&v->filler);
    changes_stop(v->changes);
    watch_stop(atomic_load(&v->watch));
    live_stop_feed(v);
    if (v->state == LIVE_READY && v->done >= v->expected)
        (void)save(v); /* only a complete index */
    atomic_store(&v->watch, NULL);
}

void live_release(struct live *v)
{
    live_stop(v);
    meaning_close(v->meaning);
    live_release_feed(v);
    changes_close(v->changes);
    views_release(v);
    index_free(v->index);
    snapshot_close(v->old);
    obsidian_free(v->obsidian);
    policies_free(v->policies);
    free(v->snapshot_path);
    arena_release(&v->arena);
    lock_shared_release(&v->lock);
    timed_lock_release(&v->writer);
    lock_release(&v->placing);
    timed_lock_release(&v->changing);
    worker_release(&v->pager);
    worker_release(&v->filler);
    lock_release(&v->state_lock);
    cond_destroy(&v->state_changed);
}

/* --- reading --- */

struct vault_progress vault_progress(struct vault *vault)
{
    struct live *v = vault->live;
    return (struct vault_progress){get_state(v) == LIVE_READY, v->done, v->expected};
}

void live_wait_a_little(struct live *v)
{
    lock_wait_until(&v->state_lock, &v->state_changed,
                    clock_ns() + VAULT_POLL_MS * 1000000ULL);
}

/* A thread that waits longer than a moment gives up its worker. */
static void wait_loaded(struct live *v, bool (*stop)(void *arg), void *arg)
{
    uint64_t slow = clock_ms() + TIMED_LOCK_SLOW_MS, late = clock_ms() + VAULT_WAIT_MS;
    bool away = false, stopped = false;
    while (get_state(v) == LIVE_LOADING && !stopped) {
        lock_take(&v->state_lock);
        if (v->state == LIVE_LOADING)
            live_wait_a_little(v);
        lock_drop(&v->state_lock);
        uint64_t now = clock_ms();
        stopped = atomic_load(&v->closing) || now > late || (stop != NULL && stop(arg)) ||
                  (now > slow && !away && !(away = pool_leave()));
    }
    if (away)
        pool_return();
}

bool vault_wait(struct vault *vault, bool (*stop)(void *arg), void *arg, struct err *err)
{
    struct live *v = vault->live;
    wait_loaded(v, stop, arg);
    switch (get_state(v)) {
    case LIVE_READY:
        return live_may_read(v, err);
    case LIVE_FAILED:
        *err = v->why;
        return false;
    default:
        return err_named(err, E_BUSY,
                         "the vault is being read for the first time (%zu of %zu files): "
                         "try again in a moment",
                         (size_t)v->done, (size_t)v->expected);
    }
}

bool vault_wait_long(struct vault *vault, struct err *err)
{
    bool ready = false, loading = true;
    while (!ready && loading && !atomic_load(&vault->live->closing)) {
        ready = vault_wait(vault, NULL, NULL, err);
        loading = !ready && err->name == E_BUSY;
    }
    return ready || (loading && err_named(err, E_BUSY, "the vault is closed"));
}

const struct obsidian *vault_obsidian(const struct vault *vault)
{
    return vault->live->obsidian;
}

const char *vault_watching(const struct vault *vault)
{
    const struct live *v = vault->live;
    const struct watch *watch = atomic_load(&v->watch);
    if (v->options.watch && !watcher_is_supported())
        return "polling"; /* also before it has begun: answers do not depend on when */
    if (watch == NULL)
        return "off";
    return watch_how(watch) == WATCH_EVENTS ? watcher_name() : "polling";
}
