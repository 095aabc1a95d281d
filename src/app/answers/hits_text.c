/* Hits as plain text, for a model. */
#include "app/answers/hits_parts.h"
#include "app/answers/model_text.h"
#include "base/chars.h"
#include "base/hash.h"
#include "base/path.h"
#include "base/text.h"
#include "base/utf8.h"
#include "vault/index/file.h"
#include "vault/text/hidden.h"

bool hits_find_hidden(const struct search_hit *h, struct hidden_list *out)
{
    if (h->text.n == 0 || str_find(h->file->text, STR("<!--")) == STR_NONE)
        return false;
    hidden_find(h->file->text, h->line, h->line, out);
    return out->n > 0;
}

static bool hits_is_hidden(const struct search_hit *h)
{
    struct hidden_list hidden;
    return hits_find_hidden(h, &hidden);
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
static void hits_text_line(struct model_text *s, const struct search_hit *h)
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
        mt_line(s, str_slice(line, at, marks[i].start));
        sbuf_add(s->out, STR("**"));
        mt_line(s, str_slice(line, marks[i].start, marks[i].end));
        sbuf_add(s->out, STR("**"));
        at = marks[i].end;
    }
    mt_line(s, str_slice(line, at, to));
    sbuf_add(s->out, to < line.n ? STR("...") : STR(""));
}

/* After the path: what of it matches, or the alias that does. */
static void hits_text_name(struct model_text *s, const struct search_hit *h)
{
    str name = path_name(h->file->path);
    bool folder = h->match.n > 0 && h->match.p + h->match.n <= name.p;
    str rest = str_skip(h->snippet, h->file->path.n);
    bool alias = h->match.n == 0 && str_starts(rest, STR(" (alias"));
    sbuf_add(s->out, alias ? rest : folder ? STR(" (folder)") : STR(" (name)"));
}

static void hits_text_meaning(struct model_text *s, const struct search_hit *h)
{
    if (h->meaning > 0)
        sbuf_printf(s->out, " (meaning %.2f)", (double)h->meaning);
}

/* A match in the name has no line. */
static void hits_text_put(struct model_text *s, const struct hits *all, size_t i,
                          bool path)
{
    const struct search_hit *hits = all->found.hits, *h = &hits[i];
    bool in_name = h->where == SEARCH_FILENAME;
    if (path) {
        sbuf_add(s->out, h->file->path);
        if (in_name) {
            hits_text_name(s, h);
            hits_text_meaning(s, h);
        }
        sbuf_char(s->out, '\n');
    }
    if (in_name || hits_is_same_line(hits, i))
        return;
    sbuf_printf(s->out, "%u: ", hits_line(h));
    sbuf_add(s->out, hits_page_label(s->out->arena, h));
    if (h->heading.n > 0) {
        mt_line(s, h->heading);
        sbuf_add(s->out, STR(": "));
    }
    if (h->text.n > 0)
        hits_text_line(s, h);
    else /* a tag that the text spells differently */
        mt_line(s, h->snippet);
    hits_text_meaning(s, h);
    sbuf_add(s->out, hits_is_hidden(h) ? STR(" [people do not see this]\n") : STR("\n"));
}

/* The path once for all hits in a file. */
static void hits_text_one(struct model_text *s, const void *result, size_t i)
{
    const struct hits *h = result;
    hits_text_put(s, h, i, !hits_is_same_file(h->found.hits, i));
}

/* A hit of a file with more hits than are shown. */
static void hits_text_more(struct model_text *s, uint32_t more)
{
    if (more > 0)
        sbuf_printf(s->out, "+%u more in this file\n", more);
}

static void hits_text_measured(struct model_text *s, const void *result, size_t i)
{
    hits_text_one(s, result, i);
    hits_text_more(s, ((const struct hits *)result)->found.hits[i].more_in_file);
}

/* --- lines that are all but equal --- */

/* A hit, and the hit whose line stands for its own, too. */
struct hits_fold {
    uint64_t line, shape; /* hashes of the text, without and with its digits left out; 0:
                             it is not folded */
    size_t into;          /* the index of that hit; its own if it is shown */
};

enum {
    HITS_ALIKE_SHOWN = 3, /* lines that differ in digits only, before others are folded */
    HITS_ALIKE_LETTERS = 8, /* in such a line */
};

static bool hits_folds(const struct search_hit *h)
{
    return h->where == SEARCH_CONTENT && h->text.n > 0 && h->meaning == 0 &&
           h->heading.n == 0 && h->file->kind != FILE_PDF && !hits_is_hidden(h);
}

/* Spaces and the marker of an item do not count. */
static void hits_read_line(str line, struct hits_fold *out)
{
    enum { MAX = 512 };
    char text[MAX], shape[MAX];
    size_t n = 0, letters = 0;
    for (size_t i = 0; i < line.n && n < MAX; i++) {
        char c = line.p[i];
        if (is_space(c) || (n == 0 && (c == '-' || c == '*' || c == '+' || c == '>')))
            continue;
        text[n++] = c;
        if (!is_digit(c))
            shape[letters++] = c;
    }
    out->line = hash_table((str){text, n});
    out->shape = letters >= HITS_ALIKE_LETTERS ? hash_table((str){shape, letters}) : 0;
}

/* Which hits are folded, of n that are shown by file. */
static struct hits_fold *hits_fold_all(struct arena *a, const struct search_hit *hits,
                                       size_t n)
{
    struct hits_fold *folds = ARENA_ARRAY(a, struct hits_fold, n);
    for (size_t i = 0; i < n; i++) {
        size_t alike = 0, first = i;
        folds[i].into = i;
        if (!hits_folds(&hits[i]))
            continue;
        hits_read_line(hits[i].text, &folds[i]);
        for (size_t k = 0; k < i && folds[i].into == i; k++) {
            if (folds[k].into != k || folds[k].line == 0)
                continue;
            bool similar = hits[k].file == hits[i].file && folds[i].shape != 0 &&
                           folds[k].shape == folds[i].shape;
            first = similar && alike == 0 ? k : first;
            alike += similar;
            if (folds[k].line == folds[i].line)
                folds[i].into = k;
        }
        if (folds[i].into == i && alike >= HITS_ALIKE_SHOWN)
            folds[i].into = first;
    }
    return folds;
}

/* Where else that line is: "[also 15, 19, Log/May.md:12]". */
static void hits_text_also(struct model_text *s, const struct search_hit *hits,
                           const struct hits_fold *folds, size_t i, size_t n)
{
    size_t places = 0;
    bool alike = false;
    for (size_t k = i + 1; k < n; k++) {
        if (folds[k].into != i)
            continue;
        places++;
        alike |= folds[k].line != folds[i].line;
        sbuf_add(s->out, places == 1 ? STR("[also ") : STR(", "));
        if (hits[k].file != hits[i].file)
            sbuf_printf(s->out, STR_FMT ":", STR_ARG(hits[k].file->path));
        sbuf_printf(s->out, "%u", hits[k].line);
        if (hits[k].file != hits[i].file && hits[k].more_in_file > 0)
            sbuf_printf(s->out, " (+%u more)", hits[k].more_in_file);
    }
    sbuf_add(s->out, places == 0 ? STR("") : alike ? STR(", alike]\n") : STR("]\n"));
}

/* Hits [i, end) are those of one file. A file of which all are folded is not named again. */
static void hits_text_file(struct model_text *s, const struct hits *h,
                           const struct hits_fold *folds, size_t i, size_t end)
{
    uint32_t more = 0;
    bool named = false;
    for (size_t k = i; k < end; k++) {
        more += folds[k].into >= i ? h->found.hits[k].more_in_file : 0;
        if (folds[k].into != k)
            continue;
        hits_text_put(s, h, k, !named);
        hits_text_also(s, h->found.hits, folds, k, h->found.n);
        named = true;
    }
    hits_text_more(s, named ? more : 0);
}

/* Paths that are not repeated only make it shorter, so what fits in the order of the
 * search also fits by file. */
static size_t hits_text_all(struct model_text *s, const struct hits *h)
{
    struct arena *a = s->out->arena;
    size_t start = s->out->n;
    size_t shown = mt_items(s, h, h->found.n, hits_text_measured);
    struct hits by_file = hits_by_file(a, h, shown);
    const struct search_hit *hits = by_file.found.hits;
    const struct hits_fold *folds = hits_fold_all(a, hits, shown);
    s->out->n = start;
    for (size_t i = 0, end; i < shown; i = end) {
        for (end = i + 1; end < shown && hits_is_same_file(hits, end);)
            end++;
        hits_text_file(s, &by_file, folds, i, end);
    }
    return shown;
}

static void hits_text_near(struct model_text *s, const struct hits *h)
{
    struct hits near = hits_near(h);
    mt_note(s, STR("other matches, best first:"));
    mt_items(s, &near, near.found.n, hits_text_one);
}

static void hits_text_unread(struct model_text *s, const struct search_result *r)
{
    size_t n = r->unread < SEARCH_UNREAD ? r->unread : SEARCH_UNREAD;
    sbuf_printf(s->out, "[not searched, because %s could not be read: ",
                r->unread == 1 ? "it" : "they");
    mt_list(s, r->unread_in, n);
    if (n < r->unread)
        sbuf_printf(s->out, " and %zu more", r->unread - n);
    sbuf_add(s->out, STR("]\n"));
}

static void hits_text_rest(struct model_text *s, const struct hits *h)
{
    const struct search_result *r = &h->found;
    if (r->corrected.n > 0)
        mt_note(s, arena_printf(s->out->arena, "searched for " STR_FMT,
                                STR_ARG(r->corrected)));
    mt_note(s, h->note);
    mt_note(s, h->meaning);
    if (r->partial)
        mt_note(s, STR("timed out: there may be more"));
    if (r->unread > 0)
        hits_text_unread(s, r);
    if (h->n_others > 0)
        mt_note(s, arena_printf(
                       s->out->arena, "not searched: " STR_FMT "; vault '*' searches all",
                       STR_ARG(hits_unsearched(s->out->arena, h->others, h->n_others))));
    if (h->unpaged > 0)
        mt_note(s,
                arena_printf(s->out->arena, STR_FMT " not read yet: search again later",
                             STR_ARG(arena_count(s->out->arena, h->unpaged, "PDF file is",
                                                 "PDF files are"))));
    if (r->total > 0)
        return;
    if (r->n_suggestions > 0) {
        sbuf_add(s->out, STR("[did you mean: "));
        mt_list(s, r->suggestions, r->n_suggestions);
        sbuf_add(s->out, STR("]\n"));
    } else if (h->note.n == 0 || hits_is_other_mode(h)) {
        bool lists =
            answer_has(s->tools, "vault_query") && answer_has(s->tools, "vault_list");
        mt_note(s, lists ? STR("try fewer or other words; vault_query from tags and "
                               "vault_list show what there is")
                         : STR("try fewer or other words"));
    }
}

void hits_text(struct model_text *s, const void *result)
{
    const struct hits *h = result;
    const struct search_result *r = &h->found;
    mt_count(s, r->total, "match", "matches");
    sbuf_add(s->out, STR(" in "));
    mt_count(s, r->files, "file", "files");
    sbuf_add(s->out, STR("\n"));
    size_t shown = hits_text_all(s, h);
    if (shown < r->n || r->more)
        mt_next(s, h->search->offset + shown, SIZE_MAX);
    else if (r->n_near > 0)
        hits_text_near(s, h);
    hits_text_rest(s, h);
}
