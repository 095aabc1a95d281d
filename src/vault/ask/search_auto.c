/* The modes to try for a query whose caller chose none. */
#include "base/utf8.h"
#include "vault/ask/query.h"
#include "vault/ask/search_parts.h"
#include "vault/text/textscan.h"

struct search_modes {
    enum search_mode items[3];
    size_t n;
};

static struct search_modes modes_for(struct arena *a, str text)
{
    static const struct search_modes by_intent[] = {
        [QUERY_NOT_MEANT] = {{SEARCH_TEXT, SEARCH_WORDS}, 2},
        [QUERY_MAY_BE] = {{SEARCH_TEXT, SEARCH_QUERY, SEARCH_WORDS}, 3},
        [QUERY_MEANT] = {{SEARCH_QUERY, SEARCH_TEXT}, 2},
    };
    const struct query *q;
    struct err ignored;
    return by_intent[query_parse(a, text, &q, &ignored) ? query_intent(q)
                                                        : QUERY_NOT_MEANT];
}

/* "#work" means tags, wherever they are; filters ask for more than the text. */
bool search_is_for_text(struct arena *a, const struct search *s)
{
    return (s->mode == SEARCH_TEXT ||
            (s->mode == SEARCH_AUTO && modes_for(a, s->query).items[0] == SEARCH_TEXT)) &&
           s->query.n > 0 && s->query.n <= TEXTSCAN_NEEDLE_MAX && utf8_valid(s->query) &&
           !str_starts(s->query, STR("#")) && s->folder.n == 0 && s->tag.n == 0 &&
           s->n_globs == 0 && !s->excluded;
}

/* If nothing is found, the answer is that of the first mode: its error or suggestions. */
bool search_auto(const struct index *x, struct arena *a, const struct search *s,
                 struct search_result *out, struct err *err)
{
    struct search_modes modes = modes_for(a, s->query);
    struct search as = *s;
    as.mode = modes.items[0];
    bool ok = search_run(x, a, &as, out, err);
    as.no_suggestions = true;
    for (size_t i = 1; i < modes.n && !(ok && (out->total > 0 || out->partial)); i++) {
        struct search_result other;
        struct err ignored;
        as.mode = modes.items[i];
        if (!search_run(x, a, &as, &other, &ignored) || other.total == 0)
            continue;
        *out = other;
        return true;
    }
    return ok;
}
