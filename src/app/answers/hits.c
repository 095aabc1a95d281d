#include "app/answers/hits.h"

#include "app/answers/answer.h"
#include "app/answers/say.h"
#include "app/answers/term.h"
#include "app/answers/why_none.h"
#include "base/path.h"
#include "base/text.h"
#include "base/utf8.h"
#include "vault/ask/search.h"
#include "vault/index/file.h"
#include "vault/text/hidden.h"
#include "vault/vault.h"

const char *const hits_modes[] = {
    [SEARCH_TEXT] = "text",   [SEARCH_REGEX] = "regex", [SEARCH_WORDS] = "words",
    [SEARCH_QUERY] = "query", [SEARCH_NAMES] = "names", [SEARCH_AUTO] = "auto",
    [SEARCH_AUTO + 1] = NULL,
};

/* Whether hits are not what the caller may think, as no mode was chosen. */
static bool is_other_mode(const struct hits *h)
{
    return h->search->mode == SEARCH_AUTO && h->found.mode != SEARCH_TEXT;
}

static str why_these(const struct hits *h)
{
    if (h->found.any)
        return STR("No note has all the words; these have some of them.");
    if (is_other_mode(h) && h->found.mode == SEARCH_WORDS)
        return STR("Nothing has exactly this text; these notes have its words, best "
                   "match first.");
    if (is_other_mode(h))
        return STR("Read as a query with Obsidian's operators.");
    return (str){0};
}

bool hits_find(struct vault *v, const struct index *x, struct arena *a,
               const struct search *s, struct hits *out, struct err *err)
{
    *out = (struct hits){.search = s};
    if (!search_run(x, a, s, &out->found, err))
        return false;
    out->unpaged = s->mode != SEARCH_NAMES ? vault_unpaged(v, x) : 0;
    out->note = why_these(out);
    if (out->found.total > 0)
        return true;
    str none = why_none(v, x, a, s->folder, s->tag);
    if (none.n > 0)
        out->note = none;
    else if (out->found.with_words > 0)
        out->note = arena_printf(
            a, STR_FMT " all these words, but not as one phrase: omit mode",
            STR_ARG(arena_count(a, out->found.with_words, "note has", "notes have")));
    return true;
}

/* The page of a hit in a PDF file; else 0. */
static uint32_t hits_page(const struct search_hit *h)
{
    bool inside = h->text.n > 0 && h->text.p >= h->file->text.p;
    return inside ? file_page(h->file, (size_t)(h->text.p - h->file->text.p)) : 0;
}

static str hits_page_label(struct arena *a, const struct search_hit *h)
{
    uint32_t page = hits_page(h);
    return page > 0 ? arena_printf(a, "(page %u) ", page) : STR("");
}

/* --- JSON --- */

void hits_put(struct answer_out *out, const void *result, size_t i)
{
    static const str places[] = {
        [SEARCH_FILENAME] = STR("filename"),
        [SEARCH_TAG] = STR("tag"),
        [SEARCH_CONTENT] = STR("content"),
    };
    const struct search_hit *h = &((const struct hits *)result)->found.hits[i];
    jsonw_object(out->w);
    jsonw_put_str(out->w, STR("path"), h->file->path);
    jsonw_put_str(out->w, STR("match_type"), places[h->where]);
    jsonw_put_str(out->w, STR("snippet"), h->snippet);
    jsonw_put_int(out->w, STR("line"), h->line > 0 ? h->line : 1);
    uint32_t page = hits_page(h);
    if (page > 0)
        jsonw_put_int(out->w, STR("page"), page);
    jsonw_end(out->w);
}

/* A snippet may be from the middle of a comment; everything else it shows by itself. */
static void hits_flag(struct answer_out *out, const struct search_result *r, size_t shown)
{
    const struct file *last = NULL;
    bool comments = false;
    for (size_t i = 0; i < shown; i++) {
        const struct search_hit *hit = &r->hits[i];
        struct hidden_list hidden;
        if (hit->file != last)
            comments = str_find(hit->file->text, STR("<!--")) != STR_NONE;
        last = hit->file;
        if (hit->text.n == 0 || !comments)
            continue;
        hidden_find(hit->file->text, hit->line, hit->line, &hidden);
        answer_flag(out, "results", i, "snippet", &hidden);
    }
}

static void hits_put_files(struct answer_out *out, const struct search_result *r)
{
    jsonw_put_array(out->w, STR("files"));
    for (size_t i = 0; i < r->n_by_file; i++) {
        jsonw_object(out->w);
        jsonw_put_str(out->w, STR("path"), r->by_file[i].file->path);
        jsonw_put_int(out->w, STR("matches"), (int64_t)r->by_file[i].hits);
        jsonw_end(out->w);
    }
    jsonw_end(out->w);
}

static void hits_json(struct answer_out *out, const void *result)
{
    const struct hits *h = result;
    const struct search_result *r = &h->found;
    struct jsonw *w = out->w;
    jsonw_object(w);
    jsonw_put_str(w, STR("query"), h->search->query);
    if (is_other_mode(h))
        jsonw_put_str(w, STR("mode"), str_c(hits_modes[r->mode]));
    jsonw_put_int(w, STR("total_matches"), (int64_t)r->total);
    jsonw_put_int(w, STR("total_files"), (int64_t)r->files);
    size_t shown = answer_items(out, STR("results"), h, r->n, hits_put);
    hits_flag(out, r, shown);
    if (h->search->by_file)
        hits_put_files(out, r);
    if (r->total > 0 && h->note.n > 0)
        jsonw_put_str(w, STR("note"), h->note);
    if (r->partial)
        jsonw_put_bool(w, STR("partial"), true);
    if (r->unread > 0)
        jsonw_put_int(w, STR("files_not_searched"), (int64_t)r->unread);
    if (h->unpaged > 0)
        jsonw_put_int(w, STR("pdf_not_read_yet"), (int64_t)h->unpaged);
    if (shown < r->n || r->more)
        answer_next(out, h->search->offset + shown, SIZE_MAX);
    if (r->total == 0)
        answer_strs(out, STR("suggestions"), r->suggestions, r->n_suggestions);
    if (r->total == 0 && h->note.n > 0)
        jsonw_put_str(w, STR("note"), h->note);
    jsonw_end(w);
}

/* --- plain text --- */

/* Whether the line of a hit is in a comment, or has other text that people do not see. */
static bool hits_is_hidden(const struct search_hit *h)
{
    struct hidden_list hidden;
    if (h->text.n == 0 || str_find(h->file->text, STR("<!--")) == STR_NONE)
        return false;
    hidden_find(h->file->text, h->line, h->line, &hidden);
    return hidden.n > 0;
}

/* The matches in the line of a hit; one may be all that is known. */
static size_t hits_marks(const struct search_hit *h, str line,
                         struct textscan_mark *first, const struct textscan_mark **out)
{
    bool inside = h->match.n > 0 && h->match.p >= line.p &&
                  h->match.p + h->match.n <= line.p + line.n;
    size_t at = inside ? (size_t)(h->match.p - line.p) : 0;
    *first = (struct textscan_mark){at, at + (inside ? h->match.n : 0)};
    *out = h->n_marks > 0 ? h->marks : first;
    return h->n_marks > 0 ? h->n_marks : inside;
}

/* The line, or a piece of it if it is long, with its matches in bold. */
static void hits_say_line(struct say *s, const struct search_hit *h)
{
    enum { BEFORE = 80, AFTER = 160, NEAR_END = 40 }; /* bytes around the first match */
    str line = text_drop_return(h->text);
    struct textscan_mark first;
    const struct textscan_mark *marks;
    size_t n = hits_marks(h, line, &first, &marks), begin = n > 0 ? marks[0].start : 0;
    size_t at = begin > BEFORE ? utf8_cut(line, begin - BEFORE).n : 0;
    size_t to = (n > 0 ? marks[0].end : 0) + AFTER;
    to = to + NEAR_END < line.n ? utf8_cut(line, to).n : line.n;
    sbuf_add(s->out, at > 0 ? STR("...") : STR(""));
    for (size_t i = 0; i < n; i++) {
        if (marks[i].start < at || marks[i].end > to)
            continue;
        say_line(s, str_slice(line, at, marks[i].start));
        sbuf_add(s->out, STR("**"));
        say_line(s, str_slice(line, marks[i].start, marks[i].end));
        sbuf_add(s->out, STR("**"));
        at = marks[i].end;
    }
    say_line(s, str_slice(line, at, to));
    sbuf_add(s->out, to < line.n ? STR("...") : STR(""));
}

/* After the path: what of it matches, or the alias that does. */
static void hits_say_name(struct say *s, const struct search_hit *h)
{
    str name = path_name(h->file->path);
    bool folder = h->match.n > 0 && h->match.p + h->match.n <= name.p;
    str rest = str_skip(h->snippet, h->file->path.n);
    bool alias = h->match.n == 0 && str_starts(rest, STR(" (alias"));
    sbuf_add(s->out, alias ? rest : folder ? STR(" (folder)") : STR(" (name)"));
}

/* The path once for all hits in a file; a match in the name has no line. */
static void hits_say_one(struct say *s, const void *result, size_t i)
{
    const struct search_hit *h = &((const struct hits *)result)->found.hits[i];
    bool in_name = h->where == SEARCH_FILENAME;
    if (i == 0 || h[-1].file != h->file) {
        sbuf_add(s->out, h->file->path);
        if (in_name)
            hits_say_name(s, h);
        sbuf_char(s->out, '\n');
    }
    bool said = i > 0 && h[-1].file == h->file && h[-1].line == h->line; /* as a tag */
    if (in_name || said)
        return;
    sbuf_printf(s->out, "%u: ", h->line > 0 ? h->line : 1);
    sbuf_add(s->out, hits_page_label(s->out->arena, h));
    if (h->text.n > 0)
        hits_say_line(s, h);
    else /* a tag that the text spells differently */
        say_line(s, h->snippet);
    sbuf_add(s->out, hits_is_hidden(h) ? STR(" [people do not see this]\n") : STR("\n"));
}

/* The first n hits, those of a file next to each other; files in the order of their first
 * hit. */
static struct hits hits_by_file(struct arena *a, const struct hits *h, size_t n)
{
    struct hits by_file = *h;
    bool *taken = ARENA_ARRAY(a, bool, n);
    by_file.found.hits = ARENA_ARRAY(a, struct search_hit, n);
    by_file.found.n = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t k = taken[i] ? n : i; k < n; k++)
            if (!taken[k] && h->found.hits[k].file == h->found.hits[i].file) {
                by_file.found.hits[by_file.found.n++] = h->found.hits[k];
                taken[k] = true;
            }
    return by_file;
}

/* Paths that are not repeated only make it shorter, so what fits in the order of the
 * search also fits by file. */
static size_t hits_say_all(struct say *s, const struct hits *h)
{
    size_t start = s->out->n;
    size_t shown = say_items(s, h, h->found.n, hits_say_one);
    struct hits by_file = hits_by_file(s->out->arena, h, shown);
    s->out->n = start;
    for (size_t i = 0; i < shown; i++)
        hits_say_one(s, &by_file, i);
    return shown;
}

static void hits_say_unread(struct say *s, const struct search_result *r)
{
    size_t n = r->unread < SEARCH_UNREAD ? r->unread : SEARCH_UNREAD;
    sbuf_printf(s->out, "[not searched, because %s could not be read: ",
                r->unread == 1 ? "it" : "they");
    say_list(s, r->unread_in, n);
    if (n < r->unread)
        sbuf_printf(s->out, " and %zu more", r->unread - n);
    sbuf_add(s->out, STR("]\n"));
}

static void hits_say_rest(struct say *s, const struct hits *h)
{
    const struct search_result *r = &h->found;
    say_note(s, h->note);
    if (r->partial)
        say_note(s, STR("out of time: there may be more"));
    if (r->unread > 0)
        hits_say_unread(s, r);
    if (h->unpaged > 0)
        say_note(s,
                 arena_printf(s->out->arena, STR_FMT " not read yet: search again later",
                              STR_ARG(arena_count(s->out->arena, h->unpaged,
                                                  "PDF file is", "PDF files are"))));
    if (r->total > 0)
        return;
    if (r->n_suggestions > 0) {
        sbuf_add(s->out, STR("[did you mean: "));
        say_list(s, r->suggestions, r->n_suggestions);
        sbuf_add(s->out, STR("]\n"));
    } else if (h->note.n == 0 || is_other_mode(h)) {
        say_note(s, STR("try fewer or other words; vault_query from tags and vault_list "
                        "show what "
                        "there is"));
    }
}

static void hits_text(struct say *s, const void *result)
{
    const struct hits *h = result;
    const struct search_result *r = &h->found;
    say_count(s, r->total, "match", "matches");
    sbuf_add(s->out, STR(" in "));
    say_count(s, r->files, "file", "files");
    sbuf_add(s->out, STR("\n"));
    size_t shown = hits_say_all(s, h);
    if (shown < r->n || r->more)
        say_next(s, h->search->offset + shown, SIZE_MAX);
    hits_say_rest(s, h);
}

/* --- a terminal --- */

static void hits_put_text(struct term *t, const struct search_hit *h, size_t width)
{
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

static void hits_put_line(struct term *t, const struct search_hit *h, bool new_file)
{
    if (h->where == SEARCH_FILENAME) {
        hits_put_name(t, h);
    } else if (h->text.n == 0 && h->where == SEARCH_TAG) { /* spelt differently there */
        term_place(t, h->file->path, h->line, new_file);
        term_printf(t, TERM_MATCH, "#" STR_FMT, STR_ARG(h->match));
    } else {
        size_t width = term_place(t, h->file->path, h->line, new_file);
        str page = hits_page_label(t->out.arena, h);
        term_put(t, TERM_FAINT, page);
        hits_put_text(t, h, width > page.n ? width - page.n : width);
    }
    term_put(t, TERM_PLAIN, STR("\n"));
}

/* Lines [from, to] of the file of a hit, as rg prints them around a match. */
static void hits_put_context(struct term *t, const struct search_hit *h, size_t from,
                             size_t to, bool new_file)
{
    uint32_t bom;
    str text = file_searched(h->file, &bom);
    size_t at = 0;
    for (size_t line = 1; at < text.n && line <= to; line++) {
        size_t end = text_line_end(text, at);
        str shown = text_drop_return(str_slice(text, at, end));
        at = end + 1;
        if (line < from)
            continue;
        if (t->width > 0) {
            size_t width =
                term_place(t, h->file->path, (uint32_t)line, new_file && line == from);
            term_found(t, shown, NULL, 0, width);
        } else {
            term_put(t, TERM_PATH, h->file->path);
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
        hits_put_context(t, hit, from, hit->line - 1, new_file);
        hits_put_line(t, hit, new_file && from >= hit->line);
        if (i + 1 < r->n && hit[1].file == hit->file && hit[1].line <= to)
            to = hit[1].line - 1;
        hits_put_context(t, hit, hit->line + 1, to, false);
        last = to;
    }
}

/* As rg -l or rg -c. */
static void hits_put_counts(struct term *t, const struct hits *h)
{
    for (size_t i = 0; i < h->found.n_by_file; i++) {
        const struct search_count *c = &h->found.by_file[i];
        term_put(t, TERM_PATH, c->file->path);
        if (h->view == HITS_COUNTS)
            term_printf(t, TERM_PLAIN, ":%zu", c->hits);
        term_put(t, TERM_PLAIN, STR("\n"));
    }
}

static void hits_put_hints(struct term *t, const struct hits *h)
{
    const struct search_result *r = &h->found;
    if (r->total > 0 && r->mode == SEARCH_WORDS && h->note.n > 0)
        term_printf(t, TERM_PLAIN, STR_FMT "\n", STR_ARG(h->note));
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

static void hits_put_summary(struct term *t, const struct hits *h)
{
    const struct search_result *r = &h->found;
    if (r->n > 0)
        term_put(t, TERM_PLAIN, STR("\n"));
    term_printf(t, TERM_FAINT, STR_FMT " in " STR_FMT,
                STR_ARG(term_count(t, r->total, "match", "matches")),
                STR_ARG(term_count(t, r->files, "file", "files")));
    if (r->more)
        term_printf(t, TERM_FAINT, "; continue with --offset %zu",
                    h->search->offset + r->n);
    term_put(t, TERM_PLAIN, STR("\n"));
}

static void hits_term(struct term *t, const void *result)
{
    const struct hits *h = result;
    const struct search_result *r = &h->found;
    if (h->view != HITS_LINES)
        hits_put_counts(t, h);
    else if (h->context > 0)
        hits_put_around(t, h);
    else
        for (size_t i = 0; i < r->n; i++)
            hits_put_line(t, &r->hits[i],
                          i == 0 || r->hits[i - 1].file != r->hits[i].file ||
                              r->hits[i - 1].where == SEARCH_FILENAME);
    if (t->width > 0 && r->total > 0 && h->view == HITS_LINES)
        hits_put_summary(t, h);
    hits_put_hints(t->notes, h);
}

const struct answer_shape hits_shape = {"hits", .json = hits_json, .text = hits_text,
                                        .term = hits_term};
