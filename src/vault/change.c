#include "vault/change_parts.h"

#include <stdio.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/path.h"

/* A change on its way: the operations as the journal has them, and the new texts. */
struct making {
    struct changes *c;
    struct arena *a;
    struct journal_change record;
    str *texts; /* of the operations */
    size_t temps, done;
};

/* --- planning --- */

static int phase(enum journal_kind kind)
{
    static const int phases[] = {
        [JOURNAL_MAKE_FOLDER] = 0, [JOURNAL_WRITE] = 1,         [JOURNAL_DELETE] = 1,
        [JOURNAL_MOVE] = 2,        [JOURNAL_REMOVE_FOLDER] = 3,
    };
    return phases[kind];
}

static bool differs(struct err *err, const struct change_op *op,
                    const struct fs_seen *now)
{
    if (op->expects == CHANGE_NEW)
        return err_named(err, ERR_EXISTS, "FILE_EXISTS", "'" STR_FMT "' exists already",
                         STR_ARG(op->path));
    if (!now->exists)
        return err_named(err, ERR_NOT_FOUND, "FILE_NOT_FOUND", "File not found: " STR_FMT,
                         STR_ARG(op->path));
    return err_named(err, ERR_CONFLICT, "CONFLICT",
                     "'" STR_FMT "' was changed since it was read: read it again",
                     STR_ARG(op->path));
}

static bool is_expected(const struct change_op *op, const struct fs_seen *now)
{
    bool must_exist = op->kind == JOURNAL_DELETE || op->expects == CHANGE_SAME;
    if (op->expects == CHANGE_NEW)
        return !now->exists;
    if (must_exist && !now->exists)
        return false;
    return op->expects != CHANGE_SAME || hash_same(now->hash, op->was);
}

static bool look_at(struct making *m, str path, struct fs_seen *now, str *old,
                    struct err *err)
{
    struct fs_place p;
    *now = (struct fs_seen){0};
    *old = (str){0};
    if (!fs_place_open(m->c->root, m->a, path, &p, err))
        return err->code == ERR_NOT_FOUND;
    bool ok = fs_place_look(&p, CHANGE_FILE_MAX, now, old, m->a, err);
    fs_place_close(&p);
    return ok;
}

static void add_op(struct making *m, const struct journal_op *op, str text)
{
    m->texts[m->record.n] = text;
    m->record.ops[m->record.n++] = *op;
}

static bool plan_file(struct making *m, const struct change_op *op, struct err *err)
{
    struct fs_seen now;
    struct journal_op to = {.kind = op->kind, .path = op->path};
    if (!look_at(m, op->path, &now, &to.old, err))
        return false;
    if (!is_expected(op, &now))
        return differs(err, op, &now);
    to.existed = now.exists;
    to.before = now.hash;
    to.after = hash_content(op->text);
    if (op->kind == JOURNAL_WRITE && now.exists && hash_same(to.before, to.after))
        return true; /* nothing to do */
    add_op(m, &to, op->text);
    return true;
}

static bool makes_folder(const struct making *m, str path)
{
    for (size_t i = 0; i < m->record.n; i++)
        if (m->record.ops[i].kind == JOURNAL_MAKE_FOLDER &&
            str_eq(m->record.ops[i].path, path))
            return true;
    return false;
}

/* Folders on the way to path that are missing, outermost first. */
static bool plan_parents(struct making *m, str path, struct err *err)
{
    for (size_t i = 0; i < path.n; i++) {
        str folder = str_slice(path, 0, i);
        struct fs_info info;
        if (path.p[i] != '/' || makes_folder(m, folder) ||
            fs_stat(m->c->root, folder, &info, err))
            continue;
        if (err->code != ERR_NOT_FOUND)
            return false;
        add_op(m, &(struct journal_op){.kind = JOURNAL_MAKE_FOLDER, .path = folder},
               (str){0});
    }
    return true;
}

static bool plan_op(struct making *m, const struct change_op *op, struct err *err)
{
    if (op->kind == JOURNAL_WRITE || op->kind == JOURNAL_DELETE)
        return plan_file(m, op, err);
    if (op->kind == JOURNAL_MAKE_FOLDER && makes_folder(m, op->path))
        return true;
    add_op(m, &(struct journal_op){.kind = op->kind, .path = op->path, .to = op->to},
           (str){0});
    return true;
}

/* How many folders deep path is: as many may have to be made for it. */
static size_t depth(str path)
{
    size_t n = 0;
    for (size_t i = 0; i < path.n; i++)
        n += path.p[i] == '/';
    return n;
}

static bool plan(struct making *m, const struct change *change, struct err *err)
{
    size_t most = change->n;
    for (size_t i = 0; i < change->n; i++)
        most += depth(change->ops[i].path) + depth(change->ops[i].to);
    if (change->n > JOURNAL_OPS_MAX)
        return err_set(err, ERR_LIMIT, "a change touches at most %d files",
                       JOURNAL_OPS_MAX);
    m->record.ops = ARENA_ARRAY(m->a, struct journal_op, most);
    m->texts = ARENA_ARRAY(m->a, str, most);
    for (size_t i = 0; i < change->n; i++) {
        const struct change_op *op = &change->ops[i];
        bool makes = op->kind == JOURNAL_WRITE || op->kind == JOURNAL_MAKE_FOLDER;
        str new = makes ? op->path : op->to;
        if (new.n > 0 && !plan_parents(m, new, err))
            return false;
    }
    for (int step = 0; step <= phase(JOURNAL_REMOVE_FOLDER); step++)
        for (size_t i = 0; i < change->n; i++)
            if (phase(change->ops[i].kind) == step && !plan_op(m, &change->ops[i], err))
                return false;
    return true;
}

/* --- making --- */

static bool write_temp(struct making *m, size_t i, bool sync, struct err *err)
{
    char temp[CHANGE_TEMP_NAME];
    struct fs_place p;
    change_temp_name(temp, m->record.number, i);
    bool ok = fs_place_open(m->c->root, m->a, m->record.ops[i].path, &p, err) &&
              fs_temp_write(&p, temp, m->texts[i], err) &&
              (!sync || fs_temp_sync(&p, temp, err));
    fs_place_close(&p);
    return ok;
}

static void drop_temps(struct making *m)
{
    for (size_t i = 0; i < m->temps; i++) {
        char temp[CHANGE_TEMP_NAME];
        struct fs_place p;
        struct err ignored;
        if (m->record.ops[i].kind != JOURNAL_WRITE)
            continue;
        change_temp_name(temp, m->record.number, i);
        if (fs_place_open(m->c->root, m->a, m->record.ops[i].path, &p, &ignored))
            fs_temp_drop(&p, temp);
        fs_place_close(&p);
    }
}

static bool do_ops(struct making *m, int first, int last, struct err *err)
{
    for (; m->done < m->record.n; m->done++) {
        const struct journal_op *op = &m->record.ops[m->done];
        char temp[CHANGE_TEMP_NAME];
        change_temp_name(temp, m->record.number, m->done);
        if (phase(op->kind) < first || phase(op->kind) > last)
            return true;
        if (!change_do(m->c->root, m->a, op, temp, err))
            return false;
    }
    return true;
}

/* All new texts on disk, under names that nobody looks at. */
static bool write_temps(struct making *m, struct err *err)
{
    size_t writes = 0;
    for (size_t i = 0; i < m->record.n; i++)
        writes += m->record.ops[i].kind == JOURNAL_WRITE;
    for (; m->temps < m->record.n; m->temps++)
        if (m->record.ops[m->temps].kind == JOURNAL_WRITE &&
            !write_temp(m, m->temps, writes == 1, err)) {
            m->temps++;
            return false;
        }
    return writes < 2 || fs_sync_all(m->c->root, err);
}

static bool make_all(struct making *m, struct err *err)
{
    return do_ops(m, 0, 0, err) && write_temps(m, err) && do_ops(m, 1, 3, err) &&
           change_sync(m->c->root, m->a, m->record.ops, m->record.n, err);
}

/* Something failed: back to what was. What cannot be taken back stays open in the
 * journal. */
static enum journal_state take_back(struct making *m)
{
    drop_temps(m);
    while (m->done > 0) {
        char temp[CHANGE_TEMP_NAME];
        struct err err;
        change_temp_name(temp, m->record.number, --m->done);
        if (change_revert(m->c->root, m->a, &m->record.ops[m->done], temp, &err))
            continue;
        log_event(LOG_ERROR, "change_half_done", LOG_INT("change", m->record.number),
                  LOG_STR("path", m->record.ops[m->done].path),
                  LOG_STR("error", str_c(err.msg)));
        return JOURNAL_OPEN;
    }
    return JOURNAL_ABORTED;
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

static bool make(struct making *m, struct change_result *out, struct err *err)
{
    struct journal *j = m->c->journal;
    if (m->record.n == 0)
        return true;
    if (!journal_append(j, &m->record, err))
        return false;
    bool ok = make_all(m, err);
    enum journal_state state = ok ? JOURNAL_DONE : take_back(m);
    if (state != JOURNAL_OPEN)
        journal_end(j, m->record.number, state);
    if (!ok)
        return false;
    out->number = m->record.number;
    list_paths(m, out);
    return true;
}

/* Whether the same was asked for before, and done. */
static bool was_made(struct making *m, const struct change *change,
                     struct change_result *out, struct err *err)
{
    struct journal_change before;
    const struct journal_entry *e =
        journal_with_key(m->c->journal, change->key, clock_now() - CHANGE_REPEAT_S);
    if (e == NULL)
        return true;
    if (!journal_read(m->c->journal, m->a, e->number, false, &before, err))
        return false;
    if (!str_eq(before.key, change->key) || !str_eq(before.request, change->request))
        return err_named(err, ERR_CONFLICT, "KEY_REUSED",
                         "this idempotency_key was used for another change: take a new "
                         "one");
    *out = (struct change_result){
        .number = before.number, .repeated = true, .answer = before.answer};
    return true;
}

static bool make_locked(struct changes *c, struct arena *a, const struct change *change,
                        struct change_result *out, struct err *err)
{
    struct making m = {.c = c,
                       .a = a,
                       .record = {.time = clock_now(),
                                  .tool = change->tool,
                                  .who = change->who,
                                  .client = change->client,
                                  .key = change->key,
                                  .request = change->request,
                                  .answer = change->answer,
                                  .undoes = change->undoes}};
    *out = (struct change_result){.answer = change->answer};
    if (change->key.n > 0 && !was_made(&m, change, out, err))
        return false;
    return out->repeated || (plan(&m, change, err) && make(&m, out, err));
}

bool changes_make(struct changes *c, struct arena *a, const struct change *change,
                  struct change_result *out, struct err *err)
{
    struct journal *j;
    if (!changes_hold(c, &j, err))
        return false;
    bool ok = make_locked(c, a, change, out, err);
    if (ok)
        journal_prune(j, JOURNAL_KEPT_BYTES,
                      clock_now() - (int64_t)JOURNAL_KEPT_DAYS * 24 * 60 * 60);
    changes_let_go(c);
    return ok;
}

/* --- opening --- */

bool changes_hold(struct changes *c, struct journal **out, struct err *err)
{
    pthread_mutex_lock(&c->lock);
    *out = c->journal;
    if (journal_lock(c->journal, err))
        return true;
    pthread_mutex_unlock(&c->lock);
    return false;
}

void changes_let_go(struct changes *c)
{
    journal_unlock(c->journal);
    pthread_mutex_unlock(&c->lock);
}

bool changes_open(const struct fs_root *root, const char *folder, struct changes **out,
                  struct err *err)
{
    struct changes *c = mem_zero(sizeof(*c));
    struct journal *j;
    c->root = root;
    c->folder = mem_str(str_c(folder));
    pthread_mutex_init(&c->lock, NULL);
    if (!journal_open(folder, &c->journal, err)) {
        changes_close(c);
        return false;
    }
    bool ok = changes_hold(c, &j, err);
    if (ok) {
        ok = change_recover(c, err);
        changes_let_go(c);
    }
    if (ok)
        *out = c;
    else
        changes_close(c);
    return ok;
}

void changes_close(struct changes *c)
{
    if (c == NULL)
        return;
    journal_close(c->journal);
    pthread_mutex_destroy(&c->lock);
    free(c->folder);
    free(c);
}
