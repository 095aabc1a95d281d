#include "app/answers/history.h"

#include "app/answers/answer.h"
#include "app/answers/say.h"
#include "app/answers/term.h"
#include "base/array.h"
#include "base/clock.h"
#include "vault/change/change.h"
#include "vault/change/journal.h"
#include "vault/vault.h"

/* A caller's view of the journal while it is read. */
struct seen {
    const struct vault *vault;
    const struct journal *journal;
    struct arena *arena;
};

static bool history_sees(const struct seen *s, const struct journal_entry *e,
                         struct journal_change *out)
{
    struct err ignored; /* a change that cannot be read cannot be judged */
    return journal_read(s->journal, s->arena, e->number, false, out, &ignored) &&
           vault_sees_change(s->vault, out);
}

/* The number of the last of n changes that the caller may see, or 0. */
static uint64_t latest_of(const struct seen *s, const struct journal_entry *all, size_t n)
{
    struct journal_change c;
    while (n-- > 0)
        if (history_sees(s, &all[n], &c))
            return all[n].number;
    return 0;
}

static void history_choose(const struct seen *s, const struct history_question *q,
                           struct history *out)
{
    const struct journal_entry *all;
    size_t n = journal_entries(s->journal, &all), from = 0, to = n;
    while (q->from_since && from < n && all[from].number <= q->since)
        from++;
    while (q->before > 0 && to > from && all[to - 1].number >= q->before)
        to--;
    for (size_t i = 0; i < to - from && !out->more; i++) {
        struct history_item item = {all[q->from_since ? from + i : to - 1 - i]};
        if (!history_sees(s, &item.entry, &item.change))
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
    if (changes == NULL || !changes_hold(changes, &j, err))
        return false;
    history_choose(&(struct seen){v, j, a}, q, out);
    changes_let_go(changes);
    return true;
}

/* --- JSON --- */

static void history_put_files(struct answer_out *out, const struct journal_change *c)
{
    enum { FEW = 20 };
    size_t n = answer_some(out, c->n, FEW);
    jsonw_put_array(out->w, STR("files"));
    for (size_t i = 0; i < n; i++) {
        jsonw_object(out->w);
        jsonw_put_str(out->w, STR("path"), c->ops[i].path);
        jsonw_put_str(out->w, STR("operation"), journal_kind_name(c->ops[i].kind));
        if (c->ops[i].to.n > 0)
            jsonw_put_str(out->w, STR("to"), c->ops[i].to);
        jsonw_end(out->w);
    }
    jsonw_end(out->w);
    if (n < c->n)
        jsonw_put_int(out->w, STR("total_files"), (int64_t)c->n);
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
    jsonw_put_str(out->w, STR("tool"), c->tool);
    if (c->who.n > 0)
        jsonw_put_str(out->w, STR("who"), c->who);
    if (c->client.n > 0)
        jsonw_put_str(out->w, STR("client"), c->client);
    if (e->undoes > 0)
        jsonw_put_int(out->w, STR("undoes"), (int64_t)e->undoes);
    if (e->undone_by > 0)
        jsonw_put_int(out->w, STR("undone_by"), (int64_t)e->undone_by);
    if (e->state == JOURNAL_ABORTED)
        jsonw_put_bool(out->w, STR("failed"), true);
    history_put_files(out, c);
    jsonw_end(out->w);
}

static void history_json(struct answer_out *out, const void *result)
{
    const struct history *h = result;
    jsonw_object(out->w);
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

static void history_say_files(struct say *s, const struct journal_change *c)
{
    enum { FEW = 5 };
    for (size_t i = 0; i < c->n && i < FEW; i++) {
        str kind = journal_kind_name(c->ops[i].kind);
        sbuf_printf(s->out, "%s" STR_FMT " " STR_FMT, i > 0 ? ", " : ": ", STR_ARG(kind),
                    STR_ARG(c->ops[i].path));
        if (c->ops[i].to.n > 0)
            sbuf_printf(s->out, " to " STR_FMT, STR_ARG(c->ops[i].to));
    }
    if (c->n > FEW)
        sbuf_printf(s->out, " and %zu more", c->n - FEW);
}

static void history_say_one(struct say *s, const void *result, size_t i)
{
    const struct history_item *item = &((const struct history *)result)->items[i];
    const struct journal_entry *e = &item->entry;
    const struct journal_change *c = &item->change;
    char when[CLOCK_ISO_SIZE];
    sbuf_printf(s->out, "%llu " STR_FMT " " STR_FMT, (unsigned long long)e->number,
                STR_ARG(clock_iso(e->time, when)), STR_ARG(c->tool));
    if (c->who.n > 0)
        sbuf_printf(s->out, " by " STR_FMT, STR_ARG(c->who));
    if (c->client.n > 0)
        sbuf_printf(s->out, " with " STR_FMT, STR_ARG(c->client));
    history_say_files(s, c);
    if (e->undoes > 0)
        sbuf_printf(s->out, " (undoes %llu)", (unsigned long long)e->undoes);
    if (e->undone_by > 0)
        sbuf_printf(s->out, " (undone by %llu)", (unsigned long long)e->undone_by);
    sbuf_add(s->out, e->state == JOURNAL_ABORTED ? STR(" (failed, nothing changed)\n")
                                                 : STR("\n"));
}

static void history_text(struct say *s, const void *result)
{
    const struct history *h = result;
    say_count(s, h->n, "change", "changes");
    sbuf_add(s->out, h->from_since ? STR(", oldest first\n") : STR(", latest first\n"));
    size_t shown = say_items(s, h, h->n, history_say_one);
    uint64_t last = shown > 0 ? h->items[shown - 1].entry.number : 0;
    if (shown > 0 && (shown < h->n || h->more))
        sbuf_printf(s->out, "[more: %s %llu]\n", h->from_since ? "since" : "before",
                    (unsigned long long)last);
}

/* --- a terminal --- */

static void history_term(struct term *t, const void *result)
{
    const struct history *h = result;
    struct arena *a = t->out.arena;
    for (size_t i = 0; i < h->n; i++) {
        const struct journal_entry *e = &h->items[i].entry;
        const struct journal_change *c = &h->items[i].change;
        term_right(t, TERM_STRONG, arena_printf(a, "%llu", (unsigned long long)e->number),
                   6);
        term_printf(t, TERM_FAINT, "  " STR_FMT "  ", STR_ARG(term_time(a, e->time)));
        term_left(t, TERM_PLAIN, c->tool, 12);
        if (c->n > 0)
            term_printf(t, TERM_PATH, STR_FMT, STR_ARG(c->ops[0].path));
        if (c->n > 1)
            term_printf(t, TERM_FAINT, " and %zu more", c->n - 1);
        if (e->undone_by > 0)
            term_printf(t, TERM_WARN, "  undone by %llu",
                        (unsigned long long)e->undone_by);
        if (e->state == JOURNAL_ABORTED)
            term_put(t, TERM_BAD, STR("  failed, nothing changed"));
        term_put(t, TERM_PLAIN, STR("\n"));
    }
}

const struct answer_shape history_shape = {"history", .json = history_json,
                                           .text = history_text, .term = history_term};
