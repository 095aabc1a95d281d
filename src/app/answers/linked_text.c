/* The plain text of struct linked. */
#include "app/answers/linked.h"

#include "app/answers/model_text.h"
#include "vault/ask/near_link.h"
#include "vault/ask/related.h"
#include "vault/index/index.h"
#include "vault/index/names.h"

enum { LINKED_LINE_MAX = 300 }; /* bytes of a line that has a link */

static void linked_text_number(struct model_text *s, uint32_t line)
{
    if (line > 0)
        sbuf_printf(s->out, "%u: ", line);
}

/* " (no such file; did you mean 'A.md'?)", "no such heading" and the like, or nothing. */
static void linked_text_broken(struct model_text *s, const struct linked *l,
                               const struct linked_item *i)
{
    str nearest = {0};
    const char *what = str_starts(i->link->subpath, STR("#^")) ? "block" : "heading";
    if (i->file == NULL)
        sbuf_printf(s->out, " (no such file" STR_FMT ")",
                    STR_ARG(near_link_text(l->near, i->link->path)));
    else if (near_link_has(l->arena, i->file, i->link->subpath, &nearest))
        return;
    else if (nearest.n > 0)
        sbuf_printf(s->out, " (no such %s; did you mean '" STR_FMT "'?)", what,
                    STR_ARG(nearest));
    else
        sbuf_printf(s->out, " (no such %s)", what);
}

void linked_text_link(struct model_text *s, const struct linked *l,
                      const struct linked_item *i)
{
    const struct file_link *link = i->link;
    const struct file *target = i->file;
    linked_text_number(s, link->line);
    sbuf_printf(s->out, STR_FMT STR_FMT, STR_ARG(target ? target->path : link->path),
                STR_ARG(link->subpath));
    if (link->display.n > 0) {
        sbuf_add(s->out, STR(" \""));
        mt_line(s, link->display);
        sbuf_add(s->out, STR("\""));
    }
    sbuf_add(s->out, link->embed ? STR(" (embedded)") : STR(""));
    linked_text_broken(s, l, i);
    sbuf_char(s->out, '\n');
}

/* The path once for all links of a source. */
static void linked_text_line(struct model_text *s, const struct linked_item *i,
                             bool new_file, uint32_t line, str text)
{
    if (new_file)
        sbuf_printf(s->out, STR_FMT "\n", STR_ARG(i->file->path));
    if (text.n == 0)
        return;
    linked_text_number(s, line);
    mt_line(s, text);
    sbuf_char(s->out, '\n');
}

static void linked_text_missing(struct model_text *s, const struct linked *l,
                                const struct graph_missing *m)
{
    enum { SOURCES_FEW = 10 };
    size_t n =
        s->max == SIZE_MAX || m->n_sources < SOURCES_FEW ? m->n_sources : SOURCES_FEW;
    sbuf_printf(s->out, "%u " STR_FMT " in ", m->count, STR_ARG(m->path));
    for (size_t i = 0; i < n; i++)
        sbuf_printf(s->out, "%s" STR_FMT, i > 0 ? ", " : "",
                    STR_ARG(names_path(l->index->names, m->sources[i])));
    if (n < m->n_sources)
        sbuf_printf(s->out, " and %zu more", m->n_sources - n);
    sbuf_add(s->out, near_link_text(l->near, m->path));
    sbuf_char(s->out, '\n');
}

/* The reasons after the path: 3 links shared: A, B, C; words: ...; #tags; meaning 0.58 */
static void linked_text_related(struct model_text *s, const struct linked *l,
                                const struct related_note *r)
{
    sbuf_printf(s->out, STR_FMT " (", STR_ARG(r->file->path));
    for (size_t i = 0; i < r->n_shared; i++)
        sbuf_printf(s->out, "%s" STR_FMT, i > 0 ? ", " : "links shared: ",
                    STR_ARG(names_path(l->index->names, r->shared[i])));
    if (r->n_shared < r->all_shared)
        sbuf_printf(s->out, " and %zu more", r->all_shared - r->n_shared);
    for (size_t i = 0; i < r->n_words; i++)
        sbuf_printf(s->out, "%s" STR_FMT,
                    i > 0             ? ", "
                    : r->n_shared > 0 ? "; words: "
                                      : "words: ",
                    STR_ARG(r->words[i]));
    for (size_t i = 0; i < r->n_tags; i++)
        sbuf_printf(s->out, "%s#" STR_FMT,
                    i > 0                          ? ", "
                    : r->n_shared + r->n_words > 0 ? "; "
                                                   : "",
                    STR_ARG(r->tags[i]));
    if (r->meaning > 0)
        sbuf_printf(s->out, "%smeaning %.2f",
                    r->n_shared + r->n_words + r->n_tags > 0 ? "; " : "",
                    (double)r->meaning);
    sbuf_add(s->out, STR(")\n"));
}

static void linked_text_one(struct model_text *s, const void *result, size_t at)
{
    const struct linked *l = result;
    const struct linked_item *i = &l->items[at];
    bool other = at == 0 || i[-1].about != i->about,
         new_file = other || i[-1].file != i->file;
    if (other && l->question->about == LINKED_BOTH)
        sbuf_add(s->out,
                 i->about == LINKED_BACKLINKS ? STR("backlinks:\n") : STR("outgoing:\n"));
    if (i->about == LINKED_OUTGOING)
        linked_text_link(s, l, i);
    else if (i->about == LINKED_BACKLINKS && !new_file && i->link->line > 0 &&
             i->link->line == i[-1].link->line)
        return; /* two links in one line, which is shown once */
    else if (i->about == LINKED_BACKLINKS)
        linked_text_line(s, i, new_file, i->link->line, linked_line(i, LINKED_LINE_MAX));
    else if (i->about == LINKED_MENTIONS)
        linked_text_line(s, i, new_file, i->mention->line, i->mention->snippet);
    else if (i->about == LINKED_UNRESOLVED)
        linked_text_missing(s, l, i->missing);
    else if (i->about == LINKED_RELATED)
        linked_text_related(s, l, i->related);
    else if (i->about == LINKED_ORPHANS)
        sbuf_printf(s->out, STR_FMT "\n", STR_ARG(i->file->path));
    else /* the distance, or the step of a path */
        sbuf_printf(s->out, "%u " STR_FMT "\n", i->number, STR_ARG(i->file->path));
}

void linked_text(struct model_text *s, const void *result)
{
    static const char *const what[][2] = {
        [LINKED_OUTGOING] = {"outgoing link", "outgoing links"},
        [LINKED_BACKLINKS] = {"backlink", "backlinks"},
        [LINKED_BOTH] = {"link", "links"},
        [LINKED_NEIGHBOURS] = {"neighbour, with its distance",
                               "neighbours, with their distance"},
        [LINKED_PATH] = {"note on the path", "notes on the path"},
        [LINKED_UNRESOLVED] = {"unresolved link", "unresolved links"},
        [LINKED_ORPHANS] = {"note without links", "notes without links"},
        [LINKED_MENTIONS] = {"unlinked mention", "unlinked mentions"},
        [LINKED_RELATED] = {"related note that is not linked, and why",
                            "related notes that are not linked, and why"},
    };
    const struct linked *l = result;
    const struct linked_question *q = l->question;
    if (q->file != NULL)
        sbuf_printf(s->out, STR_FMT ": ", STR_ARG(q->file->path));
    mt_count(s, l->total, what[q->about][0], what[q->about][1]);
    sbuf_char(s->out, '\n');
    size_t shown = mt_items(s, l, l->n, linked_text_one);
    mt_next(s, q->offset + shown, l->total);
    if (l->partial)
        mt_note(s, STR("timed out: there may be more"));
    if (q->about == LINKED_PATH && l->total == 0)
        mt_note(s, STR("no chain of links connects the two notes"));
}
