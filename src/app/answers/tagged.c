#include "app/answers/tagged.h"

#include "app/answers/answer.h"
#include "app/answers/model_text.h"
#include "app/answers/term.h"
#include "base/clock.h"
#include "base/path.h"
#include "base/sort.h"
#include "vault/ask/find.h"
#include "vault/eval/select.h"
#include "vault/index/file.h"
#include "vault/index/index.h"
#include "vault/index/tags.h"

/* How many of the total are on the page. */
static size_t on_page(size_t all, size_t offset, size_t limit)
{
    size_t left = offset < all ? all - offset : 0;
    return left < limit ? left : limit;
}

/* --- all tags --- */

static int most_first(const void *a, const void *b)
{
    const struct tag *x = a, *y = b;
    if (x->all != y->all)
        return x->all < y->all ? 1 : -1;
    return str_cmp(x->name, y->name);
}

void tags_list(const struct index *x, struct arena *a, bool by_count, size_t offset,
               size_t limit, struct tags_listed *out)
{
    size_t n = tags_count(x->tags);
    struct tag *all = ARENA_ARRAY(a, struct tag, n);
    for (size_t i = 0; i < n; i++)
        all[i] = tags_at(x->tags, i);
    if (by_count && n > 1)
        sort_items(all, n, sizeof(*all), most_first);
    *out = (struct tags_listed){.offset = offset, .total = n, .by_count = by_count};
    out->n = on_page(n, offset, limit);
    out->tags = all + (out->n > 0 ? offset : 0);
}

/* A tag as a note with its properties, so that a filter of notes can judge it. */
static struct file *tags_as_note(struct arena *a, struct arena *scratch, size_t i,
                                 const struct tag *tag)
{
    const struct fs_info info = {0};
    struct sbuf name = SBUF_ON(a);
    struct jsonw w = JSONW_ON(&name);
    jsonw_str(&w, tag->name); /* a YAML text, too */
    str yaml = sbuf_str(&name);
    str text = arena_printf(a,
                            "---\ntags: [" STR_FMT "]\nname: " STR_FMT
                            "\nnotes: %zu\nwith_nested: %zu\n---\n",
                            STR_ARG(yaml), STR_ARG(yaml), tag->notes, tag->all);
    return file_make(scratch, arena_printf(a, "%zu.md", i), &info, text);
}

static bool tags_run(const struct index *x, struct arena *a, struct select *s,
                     bool *wanted, struct err *err)
{
    size_t n = tags_count(x->tags), made = 0;
    struct file **notes = ARENA_ARRAY(a, struct file *, n);
    struct select_result found;
    struct arena scratch = {0};
    for (; made < n && !stop_now(s->stop); made++) {
        struct tag tag = tags_at(x->tags, made);
        notes[made] = tags_as_note(a, &scratch, made, &tag);
    }
    arena_release(&scratch);
    struct index *as_notes = index_borrow(notes, made);
    bool ok = made == n ? select_run(as_notes, a, s, &found, err)
                        : stop_fail(s->stop, "the query", "narrow it down", err);
    for (size_t i = 0; ok && i < found.n; i++)
        wanted[found.rows[i].file->id] = true;
    index_free(as_notes);
    for (size_t i = 0; i < made; i++)
        file_free(notes[i]);
    return ok;
}

bool tags_list_where(const struct index *x, struct arena *a, str where,
                     const struct stop *stop, size_t offset, size_t limit,
                     struct tags_listed *out, struct err *err)
{
    size_t n = tags_count(x->tags), kept = 0;
    bool *wanted = ARENA_ARRAY(a, bool, n);
    struct select s = {
        .where = where, .limit = SIZE_MAX, .now = clock_now(), .stop = stop};
    s.utc_offset = clock_utc_offset(s.now);
    if (!tags_run(x, a, &s, wanted, err))
        return false;
    struct tag *all = ARENA_ARRAY(a, struct tag, n);
    for (size_t i = 0; i < n; i++)
        if (wanted[i])
            all[kept++] = tags_at(x->tags, i);
    *out = (struct tags_listed){.offset = offset, .total = kept};
    out->n = on_page(kept, offset, limit);
    out->tags = all + (out->n > 0 ? offset : 0);
    return true;
}

static void tags_put(struct answer_out *out, const void *result, size_t i)
{
    const struct tag *tag = &((const struct tags_listed *)result)->tags[i];
    jsonw_object(out->w);
    jsonw_put_str(out->w, STR("tag"), tag->name);
    jsonw_put_int(out->w, STR("notes"), (int64_t)tag->notes);
    jsonw_put_int(out->w, STR("with_nested"), (int64_t)tag->all);
    jsonw_end(out->w);
}

static void tags_json(struct answer_out *out, const void *result)
{
    const struct tags_listed *l = result;
    jsonw_object(out->w);
    jsonw_put_int(out->w, STR("total"), (int64_t)l->total);
    size_t shown = answer_items(out, STR("tags"), l, l->n, tags_put);
    answer_next(out, l->offset + shown, l->total);
    jsonw_end(out->w);
}

/* The number includes notes with nested tags. */
static void tags_text_one(struct model_text *s, const void *result, size_t i)
{
    const struct tag *tag = &((const struct tags_listed *)result)->tags[i];
    sbuf_printf(s->out, "#" STR_FMT " %zu", STR_ARG(tag->name), tag->all);
    if (tag->notes != tag->all)
        sbuf_printf(s->out, " (%zu without nested)", tag->notes);
    sbuf_char(s->out, '\n');
}

static void tags_text(struct model_text *s, const void *result)
{
    const struct tags_listed *l = result;
    mt_count(s, l->total, "tag", "tags");
    sbuf_printf(s->out, ", with %s number of notes\n", l->total == 1 ? "its" : "their");
    size_t shown = mt_items(s, l, l->n, tags_text_one);
    mt_next(s, l->offset + shown, l->total);
}

/* A tree by name, or a flat list if ordered by use. */
static void tags_term(struct term *t, const void *result)
{
    enum { COUNT_WIDTH = 6 };
    const struct tags_listed *l = result;
    for (size_t i = 0; i < l->n; i++) {
        const struct tag *tag = &l->tags[i];
        size_t depth = l->by_count ? 0 : tag->depth;
        term_right(t, TERM_FAINT, arena_printf(t->out.arena, "%zu", tag->all),
                   COUNT_WIDTH);
        term_printf(t, TERM_PLAIN, "%*s", (int)(2 + 2 * depth), "");
        term_printf(t, TERM_PATH, "%s" STR_FMT "\n", depth == 0 ? "#" : "/",
                    STR_ARG(depth == 0 ? tag->name : path_name(tag->name)));
    }
}

const struct answer_shape tags_shape = {"tags", .json = tags_json, .text = tags_text,
                                        .term = tags_term};

/* --- the notes of a tag --- */

static int tagged_by_path(const void *a, const void *b)
{
    return str_cmp(*(const str *)a, *(const str *)b);
}

bool tagged_find(const struct index *x, struct arena *a, str tag, size_t offset,
                 size_t limit, struct tagged *out, struct err *err)
{
    struct tag found;
    if (!find_tag(x, a, tag, &found, err))
        return false;
    str *paths = ARENA_ARRAY(a, str, found.all);
    for (size_t i = 0; i < found.all; i++)
        paths[i] = index_file(x, found.files[i])->path;
    if (found.all > 1)
        sort_items(paths, found.all, sizeof(*paths), tagged_by_path);
    *out = (struct tagged){.tag = found.name, .offset = offset, .total = found.all};
    out->n = on_page(found.all, offset, limit);
    out->notes = paths + (out->n > 0 ? offset : 0);
    return true;
}

static void tagged_put(struct answer_out *out, const void *result, size_t i)
{
    jsonw_str(out->w, ((const struct tagged *)result)->notes[i]);
}

static void tagged_json(struct answer_out *out, const void *result)
{
    const struct tagged *g = result;
    jsonw_object(out->w);
    jsonw_put_str(out->w, STR("tag"), g->tag);
    jsonw_put_int(out->w, STR("total"), (int64_t)g->total);
    size_t shown = answer_items(out, STR("notes"), g, g->n, tagged_put);
    answer_next(out, g->offset + shown, g->total);
    jsonw_end(out->w);
}

static void tagged_text_one(struct model_text *s, const void *result, size_t i)
{
    sbuf_printf(s->out, STR_FMT "\n", STR_ARG(((const struct tagged *)result)->notes[i]));
}

static void tagged_text(struct model_text *s, const void *result)
{
    const struct tagged *g = result;
    sbuf_printf(s->out, "#" STR_FMT ": ", STR_ARG(g->tag));
    mt_count(s, g->total, "note", "notes");
    sbuf_char(s->out, '\n');
    size_t shown = mt_items(s, g, g->n, tagged_text_one);
    mt_next(s, g->offset + shown, g->total);
}

static void tagged_term(struct term *t, const void *result)
{
    const struct tagged *g = result;
    for (size_t i = 0; i < g->n; i++)
        term_printf(t, TERM_PATH, STR_FMT "\n", STR_ARG(g->notes[i]));
}

const struct answer_shape tagged_shape = {"tagged", .json = tagged_json,
                                          .text = tagged_text, .term = tagged_term};
