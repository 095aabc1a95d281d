#include "app/answers/history.h"

#include "app/answers/answer.h"
#include "app/answers/model_text.h"
#include "app/answers/named_tools.h"
#include "app/answers/term.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/path.h"
#include "vault/change/change.h"
#include "vault/change/journal.h"
#include "vault/review.h"
#include "vault/vault.h"

/* A caller's view of the journal while it is read. */
struct journal_view {
    const struct vault *vault;
    const struct journal *journal;
    struct arena *arena;
};

static bool history_sees(const struct journal_view *s, const struct journal_entry *e,
                         struct journal_change *out)
{
    struct err ignored; /* a change that cannot be read cannot be judged */
    return journal_read(s->journal, s->arena, e->number, false, out, &ignored) &&
           vault_sees_change(s->vault, out);
}

/* The number of the last of n changes that the caller may see, or 0. */
static uint64_t latest_of(const struct journal_view *s, const struct journal_entry *all,
                          size_t n)
{
    struct journal_change c;
    while (n-- > 0)
        if (history_sees(s, &all[n], &c))
            return all[n].number;
    return 0;
}

static bool history_is_at(str path, str wanted)
{
    return path_is_or_below(wanted, path) ||
           (str_ends(path, STR(".md")) && str_eq(str_slice(path, 0, path.n - 3), wanted));
}

/* Whether a name has the wanted part in it, ignoring case. */
static bool history_has(str name, str wanted)
{
    for (size_t i = 0; i + wanted.n <= name.n; i++)
        if (str_eq_nocase(str_slice(name, i, i + wanted.n), wanted))
            return true;
    return false;
}

static bool history_matches(const struct history_question *q,
                            const struct history_item *item)
{
    const struct journal_change *c = &item->change;
    bool at = q->path.n == 0;
    for (size_t i = 0; i < c->n && !at; i++)
        at = history_is_at(c->ops[i].path, q->path) ||
             history_is_at(c->ops[i].to, q->path);
    return at && item->entry.time >= q->from &&
           (q->client.n == 0 || history_has(c->client, q->client));
}

static void history_choose(const struct journal_view *s, const struct history_question *q,
                           struct history *out)
{
    const struct journal_entry *all;
    size_t n = journal_entries(s->journal, &all), from = 0, to = n;
    while (from < n && all[from].number <= q->since)
        from++;
    while (q->before > 0 && to > from && all[to - 1].number >= q->before)
        to--;
    for (size_t i = 0; i < to - from && !out->more; i++) {
        struct history_item item = {all[q->from_since ? from + i : to - 1 - i]};
        if (!history_sees(s, &item.entry, &item.change) || !history_matches(q, &item))
            continue;
        if (out->n < q->limit)
            *ARRAY_ADD(s->arena, out->items, out->n) = item;
        else
            out->more = true;
    }
    out->latest = latest_of(s, all, q->from_since ? from : n);
}

bool history_find(struct vault *v, struct arena *a, const struct history_question *q,
                  struct history *out, struct err *err)
{
    struct changes *changes = vault_changes(v, err);
    struct journal *j;
    *out = (struct history){.from_since = q->from_since};
    if (changes == NULL || !changes_lock_all(changes, &j, err))
        return false;
    history_choose(&(struct journal_view){v, j, a}, q, out);
    changes_unlock(changes);
    return true;
}

/* "tag a to b": what was renamed inside of notes, from the answer; or empty. */
static str history_renamed(struct arena *a, const struct journal_change *c)
{
    static const char *const kinds[] = {"tag", "property", "heading", "block"};
    const struct json *answer;
    struct err ignored;
    if (c->answer.n == 0 || !json_parse(a, c->answer, &answer, &ignored))
        return (str){0};
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        str name = json_get_str(answer, str_c(kinds[i]));
        if (name.n > 0)
            return arena_printf(a, "%s " STR_FMT " to " STR_FMT, kinds[i], STR_ARG(name),
                                STR_ARG(json_get_str(answer, STR("to"))));
    }
    return (str){0};
}

/* --- JSON --- */

static void history_put_files(struct answer_out *out, const struct history_item *item)
{
    enum { FEW = 20 };
    struct review_file *files;
    size_t most = answer_some(out, item->change.n, FEW);
    size_t n = review_list(out->w->out->arena, &item->change, most, &files);
    jsonw_put_array(out->w, STR("files"));
    for (size_t i = 0; i < n; i++) {
        jsonw_object(out->w);
        jsonw_put_str(out->w, STR("path"), files[i].path);
        jsonw_put_str(out->w, STR("operation"), journal_kind_name(files[i].kind));
        jsonw_put_text(out->w, STR("to"), files[i].to);
        jsonw_end(out->w);
    }
    jsonw_end(out->w);
    if (item->entry.files > n)
        jsonw_put_int(out->w, STR("total_files"), (int64_t)item->entry.files);
}

static void history_put(struct answer_out *out, const void *result, size_t i)
{
    const struct history_item *item = &((const struct history *)result)->items[i];
    const struct journal_entry *e = &item->entry;
    const struct journal_change *c = &item->change;
    char when[CLOCK_ISO_SIZE];
    jsonw_object(out->w);
    jsonw_put_int(out->w, STR("change"), (int64_t)e->number);
    jsonw_put_str(out->w, STR("time"), clock_iso(e->time, when));
    jsonw_put_str(out->w, STR("tool"), answer_tool_name(out->tools, c->tool));
    str renamed = history_renamed(out->w->out->arena, c);
    jsonw_put_text(out->w, STR("renamed"), renamed);
    jsonw_put_text(out->w, STR("who"), c->who);
    jsonw_put_text(out->w, STR("client"), c->client);
    if (e->undoes > 0)
        jsonw_put_int(out->w, STR("undoes"), (int64_t)e->undoes);
    if (e->undone_by > 0)
        jsonw_put_int(out->w, STR("undone_by"), (int64_t)e->undone_by);
    jsonw_put_true(out->w, STR("failed"), e->state == JOURNAL_ABORTED);
    history_put_files(out, item);
    jsonw_end(out->w);
}

static void history_put_proposals(struct answer_out *out, const struct history *h)
{
    char when[CLOCK_ISO_SIZE];
    if (h->n_proposals == 0)
        return;
    jsonw_put_array(out->w, STR("proposals"));
    for (size_t i = 0; i < h->n_proposals; i++) {
        const struct history_proposal *p = &h->proposals[i];
        jsonw_object(out->w);
        jsonw_put_str(out->w, STR("id"), p->id);
        jsonw_put_str(out->w, STR("state"), p->state);
        jsonw_put_str(out->w, STR("time"), clock_iso(p->time, when));
        jsonw_put_str(out->w, STR("summary"), p->summary);
        jsonw_put_text(out->w, STR("reason"), p->reason);
        jsonw_put_text(out->w, STR("accepted"), p->accepted);
        if (p->change > 0)
            jsonw_put_int(out->w, STR("change"), p->change);
        jsonw_end(out->w);
    }
    jsonw_end(out->w);
}

static void history_json(struct answer_out *out, const void *result)
{
    const struct history *h = result;
    jsonw_object(out->w);
    history_put_proposals(out, h);
    size_t shown = answer_items(out, STR("changes"), h, h->n, history_put);
    uint64_t last = shown > 0 ? h->items[shown - 1].entry.number : 0;
    if (shown > 0 && (shown < h->n || h->more)) {
        answer_more(out);
        jsonw_put_int(out->w, h->from_since ? STR("since") : STR("before"),
                      (int64_t)last);
        jsonw_end(out->w);
    }
    jsonw_put_int(out->w, STR("latest"),
                  (int64_t)(h->from_since && last > 0 ? last : h->latest));
    jsonw_end(out->w);
}

/* --- plain text --- */

static void history_text_files(struct model_text *s, const struct history_item *item)
{
    enum { FEW = 5 };
    struct review_file *files;
    size_t n = review_list(s->out->arena, &item->change, FEW, &files);
    for (size_t i = 0; i < n; i++) {
        sbuf_printf(s->out, "%s" STR_FMT " " STR_FMT, i > 0 ? ", " : ": ",
                    STR_ARG(journal_kind_name(files[i].kind)), STR_ARG(files[i].path));
        if (files[i].to.n > 0)
            sbuf_printf(s->out, " to " STR_FMT, STR_ARG(files[i].to));
    }
    if (item->entry.files > n)
        sbuf_printf(s->out, " and %llu more",
                    (unsigned long long)(item->entry.files - n));
}

static void history_text_one(struct model_text *s, const void *result, size_t i)
{
    const struct history_item *item = &((const struct history *)result)->items[i];
    const struct journal_entry *e = &item->entry;
    const struct journal_change *c = &item->change;
    char when[CLOCK_ISO_SIZE];
    sbuf_printf(s->out, "%llu " STR_FMT " " STR_FMT, (unsigned long long)e->number,
                STR_ARG(clock_iso(e->time, when)),
                STR_ARG(answer_tool_name(s->tools, c->tool)));
    if (c->who.n > 0)
        sbuf_printf(s->out, " by " STR_FMT, STR_ARG(c->who));
    if (c->client.n > 0)
        sbuf_printf(s->out, " with " STR_FMT, STR_ARG(c->client));
    str renamed = history_renamed(s->out->arena, c);
    if (renamed.n > 0) {
        sbuf_add(s->out, STR(", renamed "));
        mt_line(s, renamed);
    }
    history_text_files(s, item);
    if (e->undoes > 0)
        sbuf_printf(s->out, " (undoes %llu)", (unsigned long long)e->undoes);
    if (e->undone_by > 0)
        sbuf_printf(s->out, " (undone by %llu)", (unsigned long long)e->undone_by);
    sbuf_add(s->out, e->state == JOURNAL_ABORTED ? STR(" (failed, nothing changed)\n")
                                                 : STR("\n"));
}

static void history_text_proposals(struct model_text *s, const struct history *h)
{
    for (size_t i = 0; i < h->n_proposals; i++) {
        const struct history_proposal *p = &h->proposals[i];
        sbuf_printf(s->out, "proposal " STR_FMT " is " STR_FMT ": ", STR_ARG(p->id),
                    STR_ARG(p->state));
        mt_line(s, p->summary);
        if (p->reason.n > 0) {
            sbuf_add(s->out, STR(", because: "));
            mt_line(s, p->reason);
        }
        sbuf_add(s->out, STR("\n"));
    }
}

static void history_text(struct model_text *s, const void *result)
{
    const struct history *h = result;
    history_text_proposals(s, h);
    mt_count(s, h->n, "change", "changes");
    sbuf_add(s->out, h->from_since ? STR(", oldest first\n") : STR(", latest first\n"));
    size_t shown = mt_items(s, h, h->n, history_text_one);
    uint64_t last = shown > 0 ? h->items[shown - 1].entry.number : 0;
    if (shown > 0 && (shown < h->n || h->more))
        sbuf_printf(s->out, "[more: %s %llu]\n", h->from_since ? "since" : "before",
                    (unsigned long long)last);
}

/* --- a terminal --- */

/* The widths of the columns, which are missing if no change names an author. */
struct history_columns {
    size_t number, who, client, files;
};

static void history_widen(size_t *width, str text)
{
    size_t wanted = term_width(text);
    *width = wanted > *width ? wanted : *width;
}

static str history_number(struct arena *a, const struct history_item *item)
{
    return arena_printf(a, "%llu", (unsigned long long)item->entry.number);
}

static str history_count(struct arena *a, const struct history_item *item)
{
    return arena_count(a, (size_t)item->entry.files, "file", "files");
}

static struct history_columns history_measure(struct arena *a, const struct history *h)
{
    struct history_columns w = {0};
    for (size_t i = 0; i < h->n; i++) {
        history_widen(&w.number, history_number(a, &h->items[i]));
        history_widen(&w.who, h->items[i].change.who);
        history_widen(&w.client, h->items[i].change.client);
        history_widen(&w.files, history_count(a, &h->items[i]));
    }
    return w;
}

static void history_cell(struct term *t, enum term_style style, str text, size_t width)
{
    if (width == 0)
        return;
    term_left(t, style, text, width);
    term_put(t, TERM_PLAIN, STR("  "));
}

/* "moved Old.md to New.md": what people would name first. */
static str history_what(struct arena *a, const struct history_item *item)
{
    struct review_file *f;
    if (review_list(a, &item->change, 1, &f) == 0)
        return STR("");
    str path = f->outcome == REVIEW_RESTORED ? f->to : f->path;
    bool moved = f->outcome == REVIEW_MOVED;
    return arena_printf(a, "%s " STR_FMT "%s" STR_FMT, review_word(f->outcome),
                        STR_ARG(path), moved ? " to " : "",
                        STR_ARG(moved ? f->to : STR("")));
}

str history_summary(struct arena *a, const struct history_item *item)
{
    str renamed = history_renamed(a, &item->change);
    return renamed.n > 0 ? arena_printf(a, "renamed " STR_FMT, STR_ARG(renamed))
                         : history_what(a, item);
}

static str history_mark(struct arena *a, const struct journal_entry *e)
{
    if (e->state == JOURNAL_ABORTED)
        return STR("  failed, nothing changed");
    if (e->undone_by > 0)
        return arena_printf(a, "  undone by %llu", (unsigned long long)e->undone_by);
    return e->undoes == 0
               ? STR("")
               : arena_printf(a, "  undoes %llu", (unsigned long long)e->undoes);
}

/* The last column; on a terminal it is cut to what is left of the line after the others,
 * which take that many columns. */
static void history_put_what(struct term *t, const struct history_item *item, size_t used)
{
    enum { LEAST = 20 };
    str what = history_summary(t->out.arena, item);
    str mark = history_mark(t->out.arena, &item->entry);
    used += term_width(mark);
    size_t left = t->width > used + LEAST ? t->width - used : LEAST;
    term_found(t, what, NULL, 0, t->width > 0 ? left : 0);
    term_put(t, TERM_WARN, mark);
    term_put(t, TERM_PLAIN, STR("\n"));
}

static void history_term(struct term *t, const void *result)
{
    const struct history *h = result;
    struct arena *a = t->out.arena;
    struct history_columns w = history_measure(a, h);
    size_t gap = 2, used = w.number + gap + TERM_WHEN + gap +
                           (w.who > 0 ? w.who + gap : 0) +
                           (w.client > 0 ? w.client + gap : 0) + w.files + gap;
    for (size_t i = 0; i < h->n; i++) {
        const struct history_item *item = &h->items[i];
        term_right(t, TERM_STRONG, history_number(a, item), w.number);
        term_put(t, TERM_PLAIN, STR("  "));
        term_left(t, TERM_FAINT, term_when(t, item->entry.time), TERM_WHEN);
        term_put(t, TERM_PLAIN, STR("  "));
        history_cell(t, TERM_PLAIN, item->change.who, w.who);
        history_cell(t, TERM_PLAIN, item->change.client, w.client);
        term_right(t, TERM_FAINT, history_count(a, item), w.files);
        term_put(t, TERM_PLAIN, STR("  "));
        history_put_what(t, item, used);
    }
    if (h->n == 0 && h->latest == 0 && t->width > 0)
        term_put(t, TERM_FAINT, STR("Nothing was changed through vaultd yet\n"));
    if (h->more)
        term_put(term_remarks(t), TERM_FAINT,
                 STR("There are more; -n COUNT shows them\n"));
}

const struct answer_shape history_shape = {"history", .json = history_json,
                                           .text = history_text, .term = history_term};
