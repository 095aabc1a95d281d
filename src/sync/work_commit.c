/* What was changed in the vault becomes a commit. */
#include "sync/message.h"
#include "sync/tree_path.h"
#include "sync/work.h"

struct committing {
    struct work *w;
    struct arena *a;
    struct git_entry *edits;
    size_t n;
    str *texts, *ids, *paths; /* texts and ids: of files that are there */
    size_t n_texts, n_ids;
    struct arena contents; /* of texts that have no id yet */
    size_t bytes;
};

static void add(struct committing *c, str path, unsigned mode)
{
    c->paths[c->n] = path;
    c->edits[c->n++] = (struct git_entry){.path = path, .mode = mode};
}

/* Links and what is too large stay as they are in the repository. */
static void take(struct committing *c, str path)
{
    const struct fs_root *root = vault_root(c->w->v);
    struct fs_entry entry;
    struct err err;
    if (!fs_stat_entry(root, path, &entry, &err)) {
        if (err.code == ERR_NOT_FOUND)
            add(c, path, 0);
        return;
    }
    if (entry.is_link || entry.info.type != FS_FILE)
        return;
    if (fs_read(root, &c->contents, path, TREE_BLOB_MAX, &c->texts[c->n_texts], &err)) {
        c->bytes += c->texts[c->n_texts++].n;
        add(c, path, GIT_FILE);
    } else if (err.code == ERR_LIMIT) {
        work_notice(c->w, path, "it is too large to be committed");
    }
}

/* The files read so far become objects. */
static bool flush(struct committing *c, struct err *err)
{
    struct arena *scratch = &c->contents;
    if (!git_put_blobs(c->w->g, scratch, c->texts + c->n_ids, c->n_texts - c->n_ids,
                       c->ids + c->n_ids, err))
        return false;
    for (; c->n_ids < c->n_texts; c->n_ids++)
        c->ids[c->n_ids] = arena_str(c->a, c->ids[c->n_ids]);
    arena_reset(scratch);
    c->bytes = 0;
    return true;
}

/* A vault may be larger than memory: not all is read at once. */
static bool take_all(struct committing *c, const str *paths, size_t n, struct err *err)
{
    for (size_t i = 0; i < n; i++) {
        take(c, paths[i]);
        if (c->bytes > GIT_BATCH_BYTES && !flush(c, err))
            return false;
    }
    return flush(c, err);
}

/* Each file its object, and paths those of the repository. */
static void complete(struct committing *c)
{
    const struct git *g = c->w->g;
    size_t used = 0;
    for (size_t i = 0; i < c->n; i++) {
        struct git_entry *e = &c->edits[i];
        if (e->mode != 0)
            e->id = c->ids[used++];
        e->path =
            arena_printf(c->a, STR_FMT STR_FMT, STR_ARG(g->prefix), STR_ARG(e->path));
    }
}

static bool store(struct committing *c, const struct sync_change *change, str head,
                  str *id, struct err *err)
{
    const struct git *g = c->w->g;
    struct git_commit commit = {.message = message_of(c->a, change, c->paths, c->n),
                                .parents = &head,
                                .n = head.n > 0 ? 1 : 0};
    str before = {0};
    message_author(change->user, &commit.name, &commit.email);
    if (!git_edit_tree(g, c->a, head, c->edits, c->n, &commit.tree, err))
        return false;
    const char *tree = arena_printf(c->a, STR_FMT "^{tree}", STR_ARG(head)).p;
    if (head.n > 0 && !git_line(g, c->a, GIT_ARGS("rev-parse", tree), &before, err))
        return false;
    if (str_eq(before, commit.tree))
        return true;
    return git_make_commit(g, c->a, &commit, id, err);
}

bool work_commit(struct work *w, struct arena *a, const struct sync_change *change,
                 bool all, str *id, struct err *err)
{
    struct committing c = {.w = w, .a = a};
    str head, *paths;
    size_t n;
    *id = (str){0};
    if ((!all && change->n == 0) || !git_commit_of(w->g, a, "HEAD", &head, err))
        return !all && change->n == 0;
    if (!work_index(w, a, head, err) ||
        !work_differs(w, a, change->paths, all ? 0 : change->n, &paths, &n, err))
        return false;
    c.edits = ARENA_ARRAY(a, struct git_entry, n + 1);
    c.texts = ARENA_ARRAY(a, str, n + 1);
    c.ids = ARENA_ARRAY(a, str, n + 1);
    c.paths = ARENA_ARRAY(a, str, n + 1);
    bool taken = take_all(&c, paths, n, err);
    arena_release(&c.contents);
    if (!taken || c.n == 0)
        return taken;
    complete(&c);
    if (!store(&c, change, head, id, err))
        return false;
    if (id->n == 0)
        return true;
    struct work_step step = {.from = head, .to = *id};
    return work_begin(w, a, &step, err) && work_advance(w, a, &step, err);
}
