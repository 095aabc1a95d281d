#include "app/answers/answer.h"
#include "app/answers/changed.h"
#include "app/answers/hits.h"
#include "app/answers/linked.h"
#include "app/tools/obsidian_vault_mcp/tools.h"
#include "vault/ask/search.h"

/* {"results": [...]}; a list that was cut says so. */
static void results_json(struct answer_out *out, const void *result, size_t n,
                         answer_item *put, size_t total, bool partial)
{
    jsonw_object(out->w);
    size_t shown = answer_items(out, STR("results"), result, n, put);
    if (shown < total || partial) {
        jsonw_put_bool(out->w, STR("truncated"), true);
        jsonw_put_int(out->w, STR("total"), (int64_t)total);
        jsonw_key(out->w, STR("note"));
        jsonw_printf(out->w,
                     "Only the first %zu of %s%zu: narrow the search to see the rest",
                     shown, partial ? "at least " : "", total);
    }
    jsonw_end(out->w);
}

static void results_put_line(struct jsonw *w, str path, uint32_t line, str text)
{
    jsonw_object(w);
    jsonw_put_str(w, STR("path"), path);
    jsonw_put_int(w, STR("line"), line);
    jsonw_put_str(w, STR("text"), text);
    jsonw_end(w);
}

/* --- searches --- */

static void results_put_hit(struct answer_out *out, const void *result, size_t i)
{
    const struct search_hit *h = &((const struct hits *)result)->found.hits[i];
    results_put_line(out->w, h->file->path, h->line, h->text);
}

static void hits_json(struct answer_out *out, const void *result)
{
    const struct search_result *r = &((const struct hits *)result)->found;
    results_json(out, result, r->n, results_put_hit, r->total, r->partial);
}

const struct answer_shape ovm_hits_shape = {.json = hits_json};

/* --- links --- */

static void results_put_linked(struct answer_out *out, const void *result, size_t at)
{
    const struct linked_item *i = &((const struct linked *)result)->items[at];
    if (i->about == LINKED_BACKLINKS) {
        results_put_line(out->w, i->file->path, i->link->line,
                         linked_line(i, SEARCH_LINE_MAX));
        return;
    }
    jsonw_object(out->w);
    jsonw_put_str(out->w, STR("path"), i->file->path);
    jsonw_put_int(out->w, STR("distance"), i->number);
    jsonw_end(out->w);
}

static void linked_json(struct answer_out *out, const void *result)
{
    const struct linked *l = result;
    results_json(out, l, l->n, results_put_linked, l->total, l->partial);
}

const struct answer_shape ovm_linked_shape = {.json = linked_json};

/* --- changes --- */

static void results_changed_json(struct answer_out *out, const void *result)
{
    const struct changed *c = result;
    jsonw_object(out->w);
    jsonw_put_bool(out->w, str_c(c->done), c->is_done);
    jsonw_put_text(out->w, STR("link"), c->target);
    jsonw_end(out->w);
}

const struct answer_shape ovm_changed_shape = {.json = results_changed_json};
