#include "app/answers/answer.h"
#include "app/answers/linked.h"
#include "app/answers/put.h"
#include "app/answers/term.h"
#include "vault/ask/near_link.h"
#include "vault/ask/related.h"

#include "base/text.h"
#include "vault/index/index.h"
#include "vault/index/names.h"

static const char *const rules[] = {
    [NAMES_SELF] = "the note itself",
    [NAMES_ONLY_ONE] = "the only file of that name",
    [NAMES_RELATIVE] = "relative to the note's folder",
    [NAMES_EXACT] = "the whole path",
    [NAMES_OWN_FOLDER] = "below the note's folder",
    [NAMES_SHORTEST] = "the shortest path with that ending",
    [NAMES_UNRESOLVED] = "no such file",
    [NAMES_NOT_A_PATH] = "not a path",
};

static str linked_path(const struct linked *l, file_id id)
{
    return names_path(l->index->names, id);
}

/* --- JSON --- */

/* Files that the path of a link may mean, if there are any. */
static void put_near(struct jsonw *w, const struct linked *l, str path)
{
    file_id near[NEAR_LINK_MAX];
    str paths[NEAR_LINK_MAX];
    size_t n = near_link_find(l->near, path, near);
    for (size_t i = 0; i < n; i++)
        paths[i] = linked_path(l, near[i]);
    if (n > 0)
        jsonw_put_strs(w, STR("near"), paths, n);
}

void linked_put_link(struct jsonw *w, const struct linked *l, const struct linked_item *i)
{
    str nearest = {0};
    put_link(w, i->link, i->file);
    if (i->file == NULL) {
        put_near(w, l, i->link->path);
    } else if (!near_link_has(l->arena, i->file, i->link->subpath, &nearest)) {
        jsonw_put_true(w, STR("broken_subpath"), true);
        jsonw_put_text(w, STR("near_subpath"), nearest);
    }
}

static void put_outgoing(struct answer_out *out, const struct linked *l,
                         const struct linked_item *i)
{
    linked_put_link(out->w, l, i);
    if (i->file == NULL)
        jsonw_put_bool(out->w, STR("resolved"), false);
    if (i->chosen == NULL)
        return;
    jsonw_put_str(out->w, STR("rule"), str_c(rules[i->chosen->rule]));
    jsonw_put_array(out->w, STR("others"));
    for (size_t k = 0; k < i->chosen->n_others; k++)
        jsonw_str(out->w, linked_path(l, i->chosen->others[k]));
    jsonw_end(out->w);
}

static void put_backlink(struct answer_out *out, const struct linked_item *i)
{
    enum { LINE_MAX_BYTES = 300 };
    str line = linked_line(i, LINE_MAX_BYTES);
    jsonw_put_str(out->w, STR("path"), i->file->path);
    if (i->link->line > 0)
        jsonw_put_int(out->w, STR("line"), i->link->line);
    jsonw_put_text(out->w, STR("text"), line);
    jsonw_put_text(out->w, STR("subpath"), i->link->subpath);
    jsonw_put_true(out->w, STR("embed"), i->link->embed);
}

static void put_missing(struct answer_out *out, const struct linked *l,
                        const struct graph_missing *m)
{
    enum { SOURCES_FEW = 10 };
    size_t n = answer_some(out, m->n_sources, SOURCES_FEW);
    jsonw_put_str(out->w, STR("link"), m->path);
    jsonw_put_int(out->w, STR("links"), m->count);
    jsonw_put_array(out->w, STR("sources"));
    for (size_t i = 0; i < n; i++)
        jsonw_str(out->w, linked_path(l, m->sources[i]));
    jsonw_end(out->w);
    if (n < m->n_sources)
        jsonw_put_int(out->w, STR("total_sources"), (int64_t)m->n_sources);
    put_near(out->w, l, m->path);
}

static void put_related(struct answer_out *out, const struct linked *l,
                        const struct related_note *r)
{
    str shared[RELATED_REASONS];
    for (size_t i = 0; i < r->n_shared; i++)
        shared[i] = linked_path(l, r->shared[i]);
    if (r->n_shared > 0)
        jsonw_put_strs(out->w, STR("shared_links"), shared, r->n_shared);
    if (r->n_shared < r->all_shared)
        jsonw_put_int(out->w, STR("total_shared"), (int64_t)r->all_shared);
    if (r->n_words > 0)
        jsonw_put_strs(out->w, STR("words"), r->words, r->n_words);
    if (r->n_tags > 0)
        jsonw_put_strs(out->w, STR("tags"), r->tags, r->n_tags);
    if (r->meaning > 0)
        answer_cosine(out, r->meaning);
}

static void linked_put(struct answer_out *out, const void *result, size_t at)
{
    const struct linked *l = result;
    const struct linked_item *i = &l->items[at];
    jsonw_object(out->w);
    if (l->question->about == LINKED_BOTH)
        jsonw_put_str(out->w, STR("direction"),
                      i->about == LINKED_BACKLINKS ? STR("backlink") : STR("outgoing"));
    if (i->about == LINKED_OUTGOING)
        put_outgoing(out, l, i);
    else if (i->about == LINKED_BACKLINKS)
        put_backlink(out, i);
    else if (i->about == LINKED_UNRESOLVED)
        put_missing(out, l, i->missing);
    else
        jsonw_put_str(out->w, STR("path"), i->file->path);
    if (i->about == LINKED_NEIGHBOURS)
        jsonw_put_int(out->w, STR("distance"), i->number);
    if (i->about == LINKED_PATH)
        jsonw_put_int(out->w, STR("step"), i->number);
    if (i->about == LINKED_RELATED)
        put_related(out, l, i->related);
    if (i->about == LINKED_MENTIONS) {
        jsonw_put_int(out->w, STR("line"), i->mention->line);
        jsonw_put_str(out->w, STR("snippet"), i->mention->snippet);
    }
    jsonw_end(out->w);
}

static void linked_json(struct answer_out *out, const void *result)
{
    const struct linked *l = result;
    const struct linked_question *q = l->question;
    jsonw_object(out->w);
    if (q->file != NULL)
        jsonw_put_str(out->w, STR("path"), q->file->path);
    size_t shown = answer_items(out, STR("links"), l, l->n, linked_put);
    jsonw_put_int(out->w, STR("total"), (int64_t)l->total);
    jsonw_put_true(out->w, STR("partial"), l->partial);
    answer_next(out, q->offset + shown, l->total);
    if (q->about == LINKED_PATH && l->total == 0)
        jsonw_put_str(out->w, STR("note"),
                      STR("No chain of links connects the two notes."));
    jsonw_end(out->w);
}

/* --- a terminal --- */

static void line_of_outgoing(struct term *t, const struct linked *l,
                             const struct linked_item *i)
{
    const struct file_link *link = i->link;
    term_number(t, TERM_LINE, link->line > 0 ? (int64_t)link->line : -1);
    term_printf(t, i->file != NULL ? TERM_PATH : TERM_WARN, "  " STR_FMT,
                STR_ARG(i->file != NULL ? i->file->path : link->path));
    term_put(t, TERM_FAINT, link->subpath);
    if (link->display.n > 0)
        term_printf(t, TERM_PLAIN, "  \"" STR_FMT "\"", STR_ARG(link->display));
    if (link->embed)
        term_put(t, TERM_FAINT, STR("  (embedded)"));
    if (i->file == NULL)
        term_put(t, TERM_FAINT, STR("  (no such file)"));
    else if (i->chosen != NULL && link->path.n == 0)
        term_printf(t, TERM_FAINT, "  %s", rules[i->chosen->rule]);
    else if (i->chosen != NULL)
        term_printf(t, TERM_FAINT, "  [[" STR_FMT "]] is %s", STR_ARG(link->path),
                    rules[i->chosen->rule]);
    term_put(t, TERM_PLAIN, STR("\n"));
    for (size_t k = 0; i->chosen != NULL && k < i->chosen->n_others; k++)
        term_printf(t, TERM_FAINT, "         also fits: " STR_FMT "\n",
                    STR_ARG(linked_path(l, i->chosen->others[k])));
}

static void line_of_file(struct term *t, uint32_t number, const struct file *f)
{
    term_number(t, TERM_FAINT, number);
    term_printf(t, TERM_PATH, "  " STR_FMT "\n", STR_ARG(f->path));
}

static void lines_of_missing(struct term *t, const struct linked *l,
                             const struct graph_missing *m)
{
    term_number(t, TERM_FAINT, m->count);
    term_printf(t, TERM_WARN, "  " STR_FMT "\n", STR_ARG(m->path));
    for (size_t i = 0; i < m->n_sources; i++)
        term_printf(t, TERM_FAINT, "         in " STR_FMT "\n",
                    STR_ARG(linked_path(l, m->sources[i])));
}

static void line_of_mention(struct term *t, const struct linked_item *i, bool new_file)
{
    const struct file *f = i->file;
    const struct mention *m = i->mention;
    str line = text_drop_return(str_slice(f->text, text_line_start(f->text, m->start),
                                          text_line_end(f->text, m->start)));
    size_t width = term_place(t, f->path, m->line, new_file);
    size_t start = m->start - (size_t)(line.p - f->text.p);
    struct textscan_mark mark = {start, start + (m->end - m->start)};
    term_found(t, line, &mark, 1, width);
    term_put(t, TERM_PLAIN, STR("\n"));
}

static void line_of_related(struct term *t, const struct linked *l,
                            const struct related_note *r)
{
    term_printf(t, TERM_PATH, STR_FMT, STR_ARG(r->file->path));
    for (size_t i = 0; i < r->n_shared; i++)
        term_printf(t, TERM_FAINT, "%s" STR_FMT, i > 0 ? ", " : "  links shared: ",
                    STR_ARG(linked_path(l, r->shared[i])));
    for (size_t i = 0; i < r->n_words; i++)
        term_printf(t, TERM_FAINT, "%s" STR_FMT,
                    i > 0 ? ", " : "  words: ", STR_ARG(r->words[i]));
    for (size_t i = 0; i < r->n_tags; i++)
        term_printf(t, TERM_FAINT, "  #" STR_FMT, STR_ARG(r->tags[i]));
    if (r->meaning > 0)
        term_printf(t, TERM_FAINT, "  meaning %.2f", (double)r->meaning);
    term_put(t, TERM_PLAIN, STR("\n"));
}

/* A line for item i, or for all links of a source. Returns the number after it. */
static size_t put_item_lines(struct term *t, const struct linked *l, size_t i)
{
    const struct linked_item *item = &l->items[i];
    size_t end = i + 1;
    switch (item->about) {
    case LINKED_OUTGOING:
    case LINKED_BOTH:
        line_of_outgoing(t, l, item);
        break;
    case LINKED_BACKLINKS:
        while (end < l->n && l->items[end].file == item->file)
            end++;
        line_of_file(t, (uint32_t)(end - i), item->file);
        break;
    case LINKED_NEIGHBOURS:
    case LINKED_PATH:
        line_of_file(t, item->number, item->file);
        break;
    case LINKED_UNRESOLVED:
        lines_of_missing(t, l, item->missing);
        break;
    case LINKED_RELATED:
        line_of_related(t, l, item->related);
        break;
    case LINKED_ORPHANS:
        term_printf(t, TERM_PATH, STR_FMT "\n", STR_ARG(item->file->path));
        break;
    case LINKED_MENTIONS:
        line_of_mention(t, item, i == 0 || l->items[i - 1].file != item->file);
        break;
    }
    return end;
}

static void linked_term(struct term *t, const void *result)
{
    const struct linked *l = result;
    for (size_t i = 0; i < l->n;)
        i = put_item_lines(t, l, i);
    if (l->n < l->total)
        term_printf(term_remarks(t), TERM_FAINT, "%zu of %zu; more with --limit\n", l->n,
                    l->total);
}

const struct answer_shape linked_shape = {"linked", .json = linked_json,
                                          .text = linked_text, .term = linked_term};
