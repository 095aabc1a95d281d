/* Merge each file that they changed with the one on disk. */
#include "base/path.h"
#include "sync/conflict.h"
#include "sync/git.h"
#include "sync/pull.h"
#include "sync/tree_path.h"
#include "sync/work.h"
#include "vault/note/merge.h"
#include "vault/vault.h"

/* --- names that are decided --- */

/* False if path was already decided. */
static bool decide(struct pull *p, str path)
{
    return map_add_new(&p->targets, path);
}

/* --- the disk --- */

struct on_disk {
    bool exists;
    const char *odd; /* why it cannot be merged, or NULL */
    str text;
};

static bool pull_merge_look(struct pull *p, str path, struct on_disk *out,
                            struct err *err)
{
    const struct fs_root *root = vault_root(p->w->v);
    struct fs_entry entry;
    *out = (struct on_disk){0};
    if (!fs_stat_entry(root, path, &entry, err)) {
        if (err->code == ERR_DENIED)
            out->odd = "it is a link that leaves the vault";
        return err->code == ERR_NOT_FOUND || err->code == ERR_DENIED ||
               err->code == ERR_INVALID;
    }
    if (entry.info.type != FS_FILE)
        return true; /* a folder: pull_merge_free_path() handles it */
    out->exists = true;
    if (entry.is_link)
        out->odd = "it is a symbolic link here";
    else if (!fs_read(root, p->contents, path, TREE_BLOB_MAX, &out->text, err))
        out->odd = "it cannot be read here";
    return true;
}

static struct conflict conflict_of(struct pull *p, str path, str author)
{
    return (struct conflict){
        .path = path, .author = author, .commit = p->theirs, .when = p->when};
}

/* A free path for a new file if a folder has its name, or a file has the name of its
 * folder. */
static str pull_merge_free_path(struct pull *p, str path)
{
    const struct fs_root *root = vault_root(p->w->v);
    struct fs_info info;
    struct err err;
    for (size_t i = 1; i <= path.n; i++) {
        if (i < path.n && path.p[i] != '/')
            continue;
        str part = str_slice(path, 0, i);
        if (!fs_stat(root, part, &info, &err))
            return path;
        if ((info.type == FS_FOLDER) == (i < path.n))
            continue;
        struct conflict c = conflict_of(p, part, p->author);
        return arena_printf(p->a, STR_FMT STR_FMT, STR_ARG(conflict_path(p->a, &c, 1)),
                            STR_ARG(str_skip(path, i)));
    }
    return path;
}

/* --- what to do --- */

static void add_op(struct pull *p, enum journal_kind kind, str path, str text,
                   const struct on_disk *was)
{
    p->ops[p->n_ops++] = (struct change_op){
        .kind = kind,
        .path = path,
        .text = text,
        .expects = was->exists ? CHANGE_SAME : CHANGE_NEW,
        .was = hash_content(was->text),
    };
}

/* Put text at path in the tree. If it is exactly theirs, the object exists already. */
static void pull_merge_put(struct pull *p, str path, str text,
                           const struct pull_item *item)
{
    bool theirs = item != NULL && item->theirs_id.n > 0 && str_eq(text, item->theirs);
    if (!theirs) {
        p->texts[p->n_texts] = text;
        p->text_edits[p->n_texts++] = p->n_edits;
    }
    unsigned mode = theirs         ? item->mode
                    : item != NULL ? pull_our_mode(p, item)
                                   : GIT_FILE;
    pull_edit(p, pull_full(p, path), mode, theirs ? item->theirs_id : (str){0});
}

static void pull_merge_report(struct pull *p, str path, str sibling)
{
    if (p->n_conflicts < WORK_NOTICES_MAX)
        p->conflicts[p->n_conflicts++] = (struct sync_conflict){path, sibling};
}

/* The author of their last change to it. */
static str author_of(struct pull *p, str path)
{
    str name;
    struct err err;
    bool found =
        git_line(p->w->g, p->a,
                 GIT_ARGS("log", "-1", "--format=%an", arena_str(p->a, p->theirs).p, "--",
                          pull_full(p, path).p),
                 &name, &err);
    return found && name.n > 0 ? name : p->author;
}

/* Keep their text next to ours. Not in hidden folders, where it would not be found: there
 * it is only in the history.
 */
static bool keep_beside(struct pull *p, const struct pull_item *item, str path,
                        struct err *err)
{
    enum { NAMES_MAX = 100 };
    struct conflict c = conflict_of(p, path, author_of(p, item->to));
    str text = conflict_text(p->contents, &c, item->theirs);
    if (!path_is_visible(path)) {
        pull_merge_report(p, path, (str){0});
        return true;
    }
    for (unsigned number = 1; number < NAMES_MAX; number++) {
        str sibling = conflict_path(p->a, &c, number);
        struct on_disk there;
        if (!pull_merge_look(p, sibling, &there, err))
            return false;
        bool same = there.exists && there.odd == NULL && str_eq(there.text, text);
        if ((there.exists && !same) || !decide(p, sibling))
            continue;
        if (!same)
            add_op(p, JOURNAL_WRITE, sibling, text, &there);
        pull_merge_put(p, sibling, text, NULL);
        pull_merge_report(p, path, sibling);
        return true;
    }
    return err_set(err, ERR_EXISTS, "'" STR_FMT "' has too many conflict notes",
                   STR_ARG(path));
}

static enum merge_kind pull_merge_kind_of(str path)
{
    str extension = path_extension(path);
    return str_eq_nocase(extension, STR("md"))       ? MERGE_NOTE
           : str_eq_nocase(extension, STR("canvas")) ? MERGE_CANVAS
                                                     : MERGE_OPAQUE;
}

static void remove_file(struct pull *p, str path, const struct on_disk *ours,
                        const struct git_entry *after)
{
    if (ours->exists)
        add_op(p, JOURNAL_DELETE, path, (str){0}, ours);
    pull_edit(p, pull_full(p, path), after->mode, after->id);
}

/* The history need not keep the content of a file that is only moved. */
static void move_file(struct pull *p, str at, str target, const struct on_disk *ours)
{
    add_op(p, JOURNAL_MOVE, at, (str){0}, ours);
    p->ops[p->n_ops - 1].to = target;
    pull_edit(p, pull_full(p, at), 0, (str){0});
}

/* Write the merged text to target; at is where the file is now. */
static void pull_merge_write_file(struct pull *p, const struct pull_item *item, str at,
                                  str target, const struct on_disk *ours, str text)
{
    static const struct git_entry nothing;
    bool as_ours = ours->exists && str_eq(text, ours->text);
    bool moves = !str_eq(at, target);
    if (moves && ours->exists && !p->copies) { /* with its mode, owner and attributes */
        move_file(p, at, target, ours);
        if (!as_ours)
            add_op(p, JOURNAL_WRITE, at, text, ours);
    } else if (moves) {
        remove_file(p, at, ours, &nothing);
        add_op(p, JOURNAL_WRITE, target, text, &(struct on_disk){0});
    } else if (!as_ours) {
        add_op(p, JOURNAL_WRITE, target, text, ours);
    }
    pull_merge_put(p, target, text, item);
}

/* A file that we have at at; target is where it should be. */
static bool merge_file(struct pull *p, const struct pull_item *item, str at, str target,
                       struct err *err)
{
    struct on_disk ours;
    struct merge_result r;
    if (!pull_merge_look(p, at, &ours, err))
        return false;
    if (ours.odd != NULL) {
        work_notice(p->w, at, ours.odd);
        pull_take_theirs(p, pull_full(p, item->to), item->mode, item->theirs_id);
        return true;
    }
    if (!decide(p, target) || (!str_eq(at, target) && !decide(p, at)))
        return item->theirs_id.n == 0 || keep_beside(p, item, target, err);
    struct merge_input in = {.kind = pull_merge_kind_of(at),
                             .base = item->base_id.n > 0 ? &item->base : NULL,
                             .ours = ours.exists ? &ours.text : NULL,
                             .theirs = item->theirs_id.n > 0 ? &item->theirs : NULL};
    bool clean = merge_texts(p->contents, &in, &r);
    if (r.gone)
        remove_file(p, at, &ours, &item->after);
    else
        pull_merge_write_file(p, item, at,
                              ours.exists ? target : pull_merge_free_path(p, target),
                              &ours, r.text);
    return clean || item->theirs_id.n == 0 || keep_beside(p, item, target, err);
}

/* Whether the file that is at their new name on disk is the renamed one, as a part of
 * this pull left it: the old name is only in HEAD. */
static bool is_renamed(struct pull *p, const struct pull_item *item, bool *renamed,
                       struct err *err)
{
    struct on_disk old;
    if (!pull_merge_look(p, item->from, &old, err))
        return false;
    *renamed = !old.exists && old.odd == NULL && pull_we_have(p, item->from);
    return true;
}

/* *at: where a file is that they changed, and that was moved by hand. */
static bool find_by_hand(struct pull *p, const struct pull_item *item, str *at,
                         struct err *err)
{
    struct on_disk here;
    if (item->base_id.n == 0 || item->theirs_id.n == 0)
        return true;
    if (!pull_merge_look(p, *at, &here, err))
        return false;
    return here.exists || here.odd != NULL || pull_find_moved(p, *at, at, err);
}

/* Renames on both sides: theirs applies only if we did not rename the file. */
static bool merge_item(struct pull *p, const struct pull_item *item, struct err *err)
{
    str at = pull_our_name(p, item->from);
    bool we_renamed = !str_eq(at, item->from);
    struct on_disk there;
    if (!we_renamed && !find_by_hand(p, item, &at, err))
        return false;
    if (!str_eq(at, item->from) && !we_renamed)
        pull_edit(p, pull_full(p, item->from), 0, (str){0});
    we_renamed = !str_eq(at, item->from);
    if (we_renamed || str_eq(item->from, item->to))
        return merge_file(p, item, at, at, err);
    if (!pull_merge_look(p, item->to, &there, err))
        return false;
    if (!there.exists)
        return merge_file(p, item, at, item->to, err);
    struct pull_item gone = *item, made = *item;
    bool renamed;
    if (!is_renamed(p, item, &renamed, err))
        return false;
    gone.theirs_id = (str){0};
    gone.to = gone.from;
    if (!renamed)
        made.base_id = (str){0};
    made.from = made.to;
    return merge_file(p, &gone, gone.from, gone.from, err) &&
           merge_file(p, &made, made.to, made.to, err);
}

/* --- batches --- */

static bool read_batch(struct pull *p, struct pull_item *items, size_t n, struct err *err)
{
    str *ids = ARENA_ARRAY(p->contents, str, 2 * n);
    str *texts = ARENA_ARRAY(p->contents, str, 2 * n);
    size_t m = 0;
    for (size_t i = 0; i < n; i++) {
        if (items[i].base_id.n > 0)
            ids[m++] = items[i].base_id;
        if (items[i].theirs_id.n > 0)
            ids[m++] = items[i].theirs_id;
    }
    if (!git_get_blobs(&p->w->reader, p->contents, ids, m, texts, err))
        return false;
    m = 0;
    for (size_t i = 0; i < n; i++) {
        items[i].base = items[i].base_id.n > 0 ? texts[m++] : (str){0};
        items[i].theirs = items[i].theirs_id.n > 0 ? texts[m++] : (str){0};
    }
    return true;
}

/* Store the texts that are new to the repository. */
static bool pull_merge_put_texts(struct pull *p, struct err *err)
{
    str *ids = ARENA_ARRAY(p->a, str, p->n_texts + 1);
    struct arena input = {0};
    bool ok = git_put_blobs(p->w->g, &input, p->texts, p->n_texts, ids, err);
    for (size_t i = 0; ok && i < p->n_texts; i++)
        p->edits[p->text_edits[i]].id = arena_str(p->a, ids[i]);
    p->n_texts = 0;
    arena_release(&input);
    return ok;
}

static bool merge_batch(struct pull *p, struct pull_item *items, size_t n,
                        struct err *err)
{
    if (!read_batch(p, items, n, err))
        return false;
    for (size_t i = 0; i < n; i++)
        if (!merge_item(p, &items[i], err))
            return false;
    return pull_merge_put_texts(p, err);
}

static size_t batch_of(const struct pull *p, size_t from, size_t *bytes)
{
    size_t n = 0;
    *bytes = 0;
    while (from + n < p->n_items &&
           (n == 0 || *bytes + p->items[from + n].size <= PULL_PART_BYTES))
        *bytes += p->items[from + n++].size;
    return n;
}

bool pull_merge(struct pull *p, struct err *err)
{
    p->targets = (struct map){.arena = p->a};
    for (size_t i = 0, n, bytes, kept = 0; i < p->n_items; i += n) {
        n = batch_of(p, i, &bytes);
        if (p->n_ops > 0 && kept + bytes > PULL_PART_BYTES) {
            p->partial = true;
            return true;
        }
        if (!merge_batch(p, &p->items[i], n, err))
            return false;
        if (p->n_ops > 0)
            kept += bytes; /* texts are part of the operations */
        else
            arena_reset(p->contents);
    }
    return true;
}
