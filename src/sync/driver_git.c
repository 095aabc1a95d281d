/* A round with git: commit pending changes, merge what is new on the remote, push. */

#include "base/clock.h"
#include "base/log.h"
#include "base/os/thread.h"
#include "sync/git.h"
#include "sync/pending.h"
#include "sync/repo.h"
#include "sync/sync_parts.h"
#include "sync/work.h"

/* --- committing --- */

/* The first commit of a repository contains the whole vault. */
static bool first_commit(struct sync *s, struct arena *a, struct err *err)
{
    struct work_request all = {
        .all = true, .alone = true, .subject = STR("Initial state of the vault")};
    str head, id;
    s->has_commits =
        s->has_commits || (git_commit_of(&s->git, a, "HEAD", &head, err) &&
                           (head.n > 0 || work_commit(&s->work, a, &all, &id, err)));
    return s->has_commits;
}

static bool commit_waiting(struct sync *s, struct arena *a, const struct round *r,
                           struct err *err)
{
    bool all = s->git.config.add_all;
    struct work_request request = {.all = all, .alone = all && (r->look || r->pull)};
    str id;
    if (!work_commit(&s->work, a, &request, &id, err))
        return false;
    sync_settled(s, r);
    if (id.n > 0 && s->git.url.n > 0)
        sync_plan(s, SYNC_SEND, clock_ms() + 1000 * (uint64_t)s->git.config.push_delay_s);
    return true;
}

bool driver_git_has_work(struct sync *s)
{
    struct err err;
    bool any;
    return s->git.config.add_all || !pending_any(s->v, s->work.done, &any, &err) || any;
}

/* --- the remote --- */

/* Commits of to that from does not have; from: empty for all. 0 if it is not asked for. */
static int64_t commits_between(const struct sync *s, struct arena *a, str from, str to)
{
    struct err ignored;
    str line;
    int64_t n = 0;
    if (!s->git.config.counts || to.n == 0 || str_eq(from, to))
        return 0;
    const char *range = arena_printf(a, STR_FMT "%s" STR_FMT, STR_ARG(from),
                                     from.n > 0 ? ".." : "", STR_ARG(to))
                            .p;
    return git_line(&s->git, a, GIT_ARGS("rev-list", "--count", range), &line,
                    &ignored) &&
                   str_to_int(line, &n)
               ? n
               : 0;
}

static void note_exchanged(struct sync *s, int64_t pulled, int64_t pushed)
{
    lock_take(&s->lock);
    s->state.pulled += pulled;
    s->state.pushed += pushed;
    s->state.changed = s->work.changed;
    lock_drop(&s->lock);
}

static bool take_theirs(struct sync *s, struct arena *a, struct err *err)
{
    str theirs, head = {0};
    if (!git_fetch(&s->git, a, 0, &theirs, err))
        return false;
    if (theirs.n == 0)
        return true;
    if (s->git.config.counts && !git_commit_of(&s->git, a, "HEAD", &head, err))
        return false;
    if (!work_pull(&s->work, theirs, err))
        return false;
    note_exchanged(s, commits_between(s, a, head, theirs), 0);
    if (s->config.on_pulled != NULL)
        s->config.on_pulled(s->config.app, theirs);
    return true;
}

static bool take_in(struct sync *s, struct arena *a, struct err *err)
{
    uint64_t began = clock_ms();
    if (!take_theirs(s, a, err))
        return false;
    atomic_store(&s->pulled_at, began);
    return true;
}

/* The last push ends in time, however long what came before it took; 0: as usual. */
static unsigned push_limit_ms(const struct sync *s, const struct round *r)
{
    uint64_t now = clock_ms();
    return !r->last ? 0 : s->push_by > now ? (unsigned)(s->push_by - now) : 1;
}

/* *moved: the remote has new commits, which must be merged first. Else both have *head. */
static bool send(struct sync *s, struct arena *a, const struct round *r, str *head,
                 bool *moved, struct err *err)
{
    str theirs;
    *moved = false;
    if (!git_commit_of(&s->git, a, "HEAD", head, err) ||
        !git_commit_of(&s->git, a, arena_str(a, s->git.tracking).p, &theirs, err))
        return false;
    if (head->n == 0 || str_eq(*head, theirs))
        return true;
    if (!git_push(&s->git, a, *head, push_limit_ms(s, r), moved, err))
        return false;
    if (!*moved)
        note_exchanged(s, 0, commits_between(s, a, theirs, *head));
    return true;
}

/* What is changed meanwhile is pushed with the rest, not by a round of its own. */
static bool catch_up(struct sync *s, struct arena *a, struct round *r, bool pull,
                     struct err *err)
{
    if (pull) {
        sync_renew(s, r);
        if (!take_in(s, a, err))
            return false;
    }
    return !sync_catch_up(s, r) || commit_waiting(s, a, r, err);
}

/* Before something is pushed, unless it is our turn already (*turn). Whether others have
 * pushed in the meantime. */
static bool wait_for_turn(struct sync *s, const struct round *r, bool *turn)
{
    if (*turn || s->config.on_turn == NULL || r->last || sync_due(s, SYNC_SEND) == 0)
        return false;
    *turn = true;
    s->config.on_turn(s->config.app, true);
    return sync_has_heard(s);
}

static bool exchange(struct sync *s, struct arena *a, struct round *r, bool *turn,
                     str *head, struct err *err)
{
    bool pull = r->pull, moved = true;
    for (int i = 0; i < SYNC_PUSHES && moved; i++) {
        pull = wait_for_turn(s, r, turn) || pull;
        if (!catch_up(s, a, r, pull, err) ||
            (wait_for_turn(s, r, turn) && !catch_up(s, a, r, true, err)) ||
            !send(s, a, r, head, &moved, err))
            return false;
        pull = moved;
        if (moved && i > 0) /* a random pause, so as not to collide with others again */
            thread_pause((unsigned)(clock_ns() % 200000));
        if (moved && r->last)
            break;
    }
    return !moved || err_set(err, ERR_BUSY, "the remote keeps changing");
}

/* --- status --- */

static void note_counts(struct sync *s, int64_t ahead, int64_t behind)
{
    lock_take(&s->lock);
    s->state.ahead = ahead;
    s->state.behind = behind;
    lock_drop(&s->lock);
}

static void count_commits(struct sync *s, struct arena *a)
{
    struct err err;
    str head, theirs, line, left = {0}, right = {0};
    int64_t ahead = -1, behind = -1;
    if (git_commit_of(&s->git, a, "HEAD", &head, &err) &&
        git_commit_of(&s->git, a, arena_str(a, s->git.tracking).p, &theirs, &err) &&
        head.n > 0 && str_eq(head, theirs)) {
        note_counts(s, 0, 0);
        return;
    }
    const char *range = arena_printf(a, "HEAD..." STR_FMT, STR_ARG(s->git.tracking)).p;
    if (git_line(&s->git, a, GIT_ARGS("rev-list", "--left-right", "--count", range),
                 &line, &err)) {
        str_next(&line, '\t', &left);
        str_next(&line, '\t', &right);
        if (!str_to_int(left, &ahead) || !str_to_int(right, &behind))
            ahead = behind = -1;
    }
    note_counts(s, ahead, behind);
}

/* Pack loose objects now and then; a failure only costs space. Nothing is removed: git
 * does not see here what other work trees and the user's index still need. */
static void tidy(struct sync *s, struct arena *a)
{
    struct err err;
    str out;
    if (clock_ms() < s->tidy_at)
        return;
    s->tidy_at = clock_ms() + SYNC_TIDY_MS;
    if (!git_run(&s->git, a, GIT_HOW(.network = true),
                 GIT_ARGS("-c", "gc.auto=2000", "-c", "gc.autoDetach=false", "-c",
                          "gc.pruneExpire=never", "gc", "--auto", "--quiet"),
                 &out, &err))
        log_event(LOG_DEBUG, "git_gc", LOG_STR("why", str_c(err.msg)));
}

static void report_level(struct sync *s, str head)
{
    uint64_t number = s->work.covered;
    if (s->config.on_level == NULL || head.n >= sizeof(s->level) ||
        (str_eq(head, str_c(s->level)) && number == s->level_number))
        return;
    if (!s->config.on_level(s->config.app, head, number))
        return;
    memcpy(s->level, head.p, head.n);
    s->level[head.n] = '\0';
    s->level_number = number;
}

static bool exchange_in_turn(struct sync *s, struct arena *a, struct round *r,
                             struct err *err)
{
    str head = {0};
    bool turn = false, ok = exchange(s, a, r, &turn, &head, err);
    r->level = ok && head.n > 0;
    if (r->level) {
        note_counts(s, 0, 0);
        report_level(s, head);
    }
    if (ok)
        sync_pushed(s, r);
    if (turn)
        s->config.on_turn(s->config.app, false);
    return ok;
}

static bool work_round(struct sync *s, struct arena *a, struct round *r, struct err *err)
{
    repo_unlock(&s->git, a);
    if (!work_is_free(&s->git, err) || !work_recover(&s->work, a, err) ||
        !work_read_done(&s->work, a, s->started, err) || !first_commit(s, a, err) ||
        !commit_waiting(s, a, r, err))
        return false;
    uint64_t push_at = sync_due(s, SYNC_SEND);
    bool due = r->pull || r->push || (push_at > 0 && push_at <= clock_ms());
    if (s->git.url.n > 0 && due && !exchange_in_turn(s, a, r, err))
        return false;
    return true;
}

bool driver_git_round(struct sync *s, struct round *r, struct err *err)
{
    struct arena a = {0};
    AUTO_CLOSE int lock = work_lock(&s->git);
    if (lock < 0)
        return err_set(err, ERR_BUSY, "another process is syncing this vault");
    bool ok = work_round(s, &a, r, err);
    git_reader_close(&s->work.reader);
    if (ok && !r->last)
        tidy(s, &a);
    if (!r->last && !r->level)
        count_commits(s, &a);
    arena_release(&a);
    return ok;
}
