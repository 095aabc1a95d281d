#include "app/answers/reviewed.h"

#include "app/answers/answer.h"
#include "app/answers/model_text.h"
#include "app/answers/named_tools.h"
#include "app/answers/term.h"
#include "base/clock.h"
#include "vault/review.h"

static str reviewed_diff(struct arena *a, const struct review *r, size_t max)
{
    return review_diff(a, r, max == SIZE_MAX ? 0 : REVIEWED_DIFF_MAX);
}

/* --- JSON --- */

static void reviewed_put_number(struct jsonw *w, const char *key, uint64_t number)
{
    if (number > 0)
        jsonw_put_int(w, str_c(key), (int64_t)number);
}

static void reviewed_put_files(struct answer_out *out, const struct review *r)
{
    enum { FEW = 100 };
    size_t n = answer_some(out, r->n, FEW);
    jsonw_put_array(out->w, STR("files"));
    for (size_t i = 0; i < n; i++) {
        const struct review_file *f = &r->files[i];
        jsonw_object(out->w);
        jsonw_put_str(out->w, STR("path"), f->path);
        jsonw_put_str(out->w, STR("outcome"), str_c(review_word(f->outcome)));
        jsonw_put_text(out->w, STR("to"), f->to);
        jsonw_put_text(out->w, STR("no_diff"), str_c(f->no_diff));
        jsonw_end(out->w);
    }
    jsonw_end(out->w);
    if (r->entry.files > n)
        reviewed_put_number(out->w, "total_files", r->entry.files);
}

static void reviewed_json(struct answer_out *out, const void *result)
{
    const struct review *r = result;
    struct jsonw *w = out->w;
    char when[CLOCK_ISO_SIZE];
    jsonw_object(w);
    reviewed_put_number(w, "change", r->entry.number);
    jsonw_put_str(w, STR("time"), clock_iso(r->entry.time, when));
    jsonw_put_str(w, STR("tool"), answer_tool_name(out->tools, r->change.tool));
    jsonw_put_text(w, STR("who"), r->change.who);
    jsonw_put_text(w, STR("client"), r->change.client);
    reviewed_put_number(w, "undoes", r->entry.undoes);
    reviewed_put_number(w, "undone_by", r->entry.undone_by);
    jsonw_put_true(w, STR("failed"), r->entry.state == JOURNAL_ABORTED);
    reviewed_put_files(out, r);
    jsonw_put_str(w, STR("diff"), reviewed_diff(w->out->arena, r, out->max));
    jsonw_end(w);
}

/* --- plain text --- */

static void reviewed_text(struct model_text *s, const void *result)
{
    const struct review *r = result;
    char when[CLOCK_ISO_SIZE];
    sbuf_printf(s->out, "change %llu, " STR_FMT ", " STR_FMT,
                (unsigned long long)r->entry.number,
                STR_ARG(clock_iso(r->entry.time, when)),
                STR_ARG(answer_tool_name(s->tools, r->change.tool)));
    if (r->change.who.n > 0)
        sbuf_printf(s->out, " by " STR_FMT, STR_ARG(r->change.who));
    if (r->change.client.n > 0)
        sbuf_printf(s->out, " with " STR_FMT, STR_ARG(r->change.client));
    if (r->entry.undoes > 0)
        sbuf_printf(s->out, " (undoes %llu)", (unsigned long long)r->entry.undoes);
    if (r->entry.undone_by > 0)
        sbuf_printf(s->out, " (undone by %llu)", (unsigned long long)r->entry.undone_by);
    if (r->entry.state == JOURNAL_ABORTED)
        sbuf_add(s->out, STR(" (failed, nothing changed)"));
    sbuf_char(s->out, '\n');
    mt_text(s, reviewed_diff(s->out->arena, r, s->max));
}

/* --- a terminal --- */

static void reviewed_line(struct term *t, const char *label, str text)
{
    enum { LABEL = 8 };
    if (text.n > 0)
        term_labelled(t, label, LABEL, text);
}

static str reviewed_number(struct term *t, const char *words, uint64_t number)
{
    return number == 0
               ? STR("")
               : arena_printf(t->out.arena, "%s %llu", words, (unsigned long long)number);
}

static void reviewed_term(struct term *t, const void *result)
{
    const struct review *r = result;
    struct arena *a = t->out.arena;
    term_put(t, TERM_STRONG, reviewed_number(t, "change", r->entry.number));
    term_put(t, TERM_PLAIN, STR("\n"));
    reviewed_line(t, "when", term_when(t, r->entry.time));
    reviewed_line(t, "who", r->change.who);
    reviewed_line(t, "client", r->change.client);
    reviewed_line(t, "tool", r->change.tool);
    reviewed_line(t, "files",
                  arena_printf(a, "%llu", (unsigned long long)r->entry.files));
    reviewed_line(t, "undo", reviewed_number(t, "of change", r->entry.undoes));
    reviewed_line(t, "undone", reviewed_number(t, "by change", r->entry.undone_by));
    if (r->entry.state == JOURNAL_ABORTED)
        reviewed_line(t, "failed", STR("nothing was changed"));
    term_put(t, TERM_PLAIN, STR("\n"));
    term_diff(t, reviewed_diff(a, r, SIZE_MAX));
}

const struct answer_shape reviewed_shape = {"reviewed", .json = reviewed_json,
                                            .text = reviewed_text, .term = reviewed_term};
