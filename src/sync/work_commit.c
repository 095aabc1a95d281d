/* Commit the changes of the vault. */
#include "sync/git.h"
#include "sync/message.h"
#include "sync/pending.h"
#include "sync/tree_path.h"
#include "sync/unsynced.h"
#include "sync/work.h"
#include "vault/vault.h"

struct committing {
    struct work *w;
    struct arena *a;
    struct pending p; /* may contain more than those that are committed */
    size_t n_changes; /* to commit */
    uint64_t last;
    str head;
    struct work_file *files; /* those that may have changed; id: in the last commit */
    struct git_entry *heads; /* the same in HEAD */
    size_t n;
    struct unsynced unsynced;
    struct git_import import;
    struct git_entry *edits; /* of one commit */
    str *paths;
    size_t n_edits;
    struct arena scratch;
};

/* --- files --- */

static str full_path(const struct committing *c, str path)
{
    return arena_printf(c->a, STR_FMT STR_FMT, STR_ARG(c->w->g->prefix), STR_ARG(path));
}

static int work_commit_by_bytes(const void *a, const void *b)
{
    return str_cmp(*(const str *)a, *(const str *)b);
}

/* The files below some paths that differ, or differed in between. */
static bool find_files(struct committing *c, const str *paths, size_t n, struct err *err)
{
    struct work_file *more;
    size_t n_names, n_more, used = 0;
    if (!work_differs(c->w, c->a, paths, n, &c->files, &c->n, err))
        return false;
    if (c->p.n < 2)
        return true;
    str *known = ARENA_ARRAY(c->a, str, c->n + 1);
    for (size_t i = 0; i < c->n; i++)
        known[i] = c->files[i].path;
    str *names = pending_names(&c->p, c->a, known, c->n, &n_names);
    for (size_t i = 0; i < n_names; i++)
        if (bsearch(&names[i], known, c->n, sizeof(*known), work_commit_by_bytes) == NULL)
            names[used++] = names[i];
    if (!work_look_up(c->w, c->a, names, used, &more, &n_more, err))
        return false;
    struct work_file *all = ARENA_ARRAY(c->a, struct work_file, c->n + n_more + 1);
    for (size_t i = 0; i < c->n + n_more; i++)
        all[i] = i < c->n ? c->files[i] : more[i - c->n];
    c->files = all;
    c->n += n_more;
    return true;
}

/* The entry of a file in a commit. */
struct content {
    enum { CONTENT_GONE, CONTENT_TEXT, CONTENT_STAYS } what;
    str text;
};

/* Report why a file could not be read. A disk error may be temporary: end the round. */
static bool cannot_read(struct committing *c, str path, struct content *out,
                        struct err *err)
{
    out->what = err->code == ERR_NOT_FOUND ? CONTENT_GONE : CONTENT_STAYS;
    if (err->code == ERR_LIMIT)
        work_notice(c->w, path, "it is too large to commit");
    else if (err->code == ERR_DENIED)
        work_notice(c->w, path, "it cannot be read, so it is not committed");
    return err->code != ERR_INTERNAL && err->code != ERR_BUSY;
}

/* Links and files that are too large stay unchanged in the repository. */
static bool read_disk(struct committing *c, str path, struct content *out,
                      struct err *err)
{
    const struct fs_root *root = vault_root(c->w->v);
    struct fs_entry entry;
    *out = (struct content){.what = CONTENT_STAYS};
    if (!fs_stat_entry(root, path, &entry, err))
        return cannot_read(c, path, out, err);
    if (entry.is_link || entry.info.type != FS_FILE)
        return true;
    if (!fs_read(root, &c->scratch, path, TREE_BLOB_MAX, &out->text, err))
        return cannot_read(c, path, out, err);
    out->what = CONTENT_TEXT;
    return true;
}

/* Later changes recorded what was there before them. False if there are none. */
static bool read_on(struct committing *c)
{
    struct err err;
    size_t known = c->p.n;
    return !c->p.more && pending_read_on(c->w->v, c->a, &c->p, &err) && c->p.n > known;
}

/* The file as change i left it. */
static bool read_after(struct committing *c, size_t i, str path, struct content *out,
                       struct err *err)
{
    struct pending_file f;
    do {
        f = pending_after(&c->p, &c->scratch, i, path);
        if (f.where == PENDING_ON_DISK && !read_disk(c, f.path, out, err))
            return false;
    } while (f.where == PENDING_ON_DISK && out->what != CONTENT_STAYS &&
             pending_differs(&c->p, f.path, out->what == CONTENT_TEXT, out->text) &&
             read_on(c));
    if (f.where == PENDING_GONE)
        *out = (struct content){.what = CONTENT_GONE};
    else if (f.where == PENDING_KEPT)
        *out = (struct content){.what = f.text.n <= TREE_BLOB_MAX ? CONTENT_TEXT
                                                                  : CONTENT_STAYS,
                                .text = f.text};
    return true;
}

/* --- commits --- */

/* A plugin that the repository has may be newer there, and not be written here. */
static bool is_apart(const struct committing *c, const struct work_file *f)
{
    struct unsynced_reason why;
    bool is = unsynced_has_filter(&c->unsynced, f->path, &why) ||
              (f->id.n > 0 && unsynced_is_plugin(&c->unsynced, f->path, &why));
    if (is)
        work_leave(c->w, &why);
    return is;
}

static bool work_commit_ask_unsynced(struct committing *c, struct err *err)
{
    str *paths = ARENA_ARRAY(c->a, str, c->n + 1);
    for (size_t i = 0; i < c->n; i++)
        paths[i] = c->files[i].path;
    c->unsynced = unsynced_of(&c->w->reader, c->a);
    return unsynced_ask_disk(&c->unsynced, paths, c->n, err);
}

static bool work_commit_edit(struct committing *c, size_t i, struct work_file *f,
                             struct err *err)
{
    struct content now;
    if (is_apart(c, f))
        return true;
    if (!read_after(c, i, f->path, &now, err))
        return false;
    bool there = now.what == CONTENT_TEXT;
    str id = there ? git_blob_id(c->w->g, c->a, now.text) : (str){0};
    if (now.what == CONTENT_STAYS || str_eq(id, f->id))
        return true;
    if (there && !git_import_text(&c->import, now.text, err))
        return false;
    unsigned mode = f->mode > 0 ? f->mode : GIT_FILE;
    c->paths[c->n_edits] = f->path;
    c->edits[c->n_edits++] = (struct git_entry){
        .path = full_path(c, f->path), .id = id, .mode = there ? mode : 0};
    f->id = id;
    return true;
}

/* Commit what a change did; all: everything that differs. */
static bool commit_change(struct committing *c, size_t i,
                          const struct journal_change *change, bool all, str subject,
                          struct err *err)
{
    size_t n = 0;
    const str *paths = all ? NULL : pending_paths(c->a, change, &n);
    c->n_edits = 0;
    for (size_t f = 0; f < c->n; f++) {
        if (!all && !pending_is_below(paths, n, c->files[f].path))
            continue;
        bool ok = work_commit_edit(c, i, &c->files[f], err);
        arena_reset(&c->scratch);
        if (!ok)
            return false;
    }
    if (c->n_edits == 0)
        return true;
    struct git_commit commit = {
        .message = message_of(c->a, change, subject, c->paths, c->n_edits),
        .when = change->time,
        .parents = &c->head,
        .n = c->import.n == 0 && c->head.n > 0 ? 1 : 0};
    message_author(change->who, &commit.author.name, &commit.author.email);
    git_import_commit(&c->import, &commit, c->edits, c->n_edits);
    return true;
}

/* Pruned changes cannot be read, so whatever else differs is committed in their place. */
static bool commit_changes(struct committing *c, const struct work_request *request,
                           struct err *err)
{
    str subject = c->p.gap ? STR("Changes no longer in the journal") : request->subject;
    bool rest = c->p.gap || request->alone;
    size_t last = c->n_changes;
    while (last > 0 && pending_is_sync(&c->p.list[last - 1]))
        last--;
    for (size_t i = 0; i < last; i++) {
        const struct journal_change *change = &c->p.list[i];
        bool all = request->all && !c->p.gap && i + 1 == last;
        if (!pending_is_sync(change) && !commit_change(c, i, change, all, (str){0}, err))
            return false;
    }
    return !rest || (last > 0 && !c->p.gap) ||
           commit_change(c, c->n_changes, &(struct journal_change){0}, true, subject,
                         err);
}

/* --- HEAD --- */

static void remember_heads(struct committing *c)
{
    c->heads = ARENA_ARRAY(c->a, struct git_entry, c->n + 1);
    c->edits = ARENA_ARRAY(c->a, struct git_entry, c->n + 1);
    c->paths = ARENA_ARRAY(c->a, str, c->n + 1);
    for (size_t i = 0; i < c->n; i++)
        c->heads[i] = (struct git_entry){.id = c->files[i].id};
}

/* The edits of all commits together. */
static void sum_up(struct committing *c, struct work_step *step)
{
    struct git_entry *edits = ARENA_ARRAY(c->a, struct git_entry, c->n + 1);
    step->edits = edits;
    for (size_t i = 0; i < c->n; i++) {
        const struct work_file *f = &c->files[i];
        if (str_eq(f->id, c->heads[i].id))
            continue;
        bool gone = f->id.n == 0;
        edits[step->n++] = (struct git_entry){.path = full_path(c, f->path),
                                              .id = gone ? c->heads[i].id : f->id,
                                              .mode = gone          ? 0
                                                      : f->mode > 0 ? f->mode
                                                                    : GIT_FILE};
    }
}

static bool advance(struct committing *c, str *id, struct err *err)
{
    struct work_step step = {.from = c->head, .done = c->last};
    str tree;
    if (c->import.n == 0)
        return work_note_done(c->w, c->a, c->last, err);
    if (!git_import_end(&c->import, &step.to, &tree, err))
        return false;
    sum_up(c, &step);
    *id = step.to;
    return work_begin(c->w, c->a, &step, err) && work_advance(c->w, c->a, &step, err);
}

/* The paths of all changes except those of sync, sorted. */
static str *all_paths(struct committing *c, size_t *n)
{
    struct journal_change all = {.ops =
                                     ARENA_ARRAY(c->a, struct journal_op, c->p.ops + 1)};
    for (size_t i = 0; i < c->p.n; i++)
        for (size_t k = 0; k < c->p.list[i].n && !pending_is_sync(&c->p.list[i]); k++)
            all.ops[all.n++] = c->p.list[i].ops[k];
    return pending_paths(c->a, &all, n);
}

/* Whether changes were made since they were read. A commit of everything that differs
 * must know all of them, or one would be mistaken for an edit by hand. */
static bool is_overtaken(const struct committing *c)
{
    struct err ignored;
    bool any = false;
    return !c->p.more && pending_any(c->w->v, c->last, &any, &ignored) && any;
}

/* *more: there are changes after those that were handled together. */
static bool commit_some(struct work *w, struct arena *a,
                        const struct work_request *request, bool patient, bool *more,
                        str *id, struct err *err)
{
    struct committing c = {.w = w, .a = a};
    size_t n = 0;
    if (!pending_read(w->v, a, w->done, &c.p, err))
        return false;
    str *paths = all_paths(&c, &n);
    *more = c.p.more;
    c.n_changes = c.p.n;
    c.last = c.p.last;
    if (n == 0 && !request->alone && !c.p.gap)
        return work_note_done(w, a, c.last, err);
    if (!git_commit_of(w->g, a, "HEAD", &c.head, err) || !work_index(w, a, c.head, err) ||
        !find_files(&c, paths, request->all || c.p.gap ? 0 : n, err) ||
        !work_commit_ask_unsynced(&c, err))
        return false;
    if (patient && request->all && is_overtaken(&c)) {
        *more = true;
        return true;
    }
    git_import_begin(&c.import, w->g, a);
    remember_heads(&c);
    bool ok = commit_changes(&c, request, err) && advance(&c, id, err);
    git_import_release(&c.import);
    arena_release(&c.scratch);
    return ok;
}

bool work_commit(struct work *w, struct arena *a, const struct work_request *request,
                 str *id, struct err *err)
{
    enum { PATIENCE = 10 }; /* attempts while notes keep changing */
    bool more = true;
    *id = (str){0};
    for (int i = 0; more; i++)
        if (!commit_some(w, a, request, i < PATIENCE, &more, id, err))
            return false;
    return true;
}
