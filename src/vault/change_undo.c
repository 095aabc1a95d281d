/* Taking changes back: after a crash, and when somebody asks for it. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/path.h"
#include "base/sbuf.h"
#include "vault/change_parts.h"

/* --- after a crash --- */

/* A temp file that holds neither the old nor the new text may be somebody's only copy. */
static void keep_leftover(struct changes *c, struct arena *a, str text, const char *name)
{
    str path =
        arena_printf(a, "%s/leftover-%lld%s", c->folder, (long long)clock_now(), name);
    AUTO_CLOSE int fd = open(path.p, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    bool ok = fd >= 0 && write(fd, text.p, text.n) == (ssize_t)text.n && fsync(fd) == 0;
    log_event(LOG_WARN, "leftover_kept", LOG_STR("file", path),
              LOG_STR("written", ok ? STR("yes") : STR("no")));
}

static void clean_temp(struct changes *c, struct arena *a, const struct journal_op *op,
                       const char *temp)
{
    struct fs_place p, at;
    struct fs_seen seen;
    struct err err;
    str text;
    if (!fs_place_open(c->root, a, op->path, &p, &err))
        return;
    at = p;
    snprintf(at.name, sizeof(at.name), "%s", temp);
    if (fs_place_look(&at, CHANGE_FILE_MAX, &seen, &text, a, &err) && seen.exists) {
        bool ours = hash_same(seen.hash, op->before) || hash_same(seen.hash, op->after);
        if (!ours && op->existed)
            keep_leftover(c, a, text, temp);
        fs_temp_drop(&p, temp);
    }
    fs_place_close(&p);
}

/* Operations were made in order, so the last one tells whether all were. */
static bool is_complete(struct changes *c, struct arena *a,
                        const struct journal_change *change)
{
    const struct journal_op *last = &change->ops[change->n - 1];
    str path =
        last->kind == JOURNAL_MOVE ? last->path : change_moved(a, change, last->path);
    return change_look(c->root, a, last, path) != CHANGE_BEFORE;
}

static void revert_all(struct changes *c, struct arena *a,
                       const struct journal_change *change)
{
    for (size_t i = change->n; i-- > 0;) {
        const struct journal_op *op = &change->ops[i];
        char temp[CHANGE_TEMP_NAME];
        struct err err;
        change_temp_name(temp, change->number, i);
        if (change_look(c->root, a, op, op->path) == CHANGE_AFTER &&
            !change_revert(c->root, a, op, temp, &err))
            log_event(LOG_ERROR, "not_taken_back", LOG_STR("path", op->path),
                      LOG_STR("error", str_c(err.msg)));
    }
}

static void finish(struct changes *c, struct arena *a,
                   const struct journal_change *change)
{
    struct err err;
    bool complete = is_complete(c, a, change);
    for (size_t i = 0; i < change->n; i++) {
        char temp[CHANGE_TEMP_NAME];
        change_temp_name(temp, change->number, i);
        if (change->ops[i].kind == JOURNAL_WRITE)
            clean_temp(c, a, &change->ops[i], temp);
    }
    if (!complete)
        revert_all(c, a, change);
    if (!change_sync(c->root, a, change->ops, change->n, &err))
        log_event(LOG_WARN, "recovery", LOG_STR("error", str_c(err.msg)));
    log_event(LOG_INFO, "recovered", LOG_INT("change", change->number),
              LOG_STR("outcome", complete ? STR("done") : STR("taken back")));
    journal_end(c->journal, change->number, complete ? JOURNAL_DONE : JOURNAL_ABORTED);
}

bool change_recover(struct changes *c, struct err *err)
{
    const struct journal_entry *entries;
    size_t n = journal_entries(c->journal, &entries);
    if (n == 0 || entries[n - 1].state != JOURNAL_OPEN)
        return true;
    struct arena a = {0};
    struct journal_change change;
    bool ok = journal_read(c->journal, &a, entries[n - 1].number, true, &change, err);
    if (ok && change.n > 0)
        finish(c, &a, &change);
    arena_release(&a);
    return ok;
}

/* --- when somebody asks --- */

str change_moved(struct arena *a, const struct journal_change *c, str path)
{
    for (size_t i = 0; i < c->n; i++) {
        const struct journal_op *op = &c->ops[i];
        if (op->kind != JOURNAL_MOVE || !str_starts(path, op->path))
            continue;
        str rest = str_skip(path, op->path.n);
        if (rest.n == 0 || rest.p[0] == '/')
            path = arena_printf(a, STR_FMT STR_FMT, STR_ARG(op->to), STR_ARG(rest));
    }
    return path;
}

static struct change_op inverse(struct arena *a, const struct journal_change *c,
                                const struct journal_op *op)
{
    struct change_op to = {.path = change_moved(a, c, op->path), .text = op->old};
    switch (op->kind) {
    case JOURNAL_WRITE:
        to.kind = op->existed ? JOURNAL_WRITE : JOURNAL_DELETE;
        to.expects = CHANGE_SAME;
        to.was = op->after;
        break;
    case JOURNAL_DELETE:
        to.kind = JOURNAL_WRITE;
        to.expects = CHANGE_NEW;
        break;
    case JOURNAL_MOVE:
        to = (struct change_op){.kind = JOURNAL_MOVE, .path = op->to, .to = op->path};
        break;
    case JOURNAL_MAKE_FOLDER:
        to.kind = JOURNAL_REMOVE_FOLDER;
        break;
    case JOURNAL_REMOVE_FOLDER:
        to.kind = JOURNAL_MAKE_FOLDER;
        break;
    }
    return to;
}

/* Files that are not as the change left them; at most some of them by name. */
static bool check_untouched(struct changes *c, struct arena *a,
                            const struct journal_change *change, struct err *err)
{
    enum { NAMED = 5 };
    struct sbuf names = SBUF_ON(a);
    size_t touched = 0;
    for (size_t i = 0; i < change->n; i++) {
        const struct journal_op *op = &change->ops[i];
        str path =
            op->kind == JOURNAL_MOVE ? op->path : change_moved(a, change, op->path);
        if (change_look(c->root, a, op, path) == CHANGE_AFTER)
            continue;
        if (touched++ < NAMED)
            sbuf_printf(&names, "%s'" STR_FMT "'", touched > 1 ? ", " : "",
                        STR_ARG(op->kind == JOURNAL_MOVE ? op->to : path));
    }
    if (touched == 0)
        return true;
    return err_named(err, ERR_CONFLICT, "CONFLICT",
                     "change %llu was not undone: " STR_FMT "%s touched since",
                     (unsigned long long)change->number, STR_ARG(sbuf_str(&names)),
                     touched > NAMED ? " and others were"
                     : touched > 1   ? " were"
                                     : " was");
}

/* A folder that has got other files since stays. */
static bool keeps_folder(struct changes *c, struct arena *a,
                         const struct journal_change *change, const struct journal_op *op)
{
    struct fs_list list;
    struct err err;
    if (op->kind != JOURNAL_MAKE_FOLDER || !fs_list(c->root, a, op->path, &list, &err))
        return false;
    for (size_t i = 0; i < list.n; i++) {
        str path = path_join(a, op->path, list.entries[i].name);
        bool ours = false;
        for (size_t k = 0; k < change->n && !ours; k++)
            ours = str_eq(path, change->ops[k].path) || str_eq(path, change->ops[k].to);
        if (!ours)
            return true;
    }
    return false;
}

bool changes_undo(struct changes *c, struct arena *a, uint64_t number,
                  const struct change *as, struct change_result *out, struct err *err)
{
    struct journal *j;
    struct journal_change change;
    if (!changes_hold(c, &j, err))
        return false;
    const struct journal_entry *e = journal_find(j, number);
    bool ok = journal_read(j, a, number, true, &change, err);
    if (ok && (e->undone_by > 0 || e->state == JOURNAL_ABORTED))
        ok = err_named(err, ERR_CONFLICT, "CONFLICT", "change %llu is %s",
                       (unsigned long long)number,
                       e->undone_by > 0 ? "undone already" : "one that failed");
    ok = ok && check_untouched(c, a, &change, err);
    struct change undo = *as;
    undo.undoes = number;
    undo.n = 0;
    undo.ops = ARENA_ARRAY(a, struct change_op, change.n);
    for (size_t i = ok ? change.n : 0; i-- > 0;)
        if (!keeps_folder(c, a, &change, &change.ops[i]))
            undo.ops[undo.n++] = inverse(a, &change, &change.ops[i]);
    changes_let_go(c);
    return ok && changes_make(c, a, &undo, out, err);
}
