#include "app/answers/feed.h"

#include "app/answers/answer.h"
#include "app/answers/model_text.h"
#include "app/answers/named_tools.h"
#include "app/answers/term.h"
#include "base/clock.h"
#include "base/json_write.h"
#include "vault/feed.h"

/* Where the next question goes on, if only that many of the entries fit. */
static int64_t feed_goes_on(const struct vault_feed_answer *f, size_t shown)
{
    int64_t at;
    unsigned tag;
    if (shown >= f->n)
        return f->cursor;
    feed_cursor_parts(f->cursor, &at, &tag);
    return feed_cursor(f->items[shown - 1].at, tag);
}

/* --- JSON --- */

static void feed_put(struct answer_out *out, const void *result, size_t i)
{
    const struct feed_entry *e = &((const struct vault_feed_answer *)result)->items[i];
    char when[CLOCK_ISO_SIZE];
    jsonw_object(out->w);
    jsonw_put_str(out->w, STR("time"), clock_iso(e->at / 1000, when));
    jsonw_put_str(out->w, STR("kind"), str_c(feed_kind_names[e->kind]));
    jsonw_put_str(out->w, STR("path"), e->path);
    jsonw_put_text(out->w, STR("from"), e->from);
    jsonw_put_text(out->w, STR("who"), e->who);
    jsonw_put_text(out->w, STR("client"), e->client);
    jsonw_put_text(out->w, STR("tool"), answer_tool_name(out->tools, e->tool));
    if (e->change > 0)
        jsonw_put_int(out->w, STR("change"), (int64_t)e->change);
    jsonw_end(out->w);
}

static void feed_json(struct answer_out *out, const void *result)
{
    const struct vault_feed_answer *f = result;
    char when[CLOCK_ISO_SIZE];
    jsonw_object(out->w);
    size_t shown = answer_items(out, STR("files"), f, f->n, feed_put);
    if (f->more || shown < f->n) {
        answer_more(out);
        jsonw_put_int(out->w, STR("since"), feed_goes_on(f, shown));
        jsonw_end(out->w);
    }
    jsonw_put_int(out->w, STR("cursor"), feed_goes_on(f, shown));
    jsonw_put_true(out->w, STR("repeated"), f->repeated);
    if (f->missed)
        jsonw_put_str(out->w, STR("missed_before"), clock_iso(f->since, when));
    jsonw_end(out->w);
}

/* --- plain text --- */

static void feed_text_one(struct model_text *s, const void *result, size_t i)
{
    const struct feed_entry *e = &((const struct vault_feed_answer *)result)->items[i];
    char when[CLOCK_ISO_SIZE];
    sbuf_printf(s->out, STR_FMT " %s ", STR_ARG(clock_iso(e->at / 1000, when)),
                feed_kind_names[e->kind]);
    if (e->from.n > 0)
        sbuf_printf(s->out, STR_FMT " to ", STR_ARG(e->from));
    sbuf_add(s->out, e->path);
    if (e->who.n > 0)
        sbuf_printf(s->out, " by " STR_FMT, STR_ARG(e->who));
    if (e->client.n > 0)
        sbuf_printf(s->out, " with " STR_FMT, STR_ARG(e->client));
    if (e->tool.n > 0)
        sbuf_printf(s->out, " (" STR_FMT ")",
                    STR_ARG(answer_tool_name(s->tools, e->tool)));
    if (e->change > 0)
        sbuf_printf(s->out, " change %llu", (unsigned long long)e->change);
    sbuf_add(s->out, STR("\n"));
}

static void feed_text(struct model_text *s, const void *result)
{
    const struct vault_feed_answer *f = result;
    char when[CLOCK_ISO_SIZE];
    mt_count(s, f->n, "changed file", "changed files");
    sbuf_add(s->out, STR(", oldest first\n"));
    if (f->missed)
        sbuf_printf(s->out, "[what changed before " STR_FMT " is not known]\n",
                    STR_ARG(clock_iso(f->since, when)));
    if (f->repeated)
        mt_note(s, STR("the cursor is of another server: some may be known already"));
    size_t shown = mt_items(s, f, f->n, feed_text_one);
    sbuf_printf(s->out, "[%s: since %lld]\n",
                f->more || shown < f->n ? "more" : "what comes next",
                (long long)feed_goes_on(f, shown));
}

/* --- a terminal --- */

static void feed_term_one(struct term *t, const struct feed_entry *e)
{
    term_left(t, TERM_FAINT, term_when(t, e->at / 1000), TERM_WHEN);
    term_put(t, TERM_PLAIN, STR("  "));
    term_left(t, e->kind == FEED_DELETED ? TERM_WARN : TERM_PLAIN,
              str_c(feed_kind_names[e->kind]), sizeof("changed") - 1);
    term_put(t, TERM_PLAIN, STR("  "));
    if (e->from.n > 0) {
        term_found(t, e->from, NULL, 0, 0);
        term_put(t, TERM_PLAIN, STR(" to "));
    }
    term_found(t, e->path, NULL, 0, 0);
    str client = e->client.n > 0 ? e->client : e->tool;
    if (e->who.n + client.n > 0)
        term_printf(t, TERM_FAINT, "  " STR_FMT "%s" STR_FMT, STR_ARG(e->who),
                    e->who.n > 0 && client.n > 0 ? ", " : "", STR_ARG(client));
    if (e->change > 0)
        term_printf(t, TERM_FAINT, "  change %llu", (unsigned long long)e->change);
    term_put(t, TERM_PLAIN, STR("\n"));
}

static void feed_term(struct term *t, const void *result)
{
    const struct vault_feed_answer *f = result;
    for (size_t i = 0; i < f->n; i++)
        feed_term_one(t, &f->items[i]);
    if (f->missed)
        term_printf(term_remarks(t), TERM_WARN,
                    "What changed before " STR_FMT " is not known\n",
                    STR_ARG(term_when(term_remarks(t), f->since)));
    if (f->repeated)
        term_put(term_remarks(t), TERM_FAINT,
                 STR("The cursor is of another server: some may be known already\n"));
    term_printf(term_remarks(t), TERM_FAINT, "%s: --since %lld\n",
                f->more ? "There are more" : "What comes next", (long long)f->cursor);
}

const struct answer_shape feed_shape = {"feed", .json = feed_json, .text = feed_text,
                                        .term = feed_term};
