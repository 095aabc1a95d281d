#include "app/answers/queried.h"

#include "app/answers/answer.h"
#include "app/answers/model_text.h"
#include "app/answers/term.h"

void queried_unknown_json(struct answer_out *out, const struct unknown_field *list,
                          size_t n)
{
    if (n == 0)
        return;
    jsonw_put_array(out->w, STR("unknown"));
    for (size_t i = 0; i < n; i++) {
        jsonw_object(out->w);
        jsonw_put_str(out->w, STR("field"), list[i].field);
        jsonw_put_strs(out->w, STR("nearest"), list[i].nearest, list[i].n);
        jsonw_end(out->w);
    }
    jsonw_end(out->w);
}

void queried_unknown_text(struct model_text *s, const struct unknown_field *list,
                          size_t n)
{
    for (size_t i = 0; i < n; i++) {
        sbuf_printf(s->out, "[no note has '" STR_FMT "'", STR_ARG(list[i].field));
        if (list[i].n > 0)
            sbuf_add(s->out, STR("; did you mean: "));
        mt_list(s, list[i].nearest, list[i].n);
        sbuf_add(s->out, STR("]\n"));
    }
}

void queried_unknown_term(struct term *t, const struct unknown_field *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct unknown_field *u = &list[i];
        term_printf(t, TERM_PLAIN, "No note has a property '" STR_FMT "'",
                    STR_ARG(u->field));
        for (size_t k = 0; k < u->n; k++)
            term_printf(t, TERM_PLAIN, "%s'" STR_FMT "'",
                        k == 0 ? "; did you mean " : ", ", STR_ARG(u->nearest[k]));
        term_put(t, TERM_PLAIN, u->n > 0 ? STR("?\n") : STR(".\n"));
    }
}

void queried_count(struct model_text *s, const char *limit, size_t n, const char *one,
                   const char *several)
{
    sbuf_add(s->out, limit != NULL ? STR("at least ") : STR(""));
    mt_count(s, n, one, several);
}

void queried_limit_json(struct answer_out *out, const char *limit)
{
    if (limit == NULL)
        return;
    jsonw_put_bool(out->w, STR("partial"), true);
    jsonw_put_str(out->w, STR("limit"), str_c(limit));
}

void queried_limit_text(struct model_text *s, const char *limit)
{
    if (limit != NULL)
        sbuf_printf(s->out, "[stopped: the query needs %s]\n", limit);
}
