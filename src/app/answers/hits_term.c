/* Hits for a terminal, or as rg prints them into a pipe. */
#include "app/answers/hits_parts.h"
#include "app/answers/term.h"
#include "base/text.h"
#include "vault/forms/canvas.h"
#include "vault/index/file.h"

/* --- in a canvas --- */

/* A string of a canvas with a match: "card" or "file", and the line with the match. */
struct hits_card {
    const char *kind;
    str line;
    struct textscan_mark mark;
};

static bool hits_is_inside(str part, str of)
{
    return part.n > 0 && part.p >= of.p && part.p + part.n <= of.p + of.n;
}

static bool hits_card_of(str raw, str value, const struct search_hit *h, const char *kind,
                         struct hits_card *out)
{
    size_t at = hits_is_inside(h->match, raw) ? str_find(value, h->match) : STR_NONE;
    if (at == STR_NONE)
        return false;
    size_t from = text_line_start(value, at);
    out->kind = kind;
    out->line = str_slice(value, from, text_line_end(value, at));
    out->mark = (struct textscan_mark){at - from, at - from + h->match.n};
    return true;
}

/* False: the match is in another part of the JSON. */
static bool hits_find_card(struct arena *a, const struct search_hit *h,
                           struct hits_card *out)
{
    struct canvas_text *texts;
    struct canvas canvas;
    struct err ignored;
    size_t n;
    if (h->file->kind != FILE_CANVAS ||
        !canvas_texts(a, h->file->text, &texts, &n, &ignored) ||
        !canvas_scan(a, h->file->text, &canvas, &ignored))
        return false;
    for (size_t i = 0; i < n; i++)
        if (hits_card_of(texts[i].raw, texts[i].value, h, "card", out))
            return true;
    for (size_t i = 0; i < canvas.n_links; i++)
        if (hits_card_of(canvas.links[i].raw, canvas.links[i].value, h, "file", out))
            return true;
    return false;
}

/* --- one hit --- */

static void hits_put_text(struct term *t, const struct search_hit *h, size_t width)
{
    struct hits_card card;
    if (t->width > 0 && hits_find_card(t->out.arena, h, &card)) {
        size_t label = strlen(card.kind) + 2;
        term_printf(t, TERM_FAINT, "%s: ", card.kind);
        term_found(t, card.line, &card.mark, 1, width > label ? width - label : width);
        return;
    }
    str line = text_drop_return(h->text);
    size_t start = h->match.n > 0 ? (size_t)(h->match.p - line.p) : 0;
    struct textscan_mark first = {start, start + h->match.n};
    if (h->n_marks > 0)
        term_found(t, line, h->marks, h->n_marks, width);
    else
        term_found(t, line, &first, h->match.n > 0, width);
}

static void hits_put_name(struct term *t, const struct search_hit *h)
{
    size_t start = h->match.n > 0 ? (size_t)(h->match.p - h->file->path.p) : 0;
    struct textscan_mark mark = {start, start + h->match.n};
    term_found(t, h->file->path, &mark, h->match.n > 0, 0);
}

/* With the name of its vault, if the hits are those of one of several. */
static str hits_path(const struct term *t, str vault, const struct file *f)
{
    return vault.n == 0 ? f->path
                        : arena_printf(t->out.arena, STR_FMT ":" STR_FMT, STR_ARG(vault),
                                       STR_ARG(f->path));
}

static void hits_put_line(struct term *t, str vault, const struct search_hit *h,
                          bool new_file)
{
    str meaning = h->meaning == 0 ? (str){0}
                                  : arena_printf(t->out.arena, "  (meaning %.2f)",
                                                 (double)h->meaning);
    if (h->where == SEARCH_FILENAME) {
        hits_put_name(t, h);
    } else if (h->text.n == 0 && h->where == SEARCH_TAG) { /* spelt differently there */
        term_place(t, hits_path(t, vault, h->file), h->line, new_file);
        term_printf(t, TERM_MATCH, "#" STR_FMT, STR_ARG(h->match));
    } else {
        size_t width = term_place(t, hits_path(t, vault, h->file), h->line, new_file);
        str page = hits_page_label(t->out.arena, h);
        term_put(t, TERM_FAINT, page);
        size_t taken = page.n + meaning.n;
        hits_put_text(t, h, width > taken ? width - taken : width);
    }
    term_put(t, TERM_FAINT, meaning);
    term_put(t, TERM_PLAIN, STR("\n"));
}

/* Lines [from, to] of the file of a hit, as rg prints them around a match. */
static void hits_put_context(struct term *t, str vault, const struct search_hit *h,
                             size_t from, size_t to, bool new_file)
{
    uint32_t bom;
    str path = hits_path(t, vault, h->file);
    str text = file_searched(h->file, &bom);
    size_t at = 0;
    for (size_t line = 1; at < text.n && line <= to; line++) {
        size_t end = text_line_end(text, at);
        str shown = text_drop_return(str_slice(text, at, end));
        at = end + 1;
        if (line < from)
            continue;
        if (t->width > 0) {
            size_t width = term_place(t, path, (uint32_t)line, new_file && line == from);
            term_found(t, shown, NULL, 0, width);
        } else {
            term_put(t, TERM_PATH, path);
            term_printf(t, TERM_PLAIN, "-%zu-", line);
            term_put(t, TERM_PLAIN, shown);
        }
        term_put(t, TERM_PLAIN, STR("\n"));
    }
}

/* Hits with the lines around them; no line twice, and -- where lines are left out. */
static void hits_put_around(struct term *t, const struct hits *h)
{
    const struct search_result *r = &h->found;
    size_t last = 0; /* line that was printed */
    for (size_t i = 0; i < r->n; i++) {
        const struct search_hit *hit = &r->hits[i];
        bool new_file = i == 0 || hit[-1].file != hit->file;
        size_t from = hit->line > h->context ? hit->line - h->context : 1;
        size_t to = hit->line + h->context;
        last = new_file ? 0 : last;
        if (i > 0 && from > last + 1)
            term_put(t, TERM_FAINT, STR("--\n"));
        from = from > last ? from : last + 1;
        hits_put_context(t, h->vault, hit, from, hit->line - 1, new_file);
        hits_put_line(t, h->vault, hit, new_file && from >= hit->line);
        if (i + 1 < r->n && hit[1].file == hit->file && hit[1].line <= to)
            to = hit[1].line - 1;
        hits_put_context(t, h->vault, hit, hit->line + 1, to, false);
        last = to;
    }
}

/* As rg -l or rg -c. */
static void hits_put_counts(struct term *t, const struct hits *h)
{
    for (size_t i = 0; i < h->found.n_by_file; i++) {
        const struct search_count *c = &h->found.by_file[i];
        term_put(t, TERM_PATH, hits_path(t, h->vault, c->file));
        if (h->view == HITS_COUNTS)
            term_printf(t, TERM_PLAIN, ":%zu", c->hits);
        term_put(t, TERM_PLAIN, STR("\n"));
    }
}

static void hits_put_hints(struct term *t, const struct hits *h)
{
    const struct search_result *r = &h->found;
    bool ranked = r->mode == SEARCH_WORDS || r->mode == SEARCH_MEANING;
    if (r->corrected.n > 0)
        term_printf(t, TERM_PLAIN, "Searched for " STR_FMT ".\n", STR_ARG(r->corrected));
    if (r->total > 0 && ranked && h->note.n > 0)
        term_printf(t, TERM_PLAIN, STR_FMT "\n", STR_ARG(h->note));
    if (h->meaning.n > 0)
        term_printf(t, TERM_PLAIN, "(" STR_FMT "%s)\n", STR_ARG(h->meaning),
                    str_find(h->meaning, STR("embedded")) != STR_NONE
                        ? "; vaultd embeddings build embeds them"
                        : "");
    if (r->unread > 0)
        term_printf(t, TERM_PLAIN, STR_FMT " not searched (see vaultd check).\n",
                    STR_ARG(term_count(t, r->unread, "file was", "files were")));
    if (h->unpaged > 0)
        term_printf(t, TERM_PLAIN, STR_FMT " not read yet: search again.\n",
                    STR_ARG(term_count(t, h->unpaged, "PDF file is", "PDF files are")));
    if (r->partial)
        term_put(t, TERM_PLAIN, STR("There may be more.\n"));
    if (r->with_words > 0)
        term_printf(t, TERM_PLAIN,
                    STR_FMT " these words in other forms or places: "
                            "try --mode words.\n",
                    STR_ARG(term_count(t, r->with_words, "note has", "notes have")));
    for (size_t i = 0; i < r->n_suggestions; i++)
        term_printf(t, TERM_PLAIN, "%s" STR_FMT "%s", i == 0 ? "Did you mean: " : ", ",
                    STR_ARG(r->suggestions[i]), i + 1 == r->n_suggestions ? "?\n" : "");
}

/* Only for people: a program that reads lines expects the text in each. */
static void hits_put_near(struct term *t, const struct search_result *r)
{
    if (r->n_near > 0)
        term_put(t, TERM_FAINT, STR("\nOther matches, best first:\n"));
    for (size_t i = 0; i < r->n_near; i++)
        hits_put_line(t, STR(""), &r->near[i], true);
}

static void hits_put_summary(struct term *t, const struct hits *h)
{
    const struct search_result *r = &h->found;
    if (t->width > 0 && r->n > 0)
        term_put(t, TERM_PLAIN, STR("\n"));
    if (t->width > 0 || r->more)
        term_printf(term_remarks(t), TERM_FAINT, STR_FMT " in " STR_FMT,
                    STR_ARG(term_count(t, r->total, "match", "matches")),
                    STR_ARG(term_count(t, r->files, "file", "files")));
    if (r->more)
        term_printf(term_remarks(t), TERM_FAINT, "; continue with --offset %zu",
                    h->search->offset + r->n);
    if (t->width > 0 || r->more)
        term_put(term_remarks(t), TERM_PLAIN, STR("\n"));
}

/* How many hits a file has in all, if that is known. */
static size_t hits_in_file(const struct search_result *r, const struct file *f)
{
    for (size_t i = 0; i < r->n_by_file; i++)
        if (r->by_file[i].file == f)
            return r->by_file[i].hits;
    return 0;
}

/* After the last hit of a file that is shown. */
static void hits_put_left(struct term *t, const struct search_result *r,
                          const struct file *f, size_t shown)
{
    size_t all = t->width > 0 ? hits_in_file(r, f) : 0;
    if (all > shown)
        term_printf(t, TERM_FAINT, "       … %zu more in this file\n", all - shown);
}

/* File by file. A name is printed as the title of its file on a terminal. */
static void hits_put_lines(struct term *t, const struct hits *found)
{
    struct hits h = hits_by_file(t->out.arena, found, found->found.n);
    const struct search_hit *hits = h.found.hits;
    for (size_t i = 0, first = 0; i < h.found.n; i++) {
        bool same = hits_is_same_file(hits, i);
        first = same ? first : i;
        if (!hits_is_same_line(hits, i))
            hits_put_line(t, h.vault, &hits[i], !same);
        if (i + 1 == h.found.n || !hits_is_same_file(hits, i + 1))
            hits_put_left(t, &h.found, hits[i].file, i + 1 - first);
    }
}

void hits_term(struct term *t, const void *result)
{
    const struct hits *h = result;
    const struct search_result *r = &h->found;
    if (h->view != HITS_LINES)
        hits_put_counts(t, h);
    else if (h->context > 0)
        hits_put_around(t, h);
    else
        hits_put_lines(t, h);
    if (h->vault.n > 0)
        return;
    if (r->total > 0 && h->view == HITS_LINES) {
        if (t->width > 0)
            hits_put_near(t, r);
        hits_put_summary(t, h);
    }
    hits_put_hints(t->notes, h);
}
