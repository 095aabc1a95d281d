#include "sync/sync.h"

#include <time.h>

#include "base/clock.h"
#include "base/os/thread.h"
#include "sync/git.h"
#include "sync/mask.h"
#include "sync/repo.h"
#include "sync/sync_parts.h"
#include "sync/work.h"
#include "vault/vault.h"

enum { ASK_POLL_MS = 50 };

/* --- notices --- */

/* 0 is never. */
static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a == 0 || (b != 0 && b < a) ? b : a;
}

/* Call with the lock held. */
static bool is_due(const struct sync *s, enum sync_job job, uint64_t now)
{
    return s->due[job] > 0 && s->due[job] <= now;
}

void sync_changed(struct sync *s)
{
    if (s == NULL)
        return;
    lock_take(&s->lock);
    uint64_t now = clock_ms();
    s->waiting++;
    s->made++;
    s->first_at = s->first_at > 0 ? s->first_at : now;
    uint64_t at = s->config.kind == SYNC_COMMAND
                      ? now + 1000 * (uint64_t)s->config.command.quiet_s
                      : earlier(now + SYNC_SETTLE_MS, s->first_at + SYNC_SETTLE_MAX_MS);
    s->due[SYNC_COMMIT] = at > s->retry_at ? at : s->retry_at;
    cond_wake_all(&s->changed);
    lock_drop(&s->lock);
}

uint64_t sync_due(struct sync *s, enum sync_job job)
{
    lock_take(&s->lock);
    uint64_t at = s->due[job];
    lock_drop(&s->lock);
    return at;
}

void sync_plan(struct sync *s, enum sync_job job, uint64_t at)
{
    lock_take(&s->lock);
    if (s->due[job] == 0)
        s->due[job] = at;
    lock_drop(&s->lock);
}

void sync_settled(struct sync *s, const struct round *r)
{
    lock_take(&s->lock);
    s->waiting -= r->waiting;
    lock_drop(&s->lock);
}

/* Changes reported so far are part of the round. Call with the lock held. */
static bool take_more(struct sync *s, struct round *r)
{
    bool any = s->made > r->made;
    r->waiting = s->waiting;
    r->made = s->made;
    s->due[SYNC_COMMIT] = s->first_at = 0;
    return any;
}

void sync_renew(struct sync *s, struct round *r)
{
    lock_take(&s->lock);
    r->ticket = s->asked;
    s->due[SYNC_PULL] = 0; /* until plan_next(), or sync_heard() */
    r->more = take_more(s, r) || r->more;
    lock_drop(&s->lock);
}

bool sync_has_heard(struct sync *s)
{
    lock_take(&s->lock);
    bool heard = is_due(s, SYNC_PULL, clock_ms() + SYNC_HEARD_MS);
    lock_drop(&s->lock);
    return heard;
}

bool sync_catch_up(struct sync *s, struct round *r)
{
    lock_take(&s->lock);
    if (s->asked_pull <= r->ticket)
        r->ticket = s->asked;
    bool more = take_more(s, r) || r->more;
    r->more = false;
    lock_drop(&s->lock);
    return more;
}

void sync_pushed(struct sync *s, const struct round *r)
{
    lock_take(&s->lock);
    s->pushed = r->made;
    s->due[SYNC_SEND] = 0;
    lock_drop(&s->lock);
}

void sync_seen(struct sync *s)
{
    if (s == NULL || s->config.kind != SYNC_GIT)
        return;
    uint64_t wait = s->config.git.add_all ? SYNC_QUIET_MS : SYNC_SETTLE_MS;
    lock_take(&s->lock);
    s->due[SYNC_LOOK] = clock_ms() + wait;
    cond_wake_all(&s->changed);
    lock_drop(&s->lock);
}

void sync_heard(struct sync *s)
{
    if (s == NULL || s->config.kind != SYNC_GIT)
        return;
    lock_take(&s->lock);
    s->due[SYNC_PULL] = earlier(s->due[SYNC_PULL], clock_ms() + SYNC_HEARD_MS);
    cond_wake_all(&s->changed);
    lock_drop(&s->lock);
}

/* --- the thread --- */

static void wait_until(struct sync *s, uint64_t at)
{
    lock_wait_until(&s->lock, &s->changed, at * 1000000);
}

/* When the next job is due; 0: none is. Call with the lock held. */
static uint64_t next_due(const struct sync *s)
{
    uint64_t next = s->asked > s->answered ? clock_ms() : 0;
    for (enum sync_job job = 0; job < SYNC_JOBS; job++)
        next = earlier(next, s->due[job]);
    return next;
}

/* What is due now. Call with the lock held. */
static struct round take_round(struct sync *s)
{
    uint64_t now = clock_ms();
    struct round r = {.commit = is_due(s, SYNC_COMMIT, now),
                      .look = is_due(s, SYNC_LOOK, now),
                      .pull = s->asked_pull > s->answered || is_due(s, SYNC_PULL, now),
                      .push = s->asked > s->answered || is_due(s, SYNC_SEND, now),
                      .last = s->stopping,
                      .ticket = s->asked,
                      .waiting = s->waiting,
                      .made = s->made};
    s->due[SYNC_COMMIT] = s->first_at = 0; /* a round commits everything */
    if (r.look)
        s->due[SYNC_LOOK] = 0;
    if (r.pull)
        s->due[SYNC_PULL] = 0; /* until plan_next(), or sync_heard() */
    return r;
}

/* False when it is time to stop. */
static bool wait_for_work(struct sync *s, struct round *r)
{
    enum { IDLE_MS = 60 * 60 * 1000 };
    lock_take(&s->lock);
    for (uint64_t due; !s->stopping;) {
        due = next_due(s);
        if (due > 0 && due <= clock_ms())
            break;
        wait_until(s, due > 0 ? due : clock_ms() + IDLE_MS);
    }
    *r = take_round(s);
    s->state.running_since = s->stopping ? 0 : clock_now();
    bool go_on = !s->stopping;
    lock_drop(&s->lock);
    return go_on;
}

static uint64_t retry_ms(unsigned failures)
{
    uint64_t ms = SYNC_RETRY_MS;
    for (unsigned i = 1; i < failures && ms < SYNC_RETRY_MAX_MS; i++)
        ms *= 2;
    return ms < SYNC_RETRY_MAX_MS ? ms : SYNC_RETRY_MAX_MS;
}

static int64_t interval_s(const struct sync *s)
{
    return s->config.kind == SYNC_GIT ? s->config.git.pull_s
                                      : s->config.command.interval_s;
}

/* When the jobs are due next. Call with the lock held. */
static void plan_next(struct sync *s, const struct round *r, bool ok)
{
    uint64_t now = clock_ms(), interval = 1000 * (uint64_t)interval_s(s);
    s->failures = ok ? 0 : s->failures + 1;
    if (!ok) {
        uint64_t retry = now + retry_ms(s->failures);
        s->due[SYNC_PULL] =
            earlier(retry, s->due[SYNC_PULL] > now ? s->due[SYNC_PULL] : 0);
        s->due[SYNC_SEND] = s->due[SYNC_SEND] > 0 ? retry : 0;
        s->due[SYNC_COMMIT] = s->retry_at = retry;
        return;
    }
    s->retry_at = 0;
    if (r->pull || s->due[SYNC_PULL] <= now)
        s->due[SYNC_PULL] = earlier(s->due[SYNC_PULL], interval > 0 ? now + interval : 0);
}

/* A round that only committed says nothing about the push that failed before it: what
 * failed is still to be pushed. */
static bool owes_push(const struct sync *s)
{
    return s->failures > 0 && s->due[SYNC_SEND] > 0 && s->git.url.n > 0;
}

/* Call with the lock held. */
static void note_outcome(struct sync *s, const struct round *r, bool ok,
                         const struct err *err)
{
    arena_reset(&s->state_arena);
    if (ok)
        s->state.last_success = s->state.last_try;
    else
        s->state.failures++;
    s->state.last_error = ok ? (str){0} : arena_str(&s->state_arena, str_c(err->msg));
    plan_next(s, r, ok);
}

static void finish_round(struct sync *s, const struct round *r, bool ok,
                         const struct err *err)
{
    lock_take(&s->lock);
    s->state.running_since = 0;
    s->state.last_try = clock_now();
    if (!ok || !owes_push(s))
        note_outcome(s, r, ok, err);
    if (r->ticket > s->answered) { /* else the answer to earlier callers is kept */
        s->answered = r->ticket;
        s->answer = ok ? (struct err){0} : *err;
    }
    cond_wake_all(&s->changed);
    lock_drop(&s->lock);
    if (s->config.on_state != NULL)
        s->config.on_state(s->config.app);
}

/* Most changes that the watcher sees are known: they were made through us. */
static bool is_idle(struct sync *s, const struct round *r)
{
    bool idle = r->look && !r->commit && !r->pull && !r->push && !driver_git_has_work(s);
    lock_take(&s->lock);
    if (idle)
        s->state.running_since = 0;
    lock_drop(&s->lock);
    return idle;
}

static bool do_round(struct sync *s, struct round *r, struct err *err)
{
    return s->config.kind == SYNC_GIT ? driver_git_round(s, r, err)
                                      : driver_command_round(s, r, err);
}

/* The vault cannot be read: nothing can be synced, now or later. */
static void give_up(struct sync *s, const struct err *err)
{
    lock_take(&s->lock);
    s->broken = true;
    s->answer = *err;
    s->state.last_error = arena_str(&s->state_arena, str_c(err->msg));
    cond_wake_all(&s->changed);
    lock_drop(&s->lock);
}

static void *sync_work(void *arg)
{
    struct sync *s = arg;
    struct err err = {0};
    struct round r;
    if (!vault_wait_long(s->v, &err)) {
        give_up(s, &err);
        return NULL;
    }
    while (wait_for_work(s, &r)) {
        if (is_idle(s, &r))
            continue;
        err = (struct err){0};
        bool ok = do_round(s, &r, &err);
        finish_round(s, &r, ok, &err);
    }
    r.pull = r.look = false;
    r.push = sync_due(s, SYNC_SEND) > 0 ||
             r.waiting > 0; /* what is committed now is pushed, too */
    if (s->config.kind == SYNC_GIT && r.push)
        finish_round(s, &r, driver_git_round(s, &r, &err), &err);
    return NULL;
}

/* --- starting and stopping --- */

bool sync_prepare(const struct sync_config *config, struct err *err)
{
    struct git g = {.stop = config->stop};
    bool ok = config->kind != SYNC_GIT || repo_open(&g, config, true, err);
    struct sync_found *found = config->found;
    if (ok && found != NULL && g.dir != NULL) {
        found->repository = arena_str(found->arena, str_c(g.dir)).p;
        found->remote = arena_str(found->arena, g.url);
    }
    git_release(&g);
    return ok;
}

bool sync_is_away(const struct sync_config *config)
{
    struct git g = {0};
    bool away = config->kind == SYNC_GIT && repo_is_away(&g, config);
    git_release(&g);
    return away;
}

bool sync_check(const struct sync_config *config, struct err *err)
{
    struct git g = {0};
    bool ok = config->kind != SYNC_GIT || repo_check(&g, config, err);
    git_release(&g);
    return ok;
}

static void copy_config(struct sync *s, const struct sync_config *config)
{
    struct sync_command *c = &s->config.command;
    s->config = *config;
    s->config.found = NULL;
    s->config.vault_folder = arena_str(&s->arena, str_c(config->vault_folder)).p;
    s->config.state_folder = arena_str(&s->arena, str_c(config->state_folder)).p;
    str *argv = ARENA_ARRAY(&s->arena, str, c->n + 1);
    for (size_t i = 0; i < c->n; i++)
        argv[i] = arena_str(&s->arena, config->command.argv[i]);
    c->argv = argv;
}

static void init(struct sync *s)
{
    cond_init(&s->changed);
    lock_init(&s->lock, LOCK_LEAF);
    s->started = clock_now();
    s->made = 1;
    s->state = (struct sync_state){.kind = s->config.kind, .ahead = -1, .behind = -1};
    s->due[SYNC_PULL] = s->config.kind == SYNC_GIT || interval_s(s) > 0 ? clock_ms() : 0;
    s->tidy_at = clock_ms() + SYNC_RETRY_MAX_MS;
    s->git.stop = &s->stop_network;
    work_init(&s->work, &s->git, s->v);
}

static void sync_release(struct sync *s)
{
    work_release(&s->work);
    git_release(&s->git);
    arena_release(&s->state_arena);
    arena_release(&s->arena);
    cond_destroy(&s->changed);
    lock_release(&s->lock);
    free(s);
}

bool sync_start(const struct sync_config *config, struct vault *v, struct sync **out,
                struct err *err)
{
    struct sync *s = mem_zero(sizeof(*s));
    s->v = v;
    copy_config(s, config);
    init(s);
    if (config->kind == SYNC_GIT && !repo_open(&s->git, config, false, err)) {
        sync_release(s);
        return false;
    }
    if (config->kind != SYNC_NONE && !thread_start(&s->thread, "sync", sync_work, s))
        BUG("cannot start a thread for sync");
    *out = s;
    return true;
}

void sync_begin_stop(struct sync *s, uint64_t push_by)
{
    if (s == NULL)
        return;
    lock_take(&s->lock);
    if (!s->stopping)
        s->push_by = push_by;
    s->stopping = true;
    atomic_store(&s->stop_network, true);
    cond_wake_all(&s->changed);
    lock_drop(&s->lock);
}

void sync_stop(struct sync *s, uint64_t push_by)
{
    if (s == NULL)
        return;
    sync_begin_stop(s, push_by);
    if (s->config.kind != SYNC_NONE)
        thread_join(&s->thread);
    sync_release(s);
}

/* --- asking --- */

static bool is_synced(const struct sync *s, struct err *err)
{
    return (s != NULL && s->config.kind != SYNC_NONE) ||
           err_set(err, ERR_INVALID, "this vault is not synced");
}

/* A round in progress began before this request: the next one counts. The lock is
 * held. */
static uint64_t new_ticket(struct sync *s)
{
    cond_wake_all(&s->changed);
    return ++s->asked;
}

bool sync_ask(struct sync *s, uint64_t *ticket, struct err *err)
{
    if (!is_synced(s, err))
        return false;
    lock_take(&s->lock);
    *ticket = s->asked_pull = new_ticket(s);
    lock_drop(&s->lock);
    return true;
}

bool sync_push(struct sync *s, uint64_t *ticket, struct err *err)
{
    if (!is_synced(s, err))
        return false;
    lock_take(&s->lock);
    *ticket = s->pushed < s->made ? new_ticket(s) : 0;
    lock_drop(&s->lock);
    return true;
}

uint64_t sync_pulled_at(struct sync *s)
{
    return s != NULL ? atomic_load(&s->pulled_at) : 0;
}

bool sync_is_pushed(struct sync *s)
{
    lock_take(&s->lock);
    bool all = s->pushed >= s->made;
    lock_drop(&s->lock);
    return all;
}

/* Call with the lock held. */
static enum sync_answer answer_of(const struct sync *s, uint64_t ticket, struct err *err)
{
    if (ticket == 0)
        return SYNC_SUCCEEDED;
    if (s->answered < ticket && !s->broken)
        return SYNC_GOING_ON;
    if (s->answer.code == ERR_NONE)
        return SYNC_SUCCEEDED;
    *err = s->answer;
    return SYNC_REFUSED;
}

enum sync_answer sync_answer(struct sync *s, uint64_t ticket, struct err *err)
{
    lock_take(&s->lock);
    enum sync_answer answer = answer_of(s, ticket, err);
    lock_drop(&s->lock);
    return answer;
}

bool sync_wait(struct sync *s, bool (*stop)(void *arg), void *arg, struct err *err)
{
    uint64_t ticket;
    bool stopped = false;
    enum sync_answer answer;
    if (!sync_ask(s, &ticket, err))
        return false;
    lock_take(&s->lock);
    while ((answer = answer_of(s, ticket, err)) == SYNC_GOING_ON && !s->stopping &&
           !stopped) {
        wait_until(s, clock_ms() + ASK_POLL_MS);
        lock_drop(&s->lock);
        stopped = stop != NULL && stop(arg);
        lock_take(&s->lock);
    }
    lock_drop(&s->lock);
    return answer == SYNC_SUCCEEDED ||
           (answer == SYNC_GOING_ON &&
            err_set(err, ERR_BUSY, "the sync is still running: check its status later"));
}

/* --- state --- */

/* Without those whose conflict note is gone: the disk is looked at without the lock. */
static void drop_solved(struct sync *s, struct sync_state *out)
{
    struct fs_info info;
    struct err gone;
    size_t n = 0;
    for (size_t i = 0; i < out->n_conflicts; i++) {
        str sibling = out->conflicts[i].sibling;
        if (sibling.n == 0 || fs_stat(vault_root(s->v), sibling, &info, &gone))
            out->conflicts[n++] = out->conflicts[i];
    }
    out->n_conflicts = n;
}

static void copy_lists(struct sync *s, struct arena *a, struct sync_state *out)
{
    struct work *w = &s->work;
    lock_take(&w->lock);
    out->notices = ARENA_ARRAY(a, str, w->n_notices + 1);
    out->conflicts = ARENA_ARRAY(a, struct sync_conflict, w->n_conflicts + 1);
    for (size_t i = 0; i < w->n_notices; i++)
        out->notices[out->n_notices++] = arena_str(a, str_c(w->notices[i]));
    for (size_t i = 0; i < w->n_conflicts; i++)
        out->conflicts[out->n_conflicts++] =
            (struct sync_conflict){arena_str(a, str_c(w->conflicts[i].path)),
                                   arena_str(a, str_c(w->conflicts[i].sibling))};
    lock_drop(&w->lock);
    drop_solved(s, out);
}

void sync_state(struct sync *s, struct arena *a, struct sync_state *out)
{
    *out = (struct sync_state){.ahead = -1, .behind = -1};
    if (s == NULL)
        return;
    lock_take(&s->lock);
    *out = s->state;
    out->waiting = s->waiting;
    out->last_error = arena_str(a, s->state.last_error);
    lock_drop(&s->lock);
    out->remote = arena_str(a, mask_urls(a, s->git.url));
    out->branch = arena_str(a, s->git.branch);
    copy_lists(s, a, out);
}
