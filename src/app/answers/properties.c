#include "app/answers/properties.h"

#include "app/answers/answer.h"
#include "app/answers/model_text.h"
#include "app/answers/term.h"
#include "base/utf8.h"
#include "vault/eval/catalogue.h"
#include "vault/eval/value.h"
#include "vault/vault.h"

bool properties_list(const struct vault *v, const struct index *x, struct arena *a,
                     str folder, const struct stop *stop, struct properties_listed *out,
                     struct err *err)
{
    return catalogue_make(x, vault_obsidian(v), a, folder, PROPERTIES_VALUES, stop,
                          &out->all) ||
           stop_fail(stop, "listing properties", "give a folder", err);
}

static size_t properties_on_page(const struct properties_listed *l)
{
    size_t left = l->offset < l->all.n ? l->all.n - l->offset : 0;
    return left < l->limit ? left : l->limit;
}

static const struct catalogue_property *nth_property(const void *result, size_t i)
{
    const struct properties_listed *l = result;
    return &l->all.properties[l->offset + i];
}

/* --- JSON --- */

static void properties_put(struct answer_out *out, const void *result, size_t i)
{
    const struct catalogue_property *p = nth_property(result, i);
    jsonw_object(out->w);
    jsonw_put_str(out->w, STR("name"), p->name);
    jsonw_put_str(out->w, STR("type"), p->type);
    jsonw_put_int(out->w, STR("notes"), (int64_t)p->notes);
    jsonw_put_array(out->w, STR("values"));
    for (size_t k = 0; k < p->n_values; k++)
        value_json(out->w, &p->values[k].value);
    jsonw_end(out->w);
    if (p->distinct > p->n_values)
        jsonw_put_int(out->w, STR("total_values"), (int64_t)p->distinct);
    jsonw_end(out->w);
}

static void properties_json(struct answer_out *out, const void *result)
{
    const struct properties_listed *l = result;
    jsonw_object(out->w);
    jsonw_put_int(out->w, STR("total"), (int64_t)l->all.n);
    size_t shown =
        answer_items(out, STR("properties"), l, properties_on_page(l), properties_put);
    answer_next(out, l->offset + shown, l->all.n);
    jsonw_end(out->w);
}

/* --- plain text, and a terminal --- */

/* a, b, c, ... */
static str values_text(struct arena *a, const struct catalogue_property *p)
{
    enum { VALUE_MAX = 40 }; /* bytes of a value */
    struct sbuf b = SBUF_ON(a);
    for (size_t k = 0; k < p->n_values; k++) {
        struct sbuf value = SBUF_ON(a);
        value_print(&value, &p->values[k].value);
        str cut = utf8_cut(sbuf_str(&value), VALUE_MAX);
        sbuf_printf(&b, "%s" STR_FMT "%s", k > 0 ? ", " : "", STR_ARG(cut),
                    cut.n < value.n ? "..." : "");
    }
    if (p->distinct > p->n_values)
        sbuf_printf(&b, ", ... (%zu)", p->distinct);
    return sbuf_str(&b);
}

static void properties_text_one(struct model_text *s, const void *result, size_t i)
{
    const struct catalogue_property *p = nth_property(result, i);
    mt_line(s, p->name);
    sbuf_printf(s->out, " | " STR_FMT " | %zu | ", STR_ARG(p->type), p->notes);
    mt_line(s, values_text(s->out->arena, p));
    sbuf_char(s->out, '\n');
}

static void properties_text(struct model_text *s, const void *result)
{
    const struct properties_listed *l = result;
    mt_count(s, l->all.n, "property", "properties");
    sbuf_add(s->out, STR("\nname | type | notes | values\n"));
    size_t shown = mt_items(s, l, properties_on_page(l), properties_text_one);
    mt_next(s, l->offset + shown, l->all.n);
}

static void properties_term(struct term *t, const void *result)
{
    enum { COUNT_WIDTH = 6, TYPE_WIDTH = 8, NAME_MAX_WIDTH = 30 };
    const struct properties_listed *l = result;
    size_t n = properties_on_page(l), width = 0;
    for (size_t i = 0; i < n; i++) {
        size_t wanted = term_width(nth_property(l, i)->name);
        width = wanted > width && wanted <= NAME_MAX_WIDTH ? wanted : width;
    }
    for (size_t i = 0; i < n; i++) {
        const struct catalogue_property *p = nth_property(l, i);
        term_right(t, TERM_FAINT, arena_printf(t->out.arena, "%zu", p->notes),
                   COUNT_WIDTH);
        term_put(t, TERM_PLAIN, STR("  "));
        term_left(t, TERM_PATH, p->name, width);
        term_put(t, TERM_PLAIN, STR("  "));
        term_left(t, TERM_FAINT, p->type, p->n_values > 0 ? TYPE_WIDTH : 0);
        term_printf(t, TERM_PLAIN, "%s" STR_FMT "\n", p->n_values > 0 ? "  " : "",
                    STR_ARG(values_text(t->out.arena, p)));
    }
}

const struct answer_shape properties_shape = {"properties", .json = properties_json,
                                              .text = properties_text,
                                              .term = properties_term};
