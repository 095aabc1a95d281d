#include "app/answers/trash.h"

#include "app/answers/answer.h"
#include "app/answers/model_text.h"
#include "app/answers/term.h"
#include "base/clock.h"
#include "vault/ops.h"

bool trash_find(struct vault *v, struct arena *a, struct trash *out, struct err *err)
{
    return ops_trash(v, a, &out->items, &out->n, err);
}

static void trash_put(struct answer_out *out, const void *result, size_t i)
{
    const struct ops_trashed *t = &((const struct trash *)result)->items[i];
    char when[CLOCK_ISO_SIZE];
    jsonw_object(out->w);
    jsonw_put_str(out->w, STR("path"), t->path);
    jsonw_put_text(out->w, STR("from"), t->from);
    jsonw_put_str(out->w, STR("deleted"), clock_iso(t->when, when));
    jsonw_end(out->w);
}

static void trash_json(struct answer_out *out, const void *result)
{
    const struct trash *t = result;
    jsonw_object(out->w);
    size_t shown = answer_items(out, STR("trash"), t, t->n, trash_put);
    jsonw_put_int(out->w, STR("total"), (int64_t)t->n);
    jsonw_put_true(out->w, STR("truncated"), shown < t->n);
    jsonw_end(out->w);
}

static void trash_text_one(struct model_text *s, const void *result, size_t i)
{
    const struct ops_trashed *t = &((const struct trash *)result)->items[i];
    char when[CLOCK_ISO_SIZE];
    sbuf_printf(s->out, STR_FMT "  " STR_FMT, STR_ARG(t->path),
                STR_ARG(clock_iso(t->when, when)));
    if (t->from.n > 0 && !str_eq(t->from, t->path))
        sbuf_printf(s->out, "  from " STR_FMT, STR_ARG(t->from));
    sbuf_char(s->out, '\n');
}

static void trash_text(struct model_text *s, const void *result)
{
    const struct trash *t = result;
    sbuf_add(s->out, STR("trash: "));
    mt_count(s, t->n, "file", "files");
    sbuf_char(s->out, '\n');
    size_t shown = mt_items(s, t, t->n, trash_text_one);
    if (shown < t->n)
        sbuf_printf(s->out, "[and %zu more]\n", t->n - shown);
}

static void trash_term(struct term *t, const void *result)
{
    const struct trash *all = result;
    for (size_t i = 0; i < all->n; i++) {
        const struct ops_trashed *item = &all->items[i];
        term_left(t, TERM_FAINT, term_when(t, item->when), TERM_WHEN);
        term_put(t, TERM_PLAIN, STR("  "));
        term_put(t, TERM_PATH, item->path);
        if (item->from.n > 0 && !str_eq(item->from, item->path))
            term_printf(t, TERM_FAINT, "  from " STR_FMT, STR_ARG(item->from));
        term_put(t, TERM_PLAIN, STR("\n"));
    }
    if (all->n == 0)
        term_put(t, TERM_FAINT, STR("the trash is empty\n"));
}

const struct answer_shape trash_shape = {
    .name = "trash", .json = trash_json, .text = trash_text, .term = trash_term};
