/* A round of git: commit what waits, take in what is new there, push. */
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "sync/parts.h"

#define DONE "done"

/* --- changes that a crash left uncommitted --- */

static void enqueue_record(struct sync *s, struct arena *a,
                           const struct journal_change *c)
{
    str *paths = ARENA_ARRAY(a, str, 2 * c->n + 1);
    size_t n = 0;
    for (size_t i = 0; i < c->n; i++) {
        paths[n++] = c->ops[i].path;
        if (c->ops[i].to.n > 0)
            paths[n++] = c->ops[i].to;
    }
    sync_enqueue(s, &(struct sync_change){.number = c->number,
                                          .paths = paths,
                                          .n = n,
                                          .tool = c->tool,
                                          .client = c->client,
                                          .user = c->who});
}

static void enqueue_since(struct sync *s, struct arena *a, struct journal *j)
{
    const struct journal_entry *list;
    size_t n = journal_entries(j, &list);
    struct err err;
    for (size_t i = 0; i < n; i++) {
        struct journal_change c;
        if (list[i].number > s->done && list[i].state != JOURNAL_ABORTED &&
            journal_read(j, a, list[i].number, false, &c, &err) &&
            !str_eq(c.tool, STR("sync")))
            enqueue_record(s, a, &c);
    }
}

/* Once, at the first round. Without a note of ours, all before now is not our business.
 */
static bool catch_up(struct sync *s, struct arena *a, struct err *err)
{
    struct changes *c = vault_changes(s->v, err);
    struct journal *j;
    const struct journal_entry *list;
    int64_t done;
    if (c == NULL || !changes_hold(c, &j, err))
        return false;
    size_t n = journal_entries(j, &list);
    if (str_to_int(str_trim_line(work_saved(&s->git, a, DONE)), &done)) {
        s->done = (uint64_t)done;
        enqueue_since(s, a, j);
    } else {
        s->done = n > 0 ? list[n - 1].number : 0;
    }
    changes_let_go(c);
    s->caught_up = true;
    return work_save(&s->git, DONE,
                     arena_printf(a, "%llu\n", (unsigned long long)s->done), err);
}

static bool note_done(struct sync *s, struct arena *a, uint64_t number, struct err *err)
{
    if (number <= s->done)
        return true;
    s->done = number;
    return work_save(&s->git, DONE, arena_printf(a, "%llu\n", (unsigned long long)number),
                     err);
}

/* --- committing --- */

/* A repository without commits gets all there is first. */
static bool first_commit(struct sync *s, struct arena *a, struct err *err)
{
    struct sync_change all = {.tool = STR("sync"), .message = STR("The vault as it is")};
    str head, id;
    return git_commit_of(&s->git, a, "HEAD", &head, err) &&
           (head.n > 0 || work_commit(&s->work, a, &all, true, &id, err));
}

static bool commit_waiting(struct sync *s, struct arena *a, struct err *err)
{
    for (struct pending *p; (p = sync_first(s)) != NULL; sync_drop_first(s)) {
        str id;
        if (!work_commit(&s->work, a, &p->change, s->git.config.add_all, &id, err) ||
            !note_done(s, a, p->change.number, err))
            return false;
        if (id.n > 0 && s->push_at == 0)
            s->push_at = clock_ms() + 1000 * (uint64_t)s->git.config.push_delay_s;
    }
    return true;
}

/* --- the remote --- */

static bool take_in(struct sync *s, struct arena *a, struct err *err)
{
    str theirs, head;
    bool known = false;
    if (!git_fetch(&s->git, a, 0, &theirs, err))
        return false;
    if (theirs.n == 0)
        return true;
    if (!git_commit_of(&s->git, a, "HEAD", &head, err) ||
        (head.n > 0 && !git_is_in(&s->git, a, theirs, head, &known, err)))
        return false;
    return known || work_pull(&s->work, a, theirs, err);
}

/* *moved: the remote has something new, which must come in first. */
static bool send(struct sync *s, struct arena *a, const struct round *r, bool *moved,
                 struct err *err)
{
    str head, theirs, out;
    *moved = false;
    if (!git_commit_of(&s->git, a, "HEAD", &head, err) ||
        !git_commit_of(&s->git, a, arena_str(a, s->git.tracking).p, &theirs, err))
        return false;
    if (head.n == 0 || str_eq(head, theirs))
        return true;
    if (!git_push(&s->git, a, head, r->last ? SYNC_STOP_PUSH_MS : 0, moved, err))
        return false;
    return *moved ||
           git_run(&s->git, a, GIT_HOW(0),
                   GIT_ARGS("update-ref", GIT_SEEN, arena_str(a, head).p), &out, err);
}

static bool exchange(struct sync *s, struct arena *a, const struct round *r,
                     struct err *err)
{
    bool pull = r->pull, moved = true;
    for (int i = 0; i < SYNC_PUSHES && moved; i++) {
        if (pull && !take_in(s, a, err))
            return false;
        if (!send(s, a, r, &moved, err))
            return false;
        pull = moved;
        if (moved && i > 0) /* others push all the time: not all at once */
            usleep((useconds_t)(clock_ns() % 200000));
        if (moved && r->last)
            break;
    }
    return !moved || err_set(err, ERR_BUSY, "the remote keeps moving on");
}

/* --- what is told --- */

static void count_commits(struct sync *s, struct arena *a)
{
    struct err err;
    str line, left = {0}, right = {0};
    int64_t ahead = -1, behind = -1;
    const char *range = arena_printf(a, "HEAD..." STR_FMT, STR_ARG(s->git.tracking)).p;
    if (git_line(&s->git, a, GIT_ARGS("rev-list", "--left-right", "--count", range),
                 &line, &err)) {
        str_next(&line, '\t', &left);
        str_next(&line, '\t', &right);
        if (!str_to_int(left, &ahead) || !str_to_int(right, &behind))
            ahead = behind = -1;
    }
    pthread_mutex_lock(&s->lock);
    s->state.ahead = ahead;
    s->state.behind = behind;
    pthread_mutex_unlock(&s->lock);
}

/* Loose objects become packs now and then; a failure costs nothing but space. */
static void tidy(struct sync *s, struct arena *a)
{
    struct err err;
    str out;
    if (clock_ms() < s->tidy_at)
        return;
    s->tidy_at = clock_ms() + SYNC_TIDY_MS;
    if (!git_run(&s->git, a, GIT_HOW(.network = true),
                 GIT_ARGS("-c", "gc.auto=2000", "-c", "gc.autoDetach=false", "gc",
                          "--auto", "--quiet"),
                 &out, &err))
        log_event(LOG_DEBUG, "git_gc", LOG_STR("why", str_c(err.msg)));
}

static bool work_round(struct sync *s, struct arena *a, const struct round *r,
                       struct err *err)
{
    if (!work_is_free(&s->git, err) || !work_recover(&s->work, a, err) ||
        (!s->caught_up && !catch_up(s, a, err)) || !first_commit(s, a, err) ||
        !commit_waiting(s, a, err))
        return false;
    bool due = r->pull || r->push || (s->push_at > 0 && s->push_at <= clock_ms());
    if (s->git.url.n > 0 && due) {
        if (!exchange(s, a, r, err))
            return false;
        s->push_at = 0;
    }
    if (!r->last)
        tidy(s, a);
    return true;
}

bool driver_git_round(struct sync *s, const struct round *r, struct err *err)
{
    struct arena a = {0};
    AUTO_CLOSE int lock = work_lock(&s->git);
    if (lock < 0)
        return err_set(err, ERR_BUSY, "another process syncs this vault");
    bool ok = work_round(s, &a, r, err);
    if (!r->last)
        count_commits(s, &a);
    arena_release(&a);
    return ok;
}
