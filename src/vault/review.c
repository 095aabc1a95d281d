#include "vault/review.h"

#include "base/array.h"
#include "base/path.h"
#include "base/sbuf.h"
#include "vault/change/change.h"
#include "vault/change/change_moves.h"
#include "vault/change/journal.h"
#include "vault/draft.h"
#include "vault/text/diff.h"
#include "vault/text/encoding.h"
#include "vault/vault.h"
#include "vault/vault_trash.h"

const char *review_word(enum review_outcome outcome)
{
    static const char *const words[] = {
        [REVIEW_CREATED] = "created",
        [REVIEW_CHANGED] = "changed",
        [REVIEW_DELETED] = "deleted",
        [REVIEW_MOVED] = "moved",
        [REVIEW_TRASHED] = "deleted",
        [REVIEW_RESTORED] = "restored",
        [REVIEW_MADE_FOLDER] = "made the folder",
        [REVIEW_REMOVED_FOLDER] = "removed the folder",
    };
    return words[outcome];
}

/* --- which files --- */

struct review_listing {
    struct arena *arena;
    const struct journal_change *change;
    struct change_moves moves;
    size_t max, n;
    struct review_file *files;
};

static void listing_add(struct review_listing *l, struct review_file file)
{
    if (l->n < l->max)
        *ARRAY_ADD(l->arena, l->files, l->n) = file;
}

static bool is_content(const struct journal_op *op)
{
    return op->kind == JOURNAL_WRITE || op->kind == JOURNAL_DELETE;
}

/* Things that swap places take a detour through a temporary name (draft_commit.c). */
static bool is_aside(str path)
{
    return !path_is_visible(path) && !trash_contains(path);
}

static enum review_outcome outcome_of_move(str path, str to)
{
    return trash_contains(to)     ? REVIEW_TRASHED
           : trash_contains(path) ? REVIEW_RESTORED
                                  : REVIEW_MOVED;
}

static const struct journal_op *content_at(const struct journal_change *c, str path)
{
    for (size_t i = 0; i < c->n; i++)
        if (is_content(&c->ops[i]) && str_eq(c->ops[i].path, path))
            return &c->ops[i];
    return NULL;
}

static void list_moves(struct review_listing *l)
{
    const struct journal_change *c = l->change;
    for (size_t i = 0; i < c->n && l->n < l->max; i++) {
        const struct journal_op *op = &c->ops[i];
        if (op->kind != JOURNAL_MOVE || is_aside(op->path))
            continue;
        str to = change_moved(l->arena, &l->moves, i + 1, op->to);
        listing_add(l, (struct review_file){.outcome = outcome_of_move(op->path, to),
                                            .kind = op->kind,
                                            .path = op->path,
                                            .to = to,
                                            .op = content_at(c, op->path)});
    }
}

static bool review_is_listed(const struct review_listing *l, const struct journal_op *op)
{
    for (size_t i = 0; i < l->n; i++)
        if (l->files[i].op == op)
            return true;
    return false;
}

static void list_contents(struct review_listing *l)
{
    const struct journal_change *c = l->change;
    for (size_t i = 0; i < c->n && l->n < l->max; i++) {
        const struct journal_op *op = &c->ops[i];
        if (!is_content(op) || review_is_listed(l, op))
            continue;
        str to = change_moved(l->arena, &l->moves, i, op->path);
        listing_add(l, (struct review_file){.outcome = op->kind == JOURNAL_DELETE
                                                           ? REVIEW_DELETED
                                                       : op->existed ? REVIEW_CHANGED
                                                                     : REVIEW_CREATED,
                                            .kind = op->kind,
                                            .path = op->path,
                                            .to = str_eq(to, op->path) ? STR("") : to,
                                            .op = op});
    }
}

static void list_folders(struct review_listing *l)
{
    for (size_t i = 0; i < l->change->n; i++) {
        const struct journal_op *op = &l->change->ops[i];
        listing_add(l, (struct review_file){.outcome = op->kind == JOURNAL_MAKE_FOLDER
                                                           ? REVIEW_MADE_FOLDER
                                                           : REVIEW_REMOVED_FOLDER,
                                            .kind = op->kind,
                                            .path = op->path});
    }
}

size_t review_list(struct arena *a, const struct journal_change *change, size_t max,
                   struct review_file **out)
{
    struct review_listing l = {
        .arena = a, .change = change, .moves = change_moves_of(a, change), .max = max};
    list_moves(&l);
    list_contents(&l);
    if (l.n == 0)
        list_folders(&l);
    *out = l.files;
    return l.n;
}

/* --- their texts --- */

static const char too_large[] = "too large to show";
static const char not_text[] = "not text";
static const char not_known[] = "its new text is no longer available";

/* The search for the text that a change gave to a file. */
struct trail {
    struct review_file *file;
    str now;         /* where the file is, after the changes that were looked at */
    uint64_t change; /* that replaced the text; 0: none so far */
    size_t op;
    bool ended; /* the text was taken, or cannot be */
};

struct reviewing {
    struct arena *arena;
    const struct journal *journal;
    struct trail *trails;
    size_t n;
    size_t bytes; /* that may still be read */
    size_t work;  /* comparisons that may still be made */
};

static bool review_afford(struct reviewing *r, size_t bytes)
{
    bool enough = bytes <= r->bytes;
    r->bytes -= enough ? bytes : r->bytes;
    return enough;
}

/* A change with its old texts, unless that is too much. */
static bool read_contents(struct reviewing *r, uint64_t number,
                          struct journal_change *out, struct err *err)
{
    const struct journal_entry *e = journal_find(r->journal, number);
    bool contents = e == NULL || review_afford(r, e->size);
    return journal_read(r->journal, r->arena, number, contents, out, err) &&
           (contents || err_set(err, ERR_LIMIT, "%s", too_large));
}

static void trail_follow(struct reviewing *r, struct trail *t,
                         const struct journal_change *later,
                         const struct change_moves *moves)
{
    for (size_t i = 0; i < later->n && t->change == 0; i++) {
        const struct journal_op *op = &later->ops[i];
        if (is_content(op) && op->existed && str_eq(op->path, t->now) &&
            hash_same(op->before, t->file->op->after)) {
            t->change = later->number;
            t->op = i;
        }
    }
    t->now = change_moved(r->arena, moves, 0, t->now);
}

static bool trails_end(const struct reviewing *r)
{
    for (size_t i = 0; i < r->n; i++)
        if (r->trails[i].change == 0)
            return false;
    return true;
}

/* Whether there is work left to look at a later change. */
static bool review_may_follow(struct reviewing *r, const struct journal_change *later)
{
    size_t needed = size_mul(r->n, later->n);
    bool enough = needed <= r->work;
    r->work -= enough ? needed : r->work;
    return enough;
}

static void follow_later(struct reviewing *r, const struct journal_entry *e)
{
    const struct journal_entry *all;
    size_t n = journal_entries(r->journal, &all), first = (size_t)(e - all) + 1;
    struct arena scratch = {0};
    for (size_t i = first; i < n && i - first < REVIEW_LATER_MAX && !trails_end(r); i++) {
        struct journal_change later;
        struct err ignored; /* what is damaged is not known */
        arena_reset(&scratch);
        if (all[i].state == JOURNAL_ABORTED ||
            !journal_read(r->journal, &scratch, all[i].number, false, &later, &ignored) ||
            !review_may_follow(r, &later))
            continue;
        struct change_moves moves = change_moves_of(&scratch, &later);
        for (size_t k = 0; k < r->n; k++)
            trail_follow(r, &r->trails[k], &later, &moves);
    }
    arena_release(&scratch);
}

/* The texts that later changes replaced. One change may have replaced many. */
static void take_replaced(struct reviewing *r)
{
    for (size_t i = 0; i < r->n; i++) {
        uint64_t number = r->trails[i].change;
        struct journal_change later;
        struct err err;
        if (number == 0 || r->trails[i].ended)
            continue;
        bool known = read_contents(r, number, &later, &err);
        for (size_t k = i; k < r->n; k++) {
            struct trail *t = &r->trails[k];
            if (t->change != number)
                continue;
            t->ended = true;
            if (known)
                t->file->after = later.ops[t->op].old;
            else
                t->file->no_diff = err.code == ERR_LIMIT ? too_large : not_known;
        }
    }
}

/* The text on disk, if it is still the one that the change wrote. */
static const char *take_written(struct reviewing *r, struct vault *v, str path,
                                struct hash_content hash, str *out)
{
    struct err err;
    str text;
    if (r->bytes < REVIEW_TEXT_MAX)
        return too_large;
    if (!vault_bytes(v, r->arena, path, REVIEW_TEXT_MAX, &text, &err))
        return err.code == ERR_LIMIT ? too_large : not_known;
    r->bytes -= text.n;
    if (!hash_same(hash_content(text), hash))
        return not_known;
    *out = text;
    return NULL;
}

static void trails_begin(struct reviewing *r, const struct review *out)
{
    r->trails = ARENA_ARRAY(r->arena, struct trail, out->n);
    for (size_t i = 0; i < out->n; i++) {
        struct review_file *f = &out->files[i];
        if (f->op != NULL && f->op->kind == JOURNAL_WRITE)
            r->trails[r->n++] = (struct trail){f, f->to.n > 0 ? f->to : f->path};
    }
}

static bool is_shown(str text, const char **why)
{
    struct vault_text cut;
    struct err ignored;
    if (text.n > REVIEW_TEXT_MAX)
        *why = too_large;
    else if (!vault_cut(STR(""), text, 1, 0, &cut, &ignored))
        *why = not_text;
    return *why == NULL;
}

/* were_read: the old texts are there. */
static void finish_texts(struct arena *a, struct review *out, bool were_read)
{
    enum encoding ignored;
    for (size_t i = 0; i < out->n; i++) {
        struct review_file *f = &out->files[i];
        if (f->op == NULL)
            continue;
        f->before = encoding_read(a, f->op->old, &ignored);
        f->after = encoding_read(a, f->after, &ignored);
        if (!were_read)
            f->no_diff = too_large;
        if (f->no_diff != NULL || !is_shown(f->before, &f->no_diff) ||
            !is_shown(f->after, &f->no_diff))
            f->before = f->after = STR("");
    }
}

/* --- the whole --- */

/* With the journal held. *texts: the old ones were read. */
static bool review_held(struct reviewing *r, struct vault *v, uint64_t number,
                        struct review *out, bool *texts, struct err *err)
{
    *texts = read_contents(r, number, &out->change, err);
    if (!*texts && err->code != ERR_LIMIT)
        return false;
    if (!vault_sees_change(v, &out->change))
        return journal_not_found(err, number);
    const struct journal_entry *e = journal_find(r->journal, number);
    out->entry = *e;
    out->n = review_list(r->arena, &out->change, REVIEW_FILES_MAX, &out->files);
    if (!*texts)
        return true;
    trails_begin(r, out);
    follow_later(r, e);
    take_replaced(r);
    return true;
}

bool review_change(struct vault *v, struct arena *a, uint64_t number, struct review *out,
                   struct err *err)
{
    struct changes *changes = vault_changes(v, err);
    struct journal *j;
    bool texts;
    *out = (struct review){0};
    if (changes == NULL || !changes_lock_all(changes, &j, err))
        return false;
    struct reviewing r = {
        .arena = a, .journal = j, .bytes = REVIEW_BYTES_MAX, .work = REVIEW_WORK_MAX};
    bool ok = review_held(&r, v, number, out, &texts, err);
    changes_unlock(changes);
    if (!ok)
        return false;
    for (size_t i = 0; i < r.n; i++) {
        struct review_file *f = r.trails[i].file;
        if (!r.trails[i].ended)
            f->no_diff = take_written(&r, v, r.trails[i].now, f->op->after, &f->after);
    }
    finish_texts(a, out, texts);
    return true;
}

/* --- a text that was replaced --- */

static bool review_replaces(const struct journal_change *c, str path, str etag)
{
    struct arena scratch = {0};
    bool found = false;
    for (size_t i = 0; i < c->n && !found; i++)
        found = c->ops[i].kind == JOURNAL_WRITE && c->ops[i].existed &&
                str_eq(c->ops[i].path, path) &&
                str_eq(draft_etag(&scratch, c->ops[i].before), etag);
    arena_release(&scratch);
    return found;
}

/* The number of the change that replaced it; 0: none of the latest. */
static uint64_t find_replacing(const struct journal *j, str path, str etag)
{
    const struct journal_entry *entries;
    size_t n = journal_entries(j, &entries),
           first = n > REVIEW_REPLACED_MAX ? n - REVIEW_REPLACED_MAX : 0;
    struct arena scratch = {0};
    uint64_t found = 0;
    for (size_t i = n; i > first && found == 0; i--) {
        struct journal_change c;
        struct err ignored;
        if (entries[i - 1].state == JOURNAL_DONE &&
            journal_read(j, &scratch, entries[i - 1].number, false, &c, &ignored) &&
            review_replaces(&c, path, etag))
            found = c.number;
        arena_reset(&scratch);
    }
    arena_release(&scratch);
    return found;
}

bool review_replaced(struct vault *v, struct arena *a, str path, str etag, str *text)
{
    struct err ignored;
    struct review r;
    struct journal *j;
    struct changes *changes = vault_changes(v, &ignored);
    if (changes == NULL || !changes_lock_all(changes, &j, &ignored))
        return false;
    uint64_t number = find_replacing(j, path, etag);
    changes_unlock(changes);
    if (number == 0 || !review_change(v, a, number, &r, &ignored))
        return false;
    for (size_t i = 0; i < r.n; i++)
        if (r.files[i].op != NULL && r.files[i].no_diff == NULL &&
            str_eq(r.files[i].path, path)) {
            *text = r.files[i].before;
            return true;
        }
    return false;
}

/* --- as text --- */

static void print_texts(struct sbuf *b, const struct review_file *f, size_t max)
{
    str none = STR("/dev/null"), to = f->to.n > 0 ? f->to : f->path;
    bool created = f->op->kind == JOURNAL_WRITE && !f->op->existed;
    bool deleted = f->op->kind == JOURNAL_DELETE;
    struct diff diff;
    if (f->no_diff != NULL) {
        sbuf_printf(b, "--- " STR_FMT "\n+++ " STR_FMT "\n(no diff: %s)\n",
                    STR_ARG(created ? none : f->path), STR_ARG(deleted ? none : to),
                    f->no_diff);
        return;
    }
    diff_make(b->arena, f->before, f->after, &diff);
    sbuf_add(b, diff_print(b->arena, &diff, created ? none : f->path, deleted ? none : to,
                           max));
}

str review_file_diff(struct arena *a, const struct review_file *f, size_t max)
{
    struct sbuf b = SBUF_ON(a);
    if (f->to.n > 0)
        sbuf_printf(&b, "rename from " STR_FMT "\nrename to " STR_FMT "\n",
                    STR_ARG(f->path), STR_ARG(f->to));
    else if (f->op == NULL)
        sbuf_printf(&b, "%s " STR_FMT "\n", review_word(f->outcome), STR_ARG(f->path));
    if (f->op != NULL)
        print_texts(&b, f, max);
    return sbuf_str(&b);
}

str review_diff(struct arena *a, const struct review *r, size_t max)
{
    struct sbuf b = SBUF_ON(a);
    size_t i = 0;
    for (; i < r->n && (max == 0 || b.n < max); i++)
        sbuf_add(&b, review_file_diff(a, &r->files[i], max > 0 ? max - b.n : 0));
    uint64_t all = r->n < REVIEW_FILES_MAX ? r->n : r->entry.files;
    if (i < all)
        sbuf_printf(&b, "(%llu more file%s)\n", (unsigned long long)(all - i),
                    all - i == 1 ? "" : "s");
    return sbuf_str(&b);
}
