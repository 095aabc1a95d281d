#include "app/answers/findings.h"

#include "app/answers/answer.h"
#include "app/answers/say.h"
#include "app/answers/term.h"
#include "vault/ask/check.h"
#include "vault/index/index.h"

/* --- JSON --- */

static void findings_put(struct answer_out *out, const void *result, size_t i)
{
    const struct findings *r = result;
    const struct check_finding *f = &r->found.findings[i];
    jsonw_object(out->w);
    jsonw_put_str(out->w, STR("kind"), str_c(check_kind_name(f->kind)));
    jsonw_put_str(out->w, STR("severity"), str_c(check_severity_name(f->severity)));
    jsonw_put_str(out->w, STR("path"), index_file(r->index, f->file)->path);
    if (f->line > 0)
        jsonw_put_int(out->w, STR("line"), f->line);
    jsonw_put_str(out->w, STR("message"), f->message);
    if (f->suggestion.n > 0)
        jsonw_put_str(out->w, STR("suggestion"), f->suggestion);
    jsonw_end(out->w);
}

static void findings_json(struct answer_out *out, const void *result)
{
    const struct check_result *r = &((const struct findings *)result)->found;
    jsonw_object(out->w);
    answer_items(out, STR("findings"), result, r->n, findings_put);
    jsonw_put_int(out->w, STR("total"), (int64_t)r->total);
    jsonw_put_object(out->w, STR("counts"));
    for (int i = 0; i < CHECK_KINDS; i++)
        if (r->counts[i] > 0)
            jsonw_put_int(out->w, str_c(check_kind_name((enum check_kind)i)),
                          (int64_t)r->counts[i]);
    jsonw_end(out->w);
    jsonw_end(out->w);
}

/* --- plain text --- */

static void findings_say_one(struct say *s, const void *result, size_t i)
{
    const struct findings *r = result;
    const struct check_finding *f = &r->found.findings[i];
    if (i == 0 || f[-1].file != f->file)
        sbuf_printf(s->out, STR_FMT "\n", STR_ARG(index_file(r->index, f->file)->path));
    if (f->line > 0)
        sbuf_printf(s->out, "%u: ", f->line);
    sbuf_printf(s->out, "%s: " STR_FMT, check_kind_name(f->kind), STR_ARG(f->message));
    if (f->suggestion.n > 0)
        sbuf_printf(s->out, "; " STR_FMT, STR_ARG(f->suggestion));
    sbuf_char(s->out, '\n');
}

static void findings_text(struct say *s, const void *result)
{
    const struct check_result *r = &((const struct findings *)result)->found;
    say_count(s, r->total, "finding", "findings");
    for (int i = 0, n = 0; i < CHECK_KINDS; i++)
        if (r->counts[i] > 0)
            sbuf_printf(s->out, "%s%s %zu", n++ > 0 ? ", " : ": ",
                        check_kind_name((enum check_kind)i), r->counts[i]);
    sbuf_char(s->out, '\n');
    say_items(s, result, r->n, findings_say_one);
}

/* --- a terminal --- */

static void findings_put_line(struct term *t, const struct check_finding *f, str path,
                              bool new_file)
{
    static const enum term_style styles[] = {
        [CHECK_ERROR] = TERM_BAD,
        [CHECK_WARNING] = TERM_WARN,
        [CHECK_INFO] = TERM_FAINT,
    };
    bool people = t->width > 0;
    term_place(t, path, f->line, new_file);
    term_put(t, TERM_PLAIN, people ? STR("") : STR(" "));
    term_put(t, styles[f->severity], str_c(check_kind_name(f->kind)));
    term_printf(t, TERM_PLAIN, people ? "  " STR_FMT "\n" : ": " STR_FMT "\n",
                STR_ARG(f->message));
    if (people && f->suggestion.n > 0)
        term_printf(t, TERM_FAINT, "          " STR_FMT "\n", STR_ARG(f->suggestion));
}

static void findings_term(struct term *t, const void *result)
{
    const struct findings *r = result;
    const struct check_finding *all = r->found.findings;
    for (size_t i = 0; i < r->found.n; i++)
        findings_put_line(t, &all[i], index_file(r->index, all[i].file)->path,
                          i == 0 || all[i - 1].file != all[i].file);
    if (t->width == 0)
        return;
    if (r->found.n > 0)
        term_put(t, TERM_PLAIN, STR("\n"));
    term_printf(t, TERM_FAINT, STR_FMT "%s\n",
                STR_ARG(term_count(t, r->found.total, "finding", "findings")),
                r->found.n < r->found.total ? "; more with --limit" : "");
}

const struct answer_shape findings_shape = {"findings", .json = findings_json,
                                            .text = findings_text, .term = findings_term};
