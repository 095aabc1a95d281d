/* Move HEAD, so that an interrupted step can be finished after a crash. */
#include "base/os/ready.h"
#include "base/sbuf.h"
#include "sync/git.h"
#include "sync/pending.h"
#include "sync/work.h"
#include "vault/change/change.h"
#include "vault/change/journal.h"
#include "vault/vault.h"

#define UNDER_WAY "under-way"
#define DONE "done"

/* --- which changes are committed --- */

void work_pulled(struct work *w, uint64_t number)
{
    if (number == w->covered + 1) /* else there is a change before it to commit first */
        w->covered = number;
}

bool work_note_done(struct work *w, struct arena *a, uint64_t number, struct err *err)
{
    if (number > w->covered)
        w->covered = number;
    if (number <= w->done)
        return true;
    w->done = number;
    return work_save(w->g, DONE, arena_printf(a, "%llu\n", (unsigned long long)number),
                     err);
}

bool work_read_done(struct work *w, struct arena *a, int64_t since, struct err *err)
{
    int64_t saved;
    bool known = str_to_int(str_trim_line(work_saved(w->g, a, DONE)), &saved);
    uint64_t done = known ? (uint64_t)saved : 0;
    if (!pending_since(w->v, since, known, &done, err))
        return false;
    w->done = done;
    if (done > w->covered)
        w->covered = done;
    return (known && done == (uint64_t)saved) ||
           work_save(w->g, DONE, arena_printf(a, "%llu\n", (unsigned long long)done),
                     err);
}

/* --- HEAD --- */

bool work_begin(struct work *w, struct arena *a, const struct work_step *s,
                struct err *err)
{
    /* of the previous step, at most the user's index is not up to date */
    if (work_saved(w->g, a, UNDER_WAY).n > 0 && !work_recover(w, a, err))
        return false;
    str text =
        arena_printf(a, STR_FMT "\n" STR_FMT "\n" STR_FMT "\n%llu\n", STR_ARG(s->from),
                     STR_ARG(s->to), STR_ARG(s->key), (unsigned long long)s->done);
    return work_save(w->g, UNDER_WAY, text, err);
}

void work_cancel(struct work *w)
{
    work_forget(w->g, UNDER_WAY);
}

/* update-ref with the old value: if another process was faster, we start again. */
static bool move_head(struct work *w, struct arena *a, const struct work_step *s,
                      struct err *err)
{
    struct sbuf refs = SBUF_ON(a);
    str ignored, none = STR("\"\"");
    sbuf_printf(&refs, "update HEAD " STR_FMT " " STR_FMT "\n", STR_ARG(s->to),
                STR_ARG(s->from.n > 0 ? s->from : none));
    if (s->seen.n > 0)
        sbuf_printf(&refs, "update " GIT_SEEN " " STR_FMT "\n", STR_ARG(s->seen));
    return git_run(w->g, a, GIT_HOW(.input = sbuf_str(&refs)),
                   GIT_ARGS("update-ref", "-m", "vaultd", "--stdin"), &ignored, err);
}

/* The user's git locks their index for a moment, also to read it. */
static bool users_index_soon(struct work *w, struct arena *a, const struct work_step *s,
                             struct err *err)
{
    enum { TRIES = 10, PAUSE_MS = 30 };
    bool ok = false;
    for (int i = 0; i < TRIES && !ok; i++) {
        if (i > 0)
            ready_pause(PAUSE_MS);
        ok = work_users_index(w, a, s, err);
    }
    return ok;
}

bool work_advance(struct work *w, struct arena *a, const struct work_step *s,
                  struct err *err)
{
    struct err later;
    if (!move_head(w, a, s, err) || !work_note_done(w, a, s->done, err))
        return false;
    /* if their index stays locked, it is updated next time */
    if (users_index_soon(w, a, s, &later))
        work_cancel(w);
    else
        work_notice(w, STR("index"), later.msg);
    return work_index_step(w, a, s, err);
}

/* A step without a key belongs to no change. Fails if the journal cannot be read now. */
static bool was_made(struct work *w, str key, bool *made, struct err *err)
{
    struct journal *j;
    *made = key.n == 0;
    if (*made)
        return true;
    struct changes *c = vault_changes(w->v, err);
    if (c == NULL || !changes_lock_all(c, &j, err))
        return false;
    const struct journal_entry *e = journal_with_key(j, key, 0);
    *made = e != NULL && e->state != JOURNAL_ABORTED;
    changes_unlock(c);
    return true;
}

bool work_recover(struct work *w, struct arena *a, struct err *err)
{
    struct work_step s = {0};
    str text = work_saved(w->g, a, UNDER_WAY), head, known, number = {0};
    int64_t done = 0;
    if (text.n == 0)
        return true;
    str_next(&text, '\n', &s.from);
    str_next(&text, '\n', &s.to);
    str_next(&text, '\n', &s.key);
    str_next(&text, '\n', &number);
    if (str_to_int(number, &done) && done > 0)
        s.done = (uint64_t)done;
    if (!git_commit_of(w->g, a, "HEAD", &head, err) ||
        !git_commit_of(w->g, a, arena_str(a, s.to).p, &known, err))
        return false;
    bool moved = str_eq(head, s.to), stays = str_eq(head, s.from) && known.n > 0;
    bool made = false;
    if (stays && !was_made(w, s.key, &made, err))
        return false;
    if (made)
        return work_advance(w, a, &s, err);
    if (moved && (!work_note_done(w, a, s.done, err) || !work_users_index(w, a, &s, err)))
        return false;
    work_cancel(w);
    return true;
}
