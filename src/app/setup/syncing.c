#include "app/setup/syncing.h"

#include "app/setup/sync_settings.h"
#include "app/setup/vault_state.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/path.h"
#include "sync/sync.h"
#include "vault/vault.h"

enum { SAVED_MAX = 1 << 20 };

static const char *const kinds[] = {
    [SYNC_NONE] = "none",
    [SYNC_GIT] = "git",
    [SYNC_COMMAND] = "command",
};

/* --- status --- */

static void put_time(struct jsonw *w, str key, int64_t when)
{
    char text[CLOCK_ISO_SIZE];
    if (when > 0)
        jsonw_put_str(w, key, clock_iso(when, text));
}

static void put_count(struct jsonw *w, str key, int64_t n)
{
    if (n >= 0)
        jsonw_put_int(w, key, n);
}

static bool may_know(const struct vault *v, str path)
{
    return path_is_visible(path) && vault_may_read(v, path);
}

static void put_conflicts(struct jsonw *w, const struct sync_state *s,
                          const struct vault *v)
{
    jsonw_put_array(w, STR("conflicts"));
    for (size_t i = 0; i < s->n_conflicts; i++) {
        const struct sync_conflict *c = &s->conflicts[i];
        if (!may_know(v, c->path) || !may_know(v, c->sibling))
            continue;
        jsonw_object(w);
        jsonw_put_str(w, STR("path"), c->path);
        jsonw_put_str(w, STR("theirs"), c->sibling);
        jsonw_end(w);
    }
    jsonw_end(w);
}

void syncing_put(struct jsonw *w, const struct sync_state *s, const struct vault *v)
{
    bool sees_all = vault_may_read_all(v);
    jsonw_put_str(w, STR("kind"), str_c(kinds[s->kind]));
    if (s->remote.n > 0 && sees_all)
        jsonw_put_str(w, STR("remote"), s->remote);
    jsonw_put_text(w, STR("branch"), s->branch);
    put_count(w, STR("ahead"), s->ahead);
    put_count(w, STR("behind"), s->behind);
    if (s->waiting > 0)
        jsonw_put_int(w, STR("waiting"), (int64_t)s->waiting);
    put_time(w, STR("running_since"), s->running_since);
    put_time(w, STR("last_try"), s->last_try);
    put_time(w, STR("last_success"), s->last_success);
    if (s->last_error.n > 0)
        jsonw_put_str(w, STR("last_error"),
                      sees_all ? s->last_error : STR(SYNCING_FAILED));
    put_conflicts(w, s, v);
    if (sees_all && s->n_notices > 0) /* notices name files */
        jsonw_put_strs(w, STR("notices"), s->notices, s->n_notices);
}

/* --- the saved status --- */

static const char *saved_path(struct arena *a, str key, const char *state_dir)
{
    return arena_printf(a, "%s/sync-" STR_FMT ".json", state_dir, STR_ARG(key)).p;
}

bool syncing_saved(struct arena *a, str key, const char *state_dir, str *json,
                   struct err *err)
{
    str path = str_c(saved_path(a, key, state_dir));
    return fs_read_file(a, path, SAVED_MAX, json, err) ||
           (err->code == ERR_NOT_FOUND &&
            err_set(err, ERR_NOT_FOUND, "this vault has never been synced"));
}

static void save(const struct syncing *s, struct arena *a, const struct sync_state *state,
                 const struct vault *v)
{
    struct sbuf text = SBUF_ON(a);
    struct jsonw w = JSONW_ON(&text);
    struct err err;
    jsonw_object(&w);
    syncing_put(&w, state, v);
    jsonw_end(&w);
    sbuf_char(&text, '\n');
    if (!fs_replace_file(
            saved_path(a, str_c(s->config.state_key), s->config.state_folder),
            sbuf_str(&text), &err))
        log_event(LOG_WARN, "sync_not_kept", LOG_STR("error", str_c(err.msg)),
                  LOG_STR("detail", str_c(err.detail)));
}

static void log_outcome(const struct sync_state *s)
{
    if (s->last_error.n > 0)
        log_event(LOG_WARN, "sync_failed", LOG_STR("kind", str_c(kinds[s->kind])),
                  LOG_STR("error", s->last_error), LOG_INT("ahead", s->ahead),
                  LOG_INT("waiting", s->waiting));
    else
        log_event(LOG_INFO, "synced", LOG_STR("kind", str_c(kinds[s->kind])),
                  LOG_INT("ahead", s->ahead), LOG_INT("behind", s->behind),
                  LOG_INT("conflicts", s->n_conflicts));
}

/* Under the lock: other threads may ask while syncing_start() still runs. */
static struct sync *started(struct syncing *s)
{
    lock_take(&s->lock);
    struct sync *sync = s->sync;
    lock_drop(&s->lock);
    return sync;
}

/* On the sync thread. */
static void on_state(void *arg)
{
    struct syncing *s = arg;
    struct arena a = {0};
    struct sync_state state;
    sync_state(started(s), &a, &state);
    log_outcome(&state);
    save(s, &a, &state, s->whole);
    arena_release(&a);
}

static void on_pulled(void *arg, str commit)
{
    struct syncing *s = arg;
    s->on_pulled(s->arg, commit);
}

static bool on_level(void *arg, str commit, uint64_t number)
{
    struct syncing *s = arg;
    return s->on_level == NULL || s->on_level(s->arg, commit, number);
}

static void on_turn(void *arg, bool begin)
{
    struct syncing *s = arg;
    s->on_turn(s->arg, begin);
}

/* --- start and stop --- */

bool syncing_prepare(struct syncing *s, struct arena *a,
                     const struct settings_sync *settings, const char *folder,
                     const char *state_dir, struct err *err)
{
    lock_init(&s->lock, LOCK_SYNC_START);
    if (!sync_settings_read(settings, a, folder, state_dir, &s->config, err))
        return false;
    s->found = (struct sync_found){.arena = a};
    s->config.found = &s->found;
    s->config.on_state = on_state;
    s->config.on_pulled = s->on_pulled != NULL ? on_pulled : NULL;
    s->config.on_level = on_level;
    s->config.on_turn = s->on_turn != NULL ? on_turn : NULL;
    s->config.app = s;
    s->config.stop = s->stop;
    s->ack = settings->ack;
    s->wait_ms = (uint64_t)settings->wait * 1000;
    if (s->config.kind == SYNC_NONE)
        return true;
    s->config.state_key =
        s->state_key != NULL
            ? s->state_key
            : vault_state_key(a, state_dir, str_c(s->config.vault_folder), STR("")).p;
    return sync_prepare(&s->config, err) &&
           (s->ack != SYNC_ACK_PUSH || s->found.remote.n > 0 ||
            err_set(err, ERR_INVALID,
                    "--sync-ack push needs a git remote, and the repository has none: "
                    "give --git-remote"));
}

bool syncing_start(struct syncing *s, struct vault *v, struct err *err)
{
    if (s->config.kind == SYNC_NONE)
        return true;
    s->whole = vault_whole(v);
    lock_take(&s->lock);
    bool ok = sync_start(&s->config, s->whole, &s->sync, err);
    lock_drop(&s->lock);
    return ok;
}

void syncing_begin_stop(struct syncing *s, uint64_t push_by)
{
    sync_begin_stop(s->sync, push_by);
}

void syncing_stop(struct syncing *s, uint64_t push_by)
{
    sync_stop(s->sync, push_by);
    *s = (struct syncing){0};
}

void syncing_changed(struct syncing *s, const struct change *change)
{
    if (!str_eq(change->by.tool, STR("sync")))
        sync_changed(started(s));
}

void syncing_heard(struct syncing *s)
{
    sync_heard(started(s));
}

void syncing_seen(struct syncing *s)
{
    sync_seen(started(s));
}
