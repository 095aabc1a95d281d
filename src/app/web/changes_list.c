#include "app/web/changes_list.h"

#include "app/answers/history.h"
#include "base/array.h"
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
    if (item->entry.undoes > 0)
        sbuf_printf(&out, "Undid change %llu: ", (unsigned long long)item->entry.undoes);
    if (n == 0)
        sbuf_add(&out, STR("Nothing"));
    else
        sbuf_printf(&out, STR_FMT " " STR_FMT,
                    STR_ARG(changes_list_verb(a, files[0].outcome)),
                    STR_ARG(files[0].path));
    if (n > 0 && files[0].outcome == REVIEW_MOVED)
        sbuf_printf(&out, " to " STR_FMT, STR_ARG(files[0].to));
    if (all > 1)
        sbuf_printf(&out, " and %zu more", all - 1);
    return sbuf_str(&out);
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
