/* The modes to try for a query whose caller chose none. */
#include "base/utf8.h"
#include "vault/ask/query.h"
#include "vault/ask/search_parts.h"
#include "vault/index/words_query.h"
#include "vault/text/textscan.h"

struct search_modes {
    enum search_mode items[3];
    size_t n;
};

static struct search_modes modes_for(struct arena *a, str text)
{
    static const struct search_modes by_intent[] = {
        [QUERY_NOT_MEANT] = {{SEARCH_TEXT, SEARCH_FUSED}, 2},
        [QUERY_MAY_BE] = {{SEARCH_TEXT, SEARCH_QUERY, SEARCH_FUSED}, 3},
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

static size_t count_words(struct arena *a, str query)
{
    struct words_query q;
    struct err ignored;
    return words_read_query(a, query, &q, &ignored) ? q.n : 0;
}

static bool has_text(const struct search_result *r, const struct file *f)
{
    for (size_t i = 0; i < r->n_by_file; i++)
        if (r->by_file[i].file == f)
            return true;
    return false;
}

/* What is known about meaning, whether or not it found something. */
static void take_state(struct search_result *out, const struct search_result *ranked)
{
    out->asks_meaning = ranked->asks_meaning;
    out->no_meaning = ranked->no_meaning;
    out->covered = ranked->covered;
}

/* Few files have the text, which is in out: also look at ranked notes. They come after
 * it, unless the text may be a topic and another note matches it better. */
static void add_ranked(const struct index *x, struct arena *a, const struct search *s,
                       size_t words, struct search_result *out)
{
    struct search_result ranked;
    struct err ignored;
    struct search as = *s;
    as.mode = SEARCH_FUSED;
    as.offset = 0;
    as.limit = SEARCH_FEW + out->files;
    if (!search_run(x, a, &as, &ranked, &ignored))
        return;
    take_state(out, &ranked);
    bool topic = words >= SEARCH_TOPIC && words < SEARCH_QUOTE;
    if (topic && ranked.n > 0 && !has_text(out, ranked.hits[0].file)) {
        as.offset = s->offset;
        as.limit = s->limit;
        if (!search_run(x, a, &as, &ranked, &ignored))
            return;
        ranked.exact = out->files;
        *out = ranked;
        return;
    }
    out->near = ranked.hits;
    for (size_t i = 0; i < ranked.n && s->offset == 0 && !out->more; i++)
        if (out->files + out->n_near < SEARCH_FEW && !has_text(out, ranked.hits[i].file))
            out->near[out->n_near++] = ranked.hits[i];
}

/* If nothing is found, the answer is that of the first mode: its error or suggestions. */
bool search_auto(const struct index *x, struct arena *a, const struct search *s,
                 struct search_result *out, struct err *err)
{
    struct search_modes modes = modes_for(a, s->query);
    struct search as = *s;
    size_t words = modes.items[0] == SEARCH_TEXT ? count_words(a, s->query) : 0;
    as.mode = modes.items[0];
    as.by_score = words > 1;
    as.by_file = true;
    bool ok = search_run(x, a, &as, out, err);
    as.no_suggestions = true;
    as.by_file = s->by_file;
    if (ok && (out->total > 0 || out->partial)) {
        bool few = out->files < SEARCH_FEW && !out->partial;
        if (few && (words > 1 || (words == 1 && s->meaning != NULL)))
            add_ranked(x, a, &as, words, out);
        return true;
    }
    for (size_t i = 1; i < modes.n; i++) {
        struct search_result other;
        struct err ignored;
        as.mode = modes.items[i];
        if (!search_run(x, a, &as, &other, &ignored))
            continue;
        bool found = other.total > 0;
        if (found || other.asks_meaning)
            *out = other;
        if (found)
            return true;
        if (ok)
            take_state(out, &other);
        ok = ok || other.asks_meaning;
    }
    return ok;
}
