#include <errno.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/os/machine.h"
#include "vault/change/change_parts.h"
#include "vault/change/journal.h"

/* --- making --- */

static bool write_temp(struct making *m, size_t i, bool sync, struct err *err)
{
    char temp[CHANGE_TEMP_NAME];
    struct fs_place p;
    change_temp_name(temp, &m->record, i);
    bool written =
        change_place(m->root, m->a, m->record.ops[i].path, &m->was[i], &p, err) &&
        fs_temp_write(&p, temp, m->texts[i], m->modes[i], err);
    bool ok = written && (!sync || fs_temp_sync(&p, temp, err));
    if (written && !ok)
        fs_temp_drop(&p, temp);
    fs_place_close(&p);
    return ok;
}

static bool do_ops(struct making *m, int first, int last, struct err *err)
{
    for (; m->done < m->record.n; m->done++) {
        const struct journal_op *op = &m->record.ops[m->done];
        char temp[CHANGE_TEMP_NAME];
        change_temp_name(temp, &m->record, m->done);
        if (change_phase(op->kind) < first || change_phase(op->kind) > last)
            return true;
        if (!change_do(m->root, m->a, op, &m->was[m->done], m->modes[m->done], temp, err))
            return false;
    }
    return true;
}

/* Write all new texts to disk under temporary names. One file is synced by itself; with
 * several, one sync of the whole file system is cheaper. */
static bool write_temps(struct making *m, struct err *err)
{
    size_t writes = 0;
    for (size_t i = 0; i < m->record.n; i++)
        writes += m->record.ops[i].kind == JOURNAL_WRITE;
    for (; m->temps < m->record.n; m->temps++)
        if (m->record.ops[m->temps].kind == JOURNAL_WRITE &&
            !write_temp(m, m->temps, writes == 1, err))
            return false;
    return writes < 2 || fs_sync_all(m->root, err);
}

static bool make_all(struct making *m, struct err *err)
{
    return do_ops(m, 0, 0, err) && write_temps(m, err) && do_ops(m, 1, 3, err) &&
           change_sync(m->root, m->a, &m->record, m->was, err);
}

/* Restore the previous state after a failure. If that fails, too, the change stays open
 * in the journal, and rolling back is tried again before the next change. */
static enum journal_state roll_back(struct making *m)
{
    struct err err;
    struct journal_change written = m->record;
    written.n = m->temps; /* a later temporary name may be someone else's file */
    change_drop_temps(m->c, m->a, &written);
    if (change_revert_all(m->c, m->a, &m->record, m->done, &err) &&
        change_sync(m->c->root, m->a, &m->record, NULL, &err))
        return JOURNAL_ABORTED;
    log_event(LOG_ERROR, "change_half_done", LOG_INT("change", m->record.number),
              LOG_STR("error", str_c(err.msg)));
    return JOURNAL_OPEN;
}

static void list_paths(struct making *m, struct change_result *out)
{
    out->paths = ARENA_ARRAY(m->a, str, 2 * m->record.n);
    for (size_t i = 0; i < m->record.n; i++) {
        const struct journal_op *op = &m->record.ops[i];
        out->paths[out->n_paths++] = op->path;
        if (op->to.n > 0)
            out->paths[out->n_paths++] = op->to;
    }
}

static bool change_precommit(const struct change_guard *guard, struct err *err)
{
    return guard->precommit == NULL || guard->precommit(guard->precommit_arg, err);
}

static bool change_make(struct making *m, struct change_result *out, struct err *err)
{
    struct journal *j = m->c->journal;
    if (m->record.n == 0)
        return true;
    if (!journal_make_room(j, &m->record, m->c->bytes, err) ||
        !journal_append(j, &m->record, err))
        return false;
    bool ok = make_all(m, err) && change_precommit(m->guard, err);
    enum journal_state state = ok ? JOURNAL_DONE : roll_back(m);
    if (state != JOURNAL_OPEN)
        journal_end(j, m->record.number, state);
    if (!ok)
        return false;
    out->number = m->record.number;
    list_paths(m, out);
    return true;
}

bool change_key_reused(struct err *err)
{
    return err_named(err, E_KEY_REUSED,
                     "this idempotency_key was used for another change: use a new one");
}

bool change_was_made(struct changes *c, struct arena *a, const struct idempotency *once,
                     struct journal_change *before, struct err *err)
{
    const struct journal_entry *e = journal_with_key(
        c->journal, once->key, change_date(c, clock_now()) - CHANGE_REPEAT_S);
    *before = (struct journal_change){0};
    if (e == NULL)
        return true;
    return journal_read(c->journal, a, e->number, false, before, err) &&
           ((str_eq(before->key, once->key) && str_eq(before->request, once->request)) ||
            change_key_reused(err));
}

struct change_result change_repeated(const struct journal_change *before)
{
    return (struct change_result){
        .number = before->number, .repeated = true, .answer = before->answer};
}

bool change_make_held(struct changes *c, struct arena *a, const struct change *change,
                      struct change_result *out, struct err *err)
{
    int64_t now = clock_now();
    struct making m = {.c = c,
                       .root = change->guard.root != NULL ? change->guard.root : c->root,
                       .a = a,
                       .guard = &change->guard,
                       .record = {.time = now,
                                  .dated = change_date(c, now),
                                  .confirmed = change->by.confirmed,
                                  .concealed = change->concealed,
                                  .tool = change->by.tool,
                                  .who = change->by.who,
                                  .client = change->by.client,
                                  .grant = change->by.grant,
                                  .accepted_by = change->by.accepted_by,
                                  .key = change->once.key,
                                  .request = change->once.request,
                                  .answer = change->once.answer,
                                  .undoes = change->undoes,
                                  .files = change->files}};
    *out = (struct change_result){.answer = change->once.answer};
    return change_plan(&m, change, err) && change_make(&m, out, err);
}

static bool make_once(struct changes *c, struct arena *a, const struct change *change,
                      struct change_result *out, struct err *err)
{
    struct journal_change before;
    if (!change_recover(c, err) || !change_was_made(c, a, &change->once, &before, err))
        return false;
    if (before.number == 0)
        return change_make_held(c, a, change, out, err);
    *out = change_repeated(&before);
    return true;
}

bool changes_make(struct changes *c, struct arena *a, const struct change *change,
                  struct change_result *out, struct err *err)
{
    struct journal *j;
    if (!changes_lock_all(c, &j, err))
        return false;
    bool ok = make_once(c, a, change, out, err);
    changes_unlock(c);
    return ok;
}

bool changes_was_made(struct changes *c, struct arena *a, const struct idempotency *once,
                      struct journal_change *before, struct err *err)
{
    struct journal *j;
    if (!changes_lock_all(c, &j, err))
        return false;
    bool ok = change_recover(c, err) && change_was_made(c, a, once, before, err);
    changes_unlock(c);
    return ok;
}

/* --- opening --- */

static bool changes_closing(void *arg)
{
    return atomic_load(&((struct changes *)arg)->closing);
}

/* Without locks, as on some network file systems, only the hashes of the files reveal a
 * change by another server. */
static bool lock_vault(void *arg)
{
    const struct changes *c = arg;
    return file_lock(c->vault) || (errno != EWOULDBLOCK && errno != EINTR);
}

/* Lock out the other programs; who: the one that is in the way. */
static bool lock_others(struct changes *c, const struct stop *stop, const char **who,
                        struct err *err)
{
    *who = "another vaultd";
    if (!journal_lock(c->journal, stop, err))
        return false;
    if (timed_lock_poll(lock_vault, c, stop))
        return true;
    journal_unlock(c->journal);
    *who = "another program";
    return err_named(err, E_BUSY,
                     "another program has locked this vault's folder%s: nothing can be "
                     "changed until it ends; try again later",
                     machine_system() == MACHINE_LINUX ? " ('lslocks' shows which)" : "");
}

/* Whether another program was in the way a moment ago. It may have gone since the last
 * look, so that is not remembered for longer than anybody waits for it. */
static bool is_blocked(const struct changes *c)
{
    uint64_t seen = atomic_load(&c->seen);
    return atomic_load(&c->blocked) != 0 && clock_ms() - seen <= CHANGE_LOCK_MS;
}

static void note_blocked(struct changes *c, const char *who)
{
    uint64_t now = clock_ms();
    if (!is_blocked(c))
        atomic_store(&c->blocked, now);
    atomic_store(&c->seen, now);
    atomic_store(&c->blocker, who);
}

/* The first try shows whether another program is in the way. All who wait for it give up
 * at the same time, and later callers do not wait at all. */
static bool wait_for_others(struct changes *c, unsigned ms, struct err *err)
{
    struct stop stop = {changes_closing, c, 1};
    const char *who;
    bool got = lock_others(c, &stop, &who, err);
    if (!got && err->name == E_BUSY) {
        note_blocked(c, who);
        stop.until = atomic_load(&c->blocked) + ms;
        got = lock_others(c, &stop, &who, err);
        atomic_store(&c->seen, clock_ms());
    }
    if (got)
        atomic_store(&c->blocked, 0);
    return got;
}

/* Lock out the other threads. */
static bool lock_threads(struct changes *c, unsigned ms, struct err *err)
{
    struct stop stop = stop_within(&(struct stop){changes_closing, c, 0}, ms);
    return timed_lock_take(&c->lock, &stop) ||
           err_named(
               err, E_BUSY,
               "other changes to this vault are still in progress: try again later");
}

static bool changes_lock(struct changes *c, unsigned ms, struct err *err)
{
    if (!lock_threads(c, ms, err))
        return false;
    if (wait_for_others(c, ms, err))
        return true;
    timed_lock_drop(&c->lock);
    return false;
}

bool changes_lock_all(struct changes *c, struct journal **out, struct err *err)
{
    *out = c->journal;
    return changes_lock(c, CHANGE_LOCK_MS, err);
}

void changes_unlock(struct changes *c)
{
    file_unlock(c->vault);
    journal_unlock(c->journal);
    timed_lock_drop(&c->lock);
}

bool changes_files_by(struct changes *c, str grant, int64_t seconds, size_t *n,
                      struct err *err)
{
    struct journal *j;
    if (!changes_lock_all(c, &j, err))
        return false;
    /* After a clock was set back, the date stands still until the clock has reached it
     * again: then only the clock shows how old the changes since are. */
    int64_t now = clock_now(), date = change_date(c, now);
    *n = journal_files_by(j, grant, date - seconds, date > now ? now - seconds : 0);
    changes_unlock(c);
    return true;
}

bool changes_reopen(struct changes *c, int fd, struct err *err)
{
    struct err ignored;
    int vault;
    if (!lock_threads(c, CHANGE_REOPEN_MS, err))
        return false;
    bool ok = file_renumber(fd, c->root->fd) ||
              err_sys(err, "the vault's folder cannot be opened");
    if (ok && fs_open_folder(c->root, (str){0}, true, &vault, &ignored)) {
        file_close(c->vault);
        c->vault = vault;
    }
    timed_lock_drop(&c->lock);
    return ok;
}

void changes_limit(struct changes *c, size_t bytes)
{
    c->bytes = bytes;
}

void changes_begin_at(struct changes *c, uint64_t first)
{
    journal_begin_at(c->journal, first);
}

bool changes_open(const struct fs_root *root, const char *folder, struct changes **out,
                  struct err *err)
{
    struct changes *c = mem_zero(sizeof(*c));
    c->root = root;
    c->folder = mem_str(str_c(folder));
    c->bytes = JOURNAL_KEPT_BYTES;
    c->vault = -1;
    timed_lock_init(&c->lock, LOCK_JOURNAL);
    if (!fs_open_folder(root, (str){0}, true, &c->vault, err) ||
        !journal_open(folder, &c->journal, err)) {
        changes_close(c);
        return false;
    }
    bool locked = changes_lock(c, JOURNAL_OPEN_MS, err);
    if (!locked && err->name != E_BUSY) {
        changes_close(c);
        return false;
    }
    if (locked)
        (void)change_date(c, clock_now()); /* a doubt is known from the start */
    if (!locked ||
        !change_recover(c, err)) /* reading works; the next change tries again */
        log_event(LOG_ERROR, "not_recovered", LOG_STR("error", str_c(err->msg)));
    if (locked)
        changes_unlock(c);
    *out = c;
    return true;
}

void changes_stop(struct changes *c)
{
    if (c != NULL)
        atomic_store(&c->closing, true);
}

const char *changes_blocked(struct changes *c, uint64_t *ms)
{
    bool blocked = is_blocked(c); /* first: `seen` is written after `blocked` */
    uint64_t since = atomic_load(&c->blocked);
    if (!blocked || since == 0)
        return NULL;
    *ms = clock_ms() - since;
    return atomic_load(&c->blocker);
}

void changes_close(struct changes *c)
{
    if (c == NULL)
        return;
    journal_close(c->journal);
    file_close(c->vault);
    timed_lock_release(&c->lock);
    free(c->folder);
    free(c);
}
