/* The modes to try for a query whose caller chose none. */
#include "vault/ask/query.h"
#include "vault/ask/search_parts.h"

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

/* If nothing is found, the answer is that of the first mode: its error or suggestions. */
bool search_auto(const struct index *x, struct arena *a, const struct search *s,
                 struct search_result *out, struct err *err)
{
    struct search_modes modes = modes_for(a, s->query);
    struct search as = *s;
    as.mode = modes.items[0];
    bool ok = search_run(x, a, &as, out, err);
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
