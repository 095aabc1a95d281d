#include "app/answers/multi_vault_hits.h"

#include <stdlib.h>

#include "app/answers/answer.h"
#include "app/answers/hits.h"
#include "app/answers/hits_parts.h"
#include "app/answers/model_text.h"
#include "app/answers/term.h"
#include "base/array.h"
#include "base/sort.h"
#include "vault/index/file.h"
#include "vault/text/hidden.h"

/* --- collecting --- */

static const struct hidden_list *copy_hidden(struct arena *a, const struct search_hit *h)
{
    struct hidden_list hidden;
    if (!hits_find_hidden(h, &hidden))
        return NULL;
    struct hidden_list *copy = ARENA_NEW(a, struct hidden_list);
    *copy = hidden;
    return copy;
}

void multi_vault_add(struct multi_vault_hits *x, struct arena *a, str vault,
                     const struct hits *hits)
{
    const struct search_result *r = &hits->found;
    bool weak = r->any || r->corrected.n > 0 || hits_is_other_mode(hits);
    for (size_t i = 0; i < r->n; i++) {
        const struct search_hit *h = &r->hits[i];
        size_t order = x->n;
        *ARRAY_ADD(a, x->hits, x->n) =
            (struct multi_vault_hit){.vault = vault,
                                     .path = arena_str(a, h->file->path),
                                     .snippet = arena_str(a, h->snippet),
                                     .heading = arena_str(a, h->heading),
                                     .text = arena_str(a, h->text),
                                     .line = hits_line(h),
                                     .where = h->where,
                                     .hidden = copy_hidden(a, h),
                                     .weak = weak,
                                     .rank = i,
                                     .order = order};
    }
    if (r->corrected.n > 0 && x->corrected.n == 0)
        x->corrected = arena_str(a, r->corrected);
    x->total += r->total;
    x->files += r->files;
    x->vaults++;
    x->partial |= r->partial;
    x->more |= r->more;
}

void multi_vault_leave_out(struct multi_vault_hits *x, struct arena *a, str vault)
{
    *ARRAY_ADD(a, x->left_out, x->n_left_out) = vault;
}

static int by_rank(const void *a, const void *b)
{
    const struct multi_vault_hit *x = a, *y = b;
    if (x->weak != y->weak)
        return x->weak ? 1 : -1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

void multi_vault_merge(struct multi_vault_hits *x)
{
    if (x->n > 1)
        sort_items(x->hits, x->n, sizeof(*x->hits), by_rank);
    size_t skipped = x->offset < x->n ? x->offset : x->n;
    x->hits = x->n > 0 ? x->hits + skipped : x->hits;
    x->n -= skipped;
    x->more |= x->n > x->limit;
    x->n = x->n < x->limit ? x->n : x->limit;
}

/* --- JSON --- */

static void multi_vault_put(struct answer_out *out, const void *result, size_t i)
{
    const struct multi_vault_hit *h = &((const struct multi_vault_hits *)result)->hits[i];
    jsonw_object(out->w);
    jsonw_put_str(out->w, STR("vault"), h->vault);
    jsonw_put_str(out->w, STR("path"), h->path);
    jsonw_put_str(out->w, STR("match_type"), hits_places[h->where]);
    jsonw_put_str(out->w, STR("snippet"), h->snippet);
    jsonw_put_int(out->w, STR("line"), h->line);
    jsonw_put_text(out->w, STR("heading"), h->heading);
    jsonw_end(out->w);
}

static void multi_vault_json(struct answer_out *out, const void *result)
{
    const struct multi_vault_hits *x = result;
    struct jsonw *w = out->w;
    jsonw_object(w);
    jsonw_put_str(w, STR("query"), x->search->query);
    jsonw_put_text(w, STR("corrected"), x->corrected);
    jsonw_put_int(w, STR("total_matches"), (int64_t)x->total);
    jsonw_put_int(w, STR("total_files"), (int64_t)x->files);
    jsonw_put_int(w, STR("vaults_searched"), (int64_t)x->vaults);
    size_t shown = answer_items(out, STR("results"), x, x->n, multi_vault_put);
    for (size_t i = 0; i < shown; i++)
        if (x->hits[i].hidden != NULL)
            answer_flag(out, "results", i, "snippet", x->hits[i].hidden);
    jsonw_put_true(w, STR("partial"), x->partial);
    hits_put_unsearched(out, x->left_out, x->n_left_out);
    if (shown < x->n || x->more)
        answer_next(out, x->offset + shown, SIZE_MAX);
    jsonw_end(w);
}

/* --- plain text --- */

/* Whether a hit is in the same file as the one before it. */
static bool multi_vault_again(const struct multi_vault_hits *x, size_t i)
{
    const struct multi_vault_hit *h = &x->hits[i];
    return i > 0 && str_eq(h[-1].path, h->path) && str_eq(h[-1].vault, h->vault);
}

/* "work: Projects/Plan.md", and below it the line. */
static void multi_vault_text_one(struct model_text *s, const void *result, size_t i)
{
    const struct multi_vault_hit *h = &((const struct multi_vault_hits *)result)->hits[i];
    if (!multi_vault_again(result, i))
        sbuf_printf(s->out, STR_FMT ": " STR_FMT "%s\n", STR_ARG(h->vault),
                    STR_ARG(h->path), h->where == SEARCH_FILENAME ? " (name)" : "");
    if (h->where == SEARCH_FILENAME)
        return;
    sbuf_printf(s->out, "%u: ", h->line);
    if (h->heading.n > 0) {
        mt_line(s, h->heading);
        sbuf_add(s->out, STR(": "));
    }
    mt_line(s, h->snippet);
    sbuf_add(s->out, h->hidden != NULL ? STR(" [people do not see this]\n") : STR("\n"));
}

static void multi_vault_text(struct model_text *s, const void *result)
{
    const struct multi_vault_hits *x = result;
    mt_count(s, x->total, "match", "matches");
    sbuf_add(s->out, STR(" in "));
    mt_count(s, x->files, "file", "files");
    sbuf_add(s->out, STR(" of "));
    mt_count(s, x->vaults, "vault", "vaults");
    sbuf_char(s->out, '\n');
    size_t shown = mt_items(s, x, x->n, multi_vault_text_one);
    if (shown < x->n || x->more)
        mt_next(s, x->offset + shown, SIZE_MAX);
    if (x->corrected.n > 0)
        mt_note(s, arena_printf(s->out->arena, "searched for " STR_FMT,
                                STR_ARG(x->corrected)));
    if (x->n > 0 && x->hits[0].weak)
        mt_note(s, STR("no exact match"));
    if (x->partial)
        mt_note(s, STR("timed out: there may be more"));
    if (x->n_left_out > 0)
        mt_note(s,
                arena_printf(
                    s->out->arena, "not searched: " STR_FMT "; name one to search it",
                    STR_ARG(hits_unsearched(s->out->arena, x->left_out, x->n_left_out))));
}

/* --- for a terminal --- */

/* "work:Projects/Plan.md:3:the line" */
static void multi_vault_term_line(struct term *t, const struct multi_vault_hits *x,
                                  size_t i)
{
    const struct multi_vault_hit *h = &x->hits[i];
    str place = arena_printf(t->out.arena, STR_FMT ":" STR_FMT, STR_ARG(h->vault),
                             STR_ARG(h->path));
    if (h->where == SEARCH_FILENAME) {
        term_put(t, TERM_PATH, place);
    } else {
        size_t width = term_place(t, place, h->line, !multi_vault_again(x, i));
        term_found(t, h->text.n > 0 ? h->text : h->snippet, NULL, 0, width);
    }
    term_put(t, TERM_PLAIN, STR("\n"));
}

static void multi_vault_term(struct term *t, const void *result)
{
    const struct multi_vault_hits *x = result;
    for (size_t i = 0; i < x->n; i++)
        multi_vault_term_line(t, x, i);
    if (x->corrected.n > 0)
        term_printf(t->notes, TERM_FAINT, "searched for " STR_FMT "\n",
                    STR_ARG(x->corrected));
    if (x->n_left_out > 0)
        term_printf(t->notes, TERM_FAINT, "not searched: " STR_FMT "\n",
                    STR_ARG(hits_unsearched(t->out.arena, x->left_out, x->n_left_out)));
}

const struct answer_shape multi_vault_shape = {"across", .json = multi_vault_json,
                                               .text = multi_vault_text,
                                               .term = multi_vault_term};
