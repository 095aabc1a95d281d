#include "sync/sync.h"

#include <signal.h>
#include <time.h>

#include "base/clock.h"
#include "sync/mask.h"
#include "sync/parts.h"
#include "sync/repo.h"

enum { ASK_POLL_MS = 50 };

/* --- the queue --- */

static void add_paths(struct pending *p, const struct sync_change *c)
{
    size_t n = p->change.n + c->n;
    str *paths = ARENA_ARRAY(&p->arena, str, n + 1);
    for (size_t i = 0; i < n; i++)
        paths[i] = i < p->change.n ? p->change.paths[i]
                                   : arena_str(&p->arena, c->paths[i - p->change.n]);
    p->change.paths = paths;
    p->change.n = n;
}

static struct pending *copy_change(const struct sync_change *c)
{
    struct pending *p = mem_zero(sizeof(*p));
    p->change = (struct sync_change){.number = c->number,
                                     .tool = arena_str(&p->arena, c->tool),
                                     .client = arena_str(&p->arena, c->client),
                                     .user = arena_str(&p->arena, c->user),
                                     .message = arena_str(&p->arena, c->message)};
    add_paths(p, c);
    return p;
}

/* Beyond SYNC_QUEUE_MAX single commits are given up, no change is. */
static struct pending *last_of(struct sync *s)
{
    struct pending *p = s->queue;
    while (p != NULL && p->next != NULL)
        p = p->next;
    return p;
}

void sync_enqueue(struct sync *s, const struct sync_change *c)
{
    pthread_mutex_lock(&s->lock);
    if (s->waiting >= SYNC_QUEUE_MAX) {
        struct pending *last = last_of(s);
        add_paths(last, c);
        last->change.number = c->number;
    } else {
        struct pending *p = copy_change(c);
        *s->queue_end = p;
        s->queue_end = &p->next;
        s->waiting++;
    }
    pthread_mutex_unlock(&s->lock);
}

struct pending *sync_first(struct sync *s)
{
    pthread_mutex_lock(&s->lock);
    struct pending *p = s->queue;
    pthread_mutex_unlock(&s->lock);
    return p;
}

size_t sync_waiting(struct sync *s)
{
    pthread_mutex_lock(&s->lock);
    size_t n = s->waiting;
    pthread_mutex_unlock(&s->lock);
    return n;
}

static void free_pending(struct pending *p)
{
    arena_release(&p->arena);
    free(p);
}

void sync_drop_first(struct sync *s)
{
    pthread_mutex_lock(&s->lock);
    struct pending *p = s->queue;
    s->queue = p->next;
    if (s->queue == NULL)
        s->queue_end = &s->queue;
    s->waiting--;
    pthread_mutex_unlock(&s->lock);
    free_pending(p);
}

void sync_changed(struct sync *s, const struct sync_change *c)
{
    if (s == NULL)
        return;
    sync_enqueue(s, c);
    pthread_mutex_lock(&s->lock);
    s->quiet_at = clock_ms() + 1000 * (uint64_t)s->config.command.quiet_s;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

/* --- the thread --- */

static void wait_until(struct sync *s, uint64_t at)
{
    struct timespec t = {(time_t)(at / 1000), (long)(at % 1000) * 1000000};
    pthread_cond_timedwait(&s->changed, &s->lock, &t);
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a == 0 || (b != 0 && b < a) ? b : a;
}

/* When something is to be done; 0: nothing is. With the lock. */
static uint64_t next_due(const struct sync *s)
{
    uint64_t due = s->pull_at;
    if (s->asked > s->answered)
        return clock_ms();
    if (s->config.kind == SYNC_COMMAND)
        return s->waiting > 0 ? earlier(due, s->quiet_at) : due;
    due = earlier(due, s->push_at);
    return s->waiting > 0 ? earlier(due, s->commit_at > 0 ? s->commit_at : clock_ms())
                          : due;
}

/* False: it is time to stop. */
static bool wait_for_work(struct sync *s, struct round *r, uint64_t *ticket)
{
    enum { IDLE_MS = 60 * 60 * 1000 };
    pthread_mutex_lock(&s->lock);
    for (uint64_t due; !s->stopping;) {
        due = next_due(s);
        if (due > 0 && due <= clock_ms())
            break;
        wait_until(s, due > 0 ? due : clock_ms() + IDLE_MS);
    }
    uint64_t now = clock_ms();
    *ticket = s->asked;
    *r = (struct round){.pull = s->asked > s->answered ||
                                (s->pull_at > 0 && s->pull_at <= now),
                        .push = s->push_at > 0 && s->push_at <= now,
                        .last = s->stopping};
    s->state.busy = !s->stopping;
    bool go_on = !s->stopping;
    pthread_mutex_unlock(&s->lock);
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

/* With the lock. */
static void plan_next(struct sync *s, const struct round *r, bool ok)
{
    uint64_t now = clock_ms(), interval = 1000 * (uint64_t)interval_s(s);
    s->failures = ok ? 0 : s->failures + 1;
    if (!ok) {
        uint64_t retry = now + retry_ms(s->failures);
        s->pull_at = earlier(retry, s->pull_at > now ? s->pull_at : 0);
        s->push_at = s->push_at > 0 ? retry : 0;
        s->commit_at = s->quiet_at = retry;
        return;
    }
    s->commit_at = 0;
    if (r->pull || s->pull_at <= now)
        s->pull_at = interval > 0 ? now + interval : 0;
}

static void finish_round(struct sync *s, const struct round *r, uint64_t ticket, bool ok,
                         const struct err *err)
{
    pthread_mutex_lock(&s->lock);
    arena_reset(&s->state_arena);
    s->state.busy = false;
    s->state.last_try = clock_now();
    if (ok)
        s->state.last_success = s->state.last_try;
    else
        s->state.failures++;
    s->state.last_error = ok ? (str){0} : arena_str(&s->state_arena, str_c(err->msg));
    s->answered = ticket;
    s->answer = ok ? (struct err){0} : *err;
    plan_next(s, r, ok);
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
    if (s->config.on_state != NULL)
        s->config.on_state(s->config.app);
}

static bool do_round(struct sync *s, const struct round *r, struct err *err)
{
    return s->config.kind == SYNC_GIT ? driver_git_round(s, r, err)
                                      : driver_command_round(s, err);
}

/* The vault cannot be read: nothing can be synced, now or later. */
static void give_up(struct sync *s, const struct err *err)
{
    pthread_mutex_lock(&s->lock);
    s->broken = true;
    s->answer = *err;
    s->state.last_error = arena_str(&s->state_arena, str_c(err->msg));
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

static void *work(void *arg)
{
    struct sync *s = arg;
    struct err err = {0};
    struct round r;
    uint64_t ticket;
    if (!vault_wait(s->v, NULL, NULL, &err)) {
        give_up(s, &err);
        return NULL;
    }
    while (wait_for_work(s, &r, &ticket)) {
        err = (struct err){0};
        bool ok = do_round(s, &r, &err);
        finish_round(s, &r, ticket, ok, &err);
    }
    r = (struct round){.push = s->push_at > 0, .last = true};
    if (s->config.kind == SYNC_GIT && (sync_waiting(s) > 0 || r.push))
        finish_round(s, &r, ticket, driver_git_round(s, &r, &err), &err);
    return NULL;
}

/* --- starting and stopping --- */

bool sync_prepare(const struct sync_config *config, struct err *err)
{
    struct git g = {.stop = config->stop};
    bool ok = config->kind != SYNC_GIT || repo_open(&g, config, true, err);
    git_release(&g);
    return ok;
}

static void copy_config(struct sync *s, const struct sync_config *config)
{
    struct sync_command *c = &s->config.command;
    s->config = *config;
    s->config.vault_folder = arena_str(&s->arena, str_c(config->vault_folder)).p;
    s->config.state_folder = arena_str(&s->arena, str_c(config->state_folder)).p;
    str *argv = ARENA_ARRAY(&s->arena, str, c->n + 1);
    for (size_t i = 0; i < c->n; i++)
        argv[i] = arena_str(&s->arena, config->command.argv[i]);
    c->argv = argv;
}

static void init(struct sync *s)
{
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&s->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    pthread_mutex_init(&s->lock, NULL);
    s->queue_end = &s->queue;
    s->state = (struct sync_state){.kind = s->config.kind, .ahead = -1, .behind = -1};
    s->pull_at = s->config.kind == SYNC_GIT || interval_s(s) > 0 ? clock_ms() : 0;
    s->tidy_at = clock_ms() + SYNC_RETRY_MAX_MS;
    s->git.stop = &s->stop_network;
    work_init(&s->work, &s->git, s->v);
}

static void release(struct sync *s)
{
    while (s->queue != NULL)
        sync_drop_first(s);
    work_release(&s->work);
    git_release(&s->git);
    arena_release(&s->state_arena);
    arena_release(&s->arena);
    pthread_cond_destroy(&s->changed);
    pthread_mutex_destroy(&s->lock);
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
        release(s);
        return false;
    }
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are for the main thread */
    if (config->kind != SYNC_NONE && pthread_create(&s->thread, NULL, work, s) != 0)
        BUG("no thread to sync with");
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    *out = s;
    return true;
}

void sync_stop(struct sync *s)
{
    if (s == NULL)
        return;
    pthread_mutex_lock(&s->lock);
    s->stopping = true;
    atomic_store(&s->stop_network, true);
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
    if (s->config.kind != SYNC_NONE)
        pthread_join(s->thread, NULL);
    release(s);
}

/* --- asking --- */

bool sync_ask(struct sync *s, bool wait, bool (*stop)(void *arg), void *arg,
              struct err *err)
{
    if (s == NULL || s->config.kind == SYNC_NONE)
        return err_set(err, ERR_INVALID, "this vault is not synced");
    pthread_mutex_lock(&s->lock);
    /* a round under way began without us: the next one is ours */
    uint64_t ticket = ++s->asked;
    bool stopped = false;
    pthread_cond_broadcast(&s->changed);
    while (wait && s->answered < ticket && !s->stopping && !s->broken && !stopped) {
        wait_until(s, clock_ms() + ASK_POLL_MS);
        pthread_mutex_unlock(&s->lock);
        stopped = stop != NULL && stop(arg);
        pthread_mutex_lock(&s->lock);
    }
    bool done = s->answered >= ticket || s->broken;
    struct err answer = s->answer;
    pthread_mutex_unlock(&s->lock);
    if (!wait)
        return true;
    if (!done)
        return err_set(err, ERR_BUSY, "the sync goes on: ask for its state later");
    if (answer.code != ERR_NONE)
        *err = answer;
    return answer.code == ERR_NONE;
}

/* --- state --- */

static void copy_lists(struct sync *s, struct arena *a, struct sync_state *out)
{
    struct work *w = &s->work;
    struct fs_info info;
    struct err gone;
    pthread_mutex_lock(&w->lock);
    out->notices = ARENA_ARRAY(a, str, w->n_notices + 1);
    out->conflicts = ARENA_ARRAY(a, struct sync_conflict, w->n_conflicts + 1);
    for (size_t i = 0; i < w->n_notices; i++)
        out->notices[out->n_notices++] = arena_str(a, str_c(w->notices[i]));
    for (size_t i = 0; i < w->n_conflicts; i++) {
        str sibling = str_c(w->conflicts[i].sibling);
        if (sibling.n == 0 || fs_stat(vault_root(s->v), sibling, &info, &gone))
            out->conflicts[out->n_conflicts++] = (struct sync_conflict){
                arena_str(a, str_c(w->conflicts[i].path)), arena_str(a, sibling)};
    }
    pthread_mutex_unlock(&w->lock);
}

void sync_state(struct sync *s, struct arena *a, struct sync_state *out)
{
    *out = (struct sync_state){.ahead = -1, .behind = -1};
    if (s == NULL)
        return;
    pthread_mutex_lock(&s->lock);
    *out = s->state;
    out->waiting = s->waiting;
    out->last_error = arena_str(a, s->state.last_error);
    pthread_mutex_unlock(&s->lock);
    out->remote = arena_str(a, mask_urls(a, s->git.url));
    out->branch = arena_str(a, s->git.branch);
    copy_lists(s, a, out);
}
