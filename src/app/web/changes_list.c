#include "app/web/changes_list.h"

#include "app/answers/history.h"
#include "base/array.h"
#include "base/hash.h"
#include "base/map.h"
#include "vault/change/change.h"
#include "vault/change/journal.h"
#include "vault/review.h"
#include "vault/transact.h"
#include "vault/vault.h"

/* Changes without a user name belong to every user. */
static bool is_theirs(const struct journal_change *c, str user)
{
    return user.n == 0 || c->who.n == 0 || str_eq(c->who, user);
}

static bool changes_list_has(const struct history_item *item, str user)
{
    return item->entry.state != JOURNAL_ABORTED && is_theirs(&item->change, user);
}

bool changes_list_find(struct vault *v, struct arena *a,
                       const struct changes_question *asked, struct changes_list *out,
                       struct err *err)
{
    struct history h = {.more = true};
    *out = (struct changes_list){.more_before = asked->before};
    for (int i = 0; i < CHANGES_LOOKS && h.more && out->n < asked->max; i++) {
        struct history_question q = {.limit = asked->max,
                                     .before = out->more_before,
                                     .from = asked->from,
                                     .path = asked->note,
                                     .client = asked->client};
        if (!history_find(v, a, &q, &h, err))
            return false;
        size_t k = 0;
        for (; k < h.n && out->n < asked->max; k++) {
            out->more_before = h.items[k].entry.number;
            if (changes_list_has(&h.items[k], asked->user))
                *ARRAY_ADD(a, out->items, out->n) = h.items[k];
        }
        h.more = h.more || k < h.n;
    }
    if (!h.more)
        out->more_before = 0;
    return true;
}

bool changes_list_review(struct vault *v, struct arena *a, str user, uint64_t number,
                         struct review *out, struct err *err)
{
    if (!review_change(v, a, number, out, err))
        return false;
    struct history_item item = {out->entry, out->change};
    return changes_list_has(&item, user) || journal_not_found(err, number);
}

str changes_list_verb(struct arena *a, enum review_outcome outcome)
{
    str word = str_c(review_word(outcome));
    return arena_printf(a, "%c" STR_FMT, word.p[0] - 'a' + 'A',
                        STR_ARG(str_skip(word, 1)));
}

/* What the list of a change leaves out is counted by its record. */
static size_t changes_list_count_files(const struct history_item *item, size_t listed)
{
    return listed < REVIEW_FILES_MAX ? listed : (size_t)item->entry.files;
}

str changes_list_summary(struct arena *a, const struct history_item *item)
{
    struct sbuf out = SBUF_ON(a);
    struct review_file *files;
    size_t n = review_list(a, &item->change, REVIEW_FILES_MAX, &files);
    size_t all = changes_list_count_files(item, n);
    str what = history_summary(a, item);
    if (item->entry.undoes > 0)
        sbuf_printf(&out, "Undid change %llu: ", (unsigned long long)item->entry.undoes);
    if (what.n == 0)
        sbuf_add(&out, STR("Nothing"));
    else
        sbuf_printf(&out, "%c" STR_FMT, what.p[0] - 'a' + 'A',
                    STR_ARG(str_skip(what, 1)));
    if (all > 1)
        sbuf_printf(&out,
                    str_starts(what, STR("renamed ")) ? " in %zu files" : " and %zu more",
                    str_starts(what, STR("renamed ")) ? all : all - 1);
    return sbuf_str(&out);
}

enum page_glyph changes_list_glyph(struct arena *a, const struct history_item *item)
{
    static const enum page_glyph glyphs[] = {
        [REVIEW_CREATED] = GLYPH_CREATED,     [REVIEW_CHANGED] = GLYPH_CHANGED,
        [REVIEW_DELETED] = GLYPH_DELETED,     [REVIEW_MOVED] = GLYPH_MOVED,
        [REVIEW_TRASHED] = GLYPH_DELETED,     [REVIEW_RESTORED] = GLYPH_UNDO,
        [REVIEW_MADE_FOLDER] = GLYPH_CREATED, [REVIEW_REMOVED_FOLDER] = GLYPH_DELETED,
    };
    struct review_file *files;
    if (item->entry.undoes > 0)
        return GLYPH_UNDO;
    return review_list(a, &item->change, 1, &files) > 0 ? glyphs[files[0].outcome]
                                                        : GLYPH_CHANGED;
}

/* --- counts --- */

static void count_diff(str diff, struct changes_lines *out)
{
    str line;
    size_t hunks = str_find(diff, STR("\n@@"));
    if (hunks == STR_NONE)
        return;
    diff = str_skip(diff, hunks + 1);
    while (diff.n > 0 && str_next(&diff, '\n', &line)) {
        out->added += line.n > 0 && line.p[0] == '+';
        out->removed += line.n > 0 && line.p[0] == '-';
    }
}

bool changes_list_lines(struct arena *a, const struct review *r,
                        struct changes_lines *out)
{
    *out = (struct changes_lines){0};
    if (r->n > CHANGES_COUNTED_FILES || r->n < r->entry.files)
        return false;
    for (size_t i = 0; i < r->n; i++) {
        const struct review_file *f = &r->files[i];
        if (f->no_diff != NULL || f->before.n > CHANGES_COUNTED_BYTES ||
            f->after.n > CHANGES_COUNTED_BYTES)
            return false;
        count_diff(review_file_diff(a, f, 0), out);
    }
    return out->added + out->removed > 0;
}

bool changes_list_count(struct vault *v, struct arena *a, const struct history_item *item,
                        uint64_t latest, struct changes_lines *out)
{
    const struct journal_entry *e = &item->entry;
    struct review r;
    struct err ignored;
    return e->number + CHANGES_COUNTED > latest && e->size <= CHANGES_COUNTED_BYTES &&
           e->files <= CHANGES_COUNTED_FILES &&
           review_change(v, a, e->number, &r, &ignored) && changes_list_lines(a, &r, out);
}

uint64_t changes_list_latest(struct vault *v, struct arena *a)
{
    struct history h;
    struct err ignored;
    const struct history_question q = {.limit = 1};
    return history_find(v, a, &q, &h, &ignored) ? h.latest : 0;
}

/* --- what holds a change --- */

/* A change that still holds: an undo and what it undid cancel each other. */
static bool still_holds(const struct journal_entry *e)
{
    return e->state == JOURNAL_DONE && e->undone_by == 0 && e->undoes == 0;
}

/* The paths that changes are about, as a set. */
struct listed_paths {
    struct arena *a;
    struct map_index map;
    str *paths;
    size_t n;
};

static bool touched_has(const struct listed_paths *t, str path)
{
    uint32_t i;
    for (size_t n = 0; (i = map_next(&t->map, hash_table(path), &n)) != MAP_NONE;)
        if (str_eq(t->paths[i], path))
            return true;
    return false;
}

static void touched_add(struct listed_paths *t, str path)
{
    if (path.n == 0 || touched_has(t, path))
        return;
    map_put(&t->map, t->a, hash_table(path), (uint32_t)t->n);
    *ARRAY_ADD(t->a, t->paths, t->n) = path;
}

static bool touched_by(const struct listed_paths *t, const struct journal_change *c)
{
    bool found = false;
    for (size_t i = 0; i < c->n && !found; i++)
        found = touched_has(t, c->ops[i].path) ||
                (c->ops[i].to.n > 0 && touched_has(t, c->ops[i].to));
    return found;
}

static void touched_add_all(struct listed_paths *t, const struct journal_change *c)
{
    for (size_t i = 0; i < c->n; i++) {
        touched_add(t, c->ops[i].path);
        touched_add(t, c->ops[i].to);
    }
}

/* Those after a number, oldest first; false if they are too many. */
static bool read_after(struct vault *v, struct arena *a, uint64_t number,
                       struct history *out)
{
    struct err ignored;
    const struct history_question q = {
        .limit = CHANGES_LATER, .since = number, .from_since = true};
    return history_find(v, a, &q, out, &ignored) && !out->more;
}

const bool *changes_list_blocked(struct vault *v, struct arena *a,
                                 const struct changes_list *listed)
{
    bool *blocked = ARENA_ARRAY(a, bool, listed->n + 1);
    struct listed_paths t = {.a = a};
    struct history later;
    memset(blocked, 0, (listed->n + 1) * sizeof(*blocked));
    if (listed->n == 0 ||
        !read_after(v, a, listed->items[listed->n - 1].entry.number, &later))
        return blocked;
    size_t shown = 0;
    for (size_t i = later.n + 1; i-- > 0;) { /* latest first, then the last one listed */
        const struct history_item *item =
            i > 0 ? &later.items[i - 1] : &listed->items[listed->n - 1];
        if (shown < listed->n && listed->items[shown].entry.number == item->entry.number)
            blocked[shown++] = touched_by(&t, &item->change);
        if (still_holds(&item->entry))
            touched_add_all(&t, &item->change);
    }
    return blocked;
}

bool changes_list_chain(struct vault *v, struct arena *a, str user,
                        const struct review *r, uint64_t **out, size_t *n)
{
    struct listed_paths t = {.a = a};
    struct history later;
    *out = ARENA_ARRAY(a, uint64_t, CHANGES_CHAIN);
    *n = 0;
    if (!read_after(v, a, r->entry.number, &later))
        return false;
    touched_add_all(&t, &r->change);
    for (size_t i = 0; i < later.n; i++) {
        const struct history_item *item = &later.items[i];
        if (!still_holds(&item->entry) || !touched_by(&t, &item->change))
            continue;
        if (*n == CHANGES_CHAIN || !is_theirs(&item->change, user))
            return false;
        touched_add_all(&t, &item->change);
        (*out)[(*n)++] = item->entry.number;
    }
    for (size_t i = 0; i < *n / 2; i++) {
        uint64_t number = (*out)[i];
        (*out)[i] = (*out)[*n - 1 - i];
        (*out)[*n - 1 - i] = number;
    }
    return true;
}

bool changes_list_can_undo(const struct journal_entry *e)
{
    return e->state == JOURNAL_DONE && e->undone_by == 0;
}

/* Only changes that the list shows: not those of another user. */
static bool may_undo(struct vault *v, struct arena *a, str user, uint64_t number,
                     struct err *err)
{
    struct journal *j;
    struct journal_change c;
    struct changes *changes = vault_changes(v, err);
    if (changes == NULL || !changes_lock_all(changes, &j, err))
        return false;
    bool ok = journal_read(j, a, number, false, &c, err);
    changes_unlock(changes);
    return ok && (is_theirs(&c, user) || journal_not_found(err, number));
}

bool changes_list_undo(struct vault *v, struct arena *a, str user, uint64_t number,
                       struct err *err)
{
    struct transact t = {.by = {.tool = STR("account"), .who = user}, .undo = &number};
    struct draft_result result;
    return may_undo(v, a, user, number, err) && transact_run(v, a, &t, &result, err);
}
