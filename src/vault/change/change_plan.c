/* Compares the requested operations with the files and decides what has to be done. */
#include "base/path.h"
#include "vault/change/change_parts.h"

int change_phase(enum journal_kind kind)
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
        return err_named(err, E_FILE_EXISTS, "'" STR_FMT "' already exists",
                         STR_ARG(op->path));
    if (!now->exists)
        return err_named(err, E_FILE_NOT_FOUND, "File not found: " STR_FMT,
                         STR_ARG(op->path));
    return err_named(err, E_CONFLICT,
                     "'" STR_FMT "' has changed since it was read: read it again",
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

static bool change_plan_look_at(struct making *m, str path, struct fs_seen *now, str *old,
                                struct err *err)
{
    return fs_look(m->root, m->a, path, CHANGE_FILE_MAX, now, old, err);
}

/* was: what a file was before, or NULL. */
static void add_op(struct making *m, const struct journal_op *op,
                   const struct fs_seen *was, str text, unsigned mode)
{
    m->was[m->record.n] = was != NULL ? *was : (struct fs_seen){0};
    m->texts[m->record.n] = text;
    m->modes[m->record.n] = mode;
    m->record.ops[m->record.n++] = *op;
}

static bool plan_file(struct making *m, const struct change_op *op, struct err *err)
{
    struct fs_seen now;
    struct journal_op to = {.kind = op->kind, .path = op->path};
    if (op->text.n > CHANGE_FILE_MAX)
        return err_named(err, E_FILE_TOO_LARGE,
                         "'" STR_FMT "' would be larger than %d bytes", STR_ARG(op->path),
                         CHANGE_FILE_MAX);
    if (!change_plan_look_at(m, op->path, &now, &to.old, err))
        return false;
    if (!is_expected(op, &now))
        return differs(err, op, &now);
    to.existed = now.exists;
    to.before = now.hash;
    to.after = hash_content(op->text);
    to.mode = now.mode;
    to.is = (struct journal_identity){now.info.inode, now.info.born_ns, now.info.size};
    if (op->kind == JOURNAL_WRITE && now.exists && hash_same(to.before, to.after))
        return true; /* nothing to do */
    if (op->kind == JOURNAL_WRITE)
        change_remember_write(m, op->path);
    add_op(m, &to, &now, op->text, op->mode);
    return true;
}

/* Whether a move will bring folder into existence. */
static bool comes_by_move(const struct making *m, str folder)
{
    for (size_t i = 1; m->brought.n > 0 && i <= folder.n; i++)
        if ((i == folder.n || folder.p[i] == '/') &&
            map_find(&m->brought, str_slice(folder, 0, i)) != MAP_NONE)
            return true;
    return false;
}

/* Add the missing parent folders of path, outermost first. */
static bool plan_parents(struct making *m, str path, struct err *err)
{
    for (size_t i = 0; i < path.n; i++) {
        str folder = str_slice(path, 0, i);
        struct fs_info info;
        if (path.p[i] != '/' || !map_add_new(&m->looked, folder) ||
            fs_stat(m->root, folder, &info, err))
            continue;
        if (err->code != ERR_NOT_FOUND)
            return false;
        if (!comes_by_move(m, folder) && map_add_new(&m->made, folder))
            add_op(m, &(struct journal_op){.kind = JOURNAL_MAKE_FOLDER, .path = folder},
                   NULL, (str){0}, 0);
    }
    return true;
}

/* The mode of a folder. One that a move will bring does not exist yet: its mode is
 * unknown, which is not an error. */
static bool mode_of(struct making *m, str path, unsigned *mode, struct err *err)
{
    struct fs_place p;
    struct file_stat st;
    bool exists = false;
    bool ok = fs_place_open_named(m->root, m->a, path, &p, err) &&
              fs_place_stat(&p, &exists, &st, err);
    fs_place_close(&p);
    if (exists)
        *mode = st.mode;
    return ok || !change_may_pass(err);
}

/* A file that is moved may have to be as it was read. */
static bool is_to_move(struct making *m, const struct change_op *op, struct err *err)
{
    struct fs_seen now;
    str text;
    return op->expects == CHANGE_ANY ||
           (change_plan_look_at(m, op->path, &now, &text, err) &&
            (is_expected(op, &now) || differs(err, op, &now)));
}

static bool plan_op(struct making *m, const struct change_op *op, struct err *err)
{
    unsigned mode = 0;
    if (op->kind == JOURNAL_WRITE || op->kind == JOURNAL_DELETE)
        return plan_file(m, op, err);
    if (op->kind == JOURNAL_MAKE_FOLDER && !map_add_new(&m->made, op->path))
        return true;
    if (op->kind == JOURNAL_MOVE && !is_to_move(m, op, err))
        return false;
    if (op->kind == JOURNAL_REMOVE_FOLDER && !mode_of(m, op->path, &mode, err))
        return false;
    struct journal_op to = {
        .kind = op->kind, .path = op->path, .to = op->to, .mode = mode};
    if (op->kind == JOURNAL_MOVE && !change_plan_move(m, &to, err))
        return false;
    add_op(m, &to, NULL, (str){0}, op->mode);
    return true;
}

/* How many parent folders path has, and so how many may have to be made. */
static size_t depth(str path)
{
    size_t n = 0;
    for (size_t i = 0; i < path.n; i++)
        n += path.p[i] == '/';
    return n;
}

static bool too_many(struct err *err)
{
    return err_set(err, ERR_LIMIT, "a change touches at most %d files and folders",
                   JOURNAL_OPS_MAX);
}

bool change_plan(struct making *m, const struct change *change, struct err *err)
{
    size_t most = change->n;
    if (change->n > JOURNAL_OPS_MAX)
        return too_many(err);
    m->brought.arena = m->looked.arena = m->made.arena = m->a;
    for (size_t i = 0; i < change->n; i++) {
        most += depth(change->ops[i].path) + depth(change->ops[i].to);
        if (change->ops[i].to.n > 0)
            map_add(&m->brought, change->ops[i].to);
    }
    m->record.ops = ARENA_ARRAY(m->a, struct journal_op, most);
    m->was = ARENA_ARRAY(m->a, struct fs_seen, most);
    m->texts = ARENA_ARRAY(m->a, str, most);
    m->modes = ARENA_ARRAY(m->a, unsigned, most);
    for (size_t i = 0; i < change->n; i++) {
        const struct change_op *op = &change->ops[i];
        bool makes = op->kind == JOURNAL_WRITE || op->kind == JOURNAL_MAKE_FOLDER;
        str made = makes ? op->path : op->to;
        if (made.n > 0 && !plan_parents(m, made, err))
            return false;
    }
    for (int step = 0; step <= change_phase(JOURNAL_REMOVE_FOLDER); step++)
        for (size_t i = 0; i < change->n; i++)
            if (change_phase(change->ops[i].kind) == step &&
                !plan_op(m, &change->ops[i], err))
                return false;
    return m->record.n <= JOURNAL_OPS_MAX || too_many(err);
}
