/*
 * The best line of a note for the words of a query: the one with most of them, preferably
 * a heading. Headings are read first, so the search can end at the first line that has
 * all words.
 */
#include "vault/ask/search_passage.h"

#include "base/text.h"
#include "base/utf8.h"
#include "vault/index/file.h"
#include "vault/index/words_query.h"
#include "vault/index/words_split.h"
#include "vault/text/needles.h"
#include "vault/text/textscan.h"

enum {
    NEAR = 256,           /* bytes that a snippet may extend around the first word */
    MARKS_MAX = 2 * NEAR, /* words in a snippet */
    POLL_WORDS = 1 << 14, /* of a text between two looks at the clock */
};

static void want(struct wanted_words *w, str text, bool open, uint64_t bits)
{
    if (w->n == SEARCH_SHOWN_WORDS || text.n == 0)
        return;
    unsigned char c = (unsigned char)text.p[0];
    w->first[c / 64] |= UINT64_C(1) << (c % 64);
    w->items[w->n++] = (struct wanted){text, open, bits};
}

void search_read_wanted(const struct words_query *q, struct wanted_words *out)
{
    *out = (struct wanted_words){0};
    for (size_t i = 0, bit = 0; i < q->n; i++) {
        const struct words_want *word = &q->wants[i];
        uint64_t all = 0;
        out->excludes |= word->excluded;
        for (size_t k = 0; !word->excluded && k < word->n_parts; k++, bit++) {
            uint64_t bits = UINT64_C(1) << (bit % 64);
            want(out, word->parts[k].text, word->parts[k].need != WORDS_EXACT, bits);
            all |= bits;
        }
        want(out, word->together, false, all);
        want(out, word->extra, false, all);
    }
}

void search_want_forms(const struct words_result *r, struct wanted_words *w)
{
    size_t n = w->n;
    for (size_t k = 0; k < r->n_forms && w->n < NEEDLES_MAX; k++)
        for (size_t i = 0; i < n; i++)
            if (!w->items[i].open && str_eq(w->items[i].text, r->forms[k].word))
                want(w, r->forms[k].form, false, w->items[i].bits);
}

static bool is_counted(const struct words_result *r, str text)
{
    for (size_t i = 0; i < r->n_common; i++)
        if (str_eq(r->common[i], text))
            return false;
    return true;
}

void search_prepare_wanted(struct arena *a, const struct words_result *r,
                           struct wanted_words *w)
{
    str texts[SEARCH_SHOWN_WORDS];
    size_t n = 0;
    w->all = 0;
    for (size_t i = 0; i < w->n; i++)
        if (is_counted(r, w->items[i].text)) {
            w->items[n] = w->items[i];
            w->all |= w->items[n++].bits;
        }
    w->n = n;
    search_want_forms(r, w);
    for (n = 0; n < w->n; n++)
        texts[n] = w->items[n].text;
    w->needles = needles_create(a, texts, n, true);
}

/* The words of the query that a word of the text matches; 0: none. */
static uint64_t wanted_bits(const struct wanted_words *w, str token)
{
    unsigned char c = (unsigned char)token.p[0];
    uint64_t bits = 0;
    if ((w->first[c / 64] >> (c % 64) & 1) == 0)
        return 0;
    for (size_t i = 0; i < w->n; i++)
        if (w->items[i].open ? str_starts(token, w->items[i].text)
                             : str_eq(token, w->items[i].text))
            bits |= w->items[i].bits;
    return bits;
}

/* --- the best line of a text --- */

/* A line, and the words of the query in it. */
struct passage_line {
    size_t end;
    uint32_t number; /* from 1 */
    uint64_t bits;
    struct textscan_mark first; /* of its words */
};

struct passage {
    struct search_job *job;
    const struct wanted_words *wanted;
    str text;
    size_t offset;            /* of the chunk being read */
    size_t words;             /* read so far */
    struct passage_line line; /* being read */
    struct passage_line best;
};

static void end_line(struct passage *p)
{
    if (__builtin_popcountll(p->line.bits) > __builtin_popcountll(p->best.bits))
        p->best = p->line;
    p->line.bits = 0;
}

static void go_to_line(struct passage *p, size_t at)
{
    end_line(p);
    for (; p->line.end < at && p->line.end < p->text.n; p->line.number++)
        p->line.end = text_line_end(p->text, p->line.end + 1);
}

static bool search_passage_read_word(void *arg, const struct words_token *t)
{
    struct passage *p = arg;
    if (++p->words % POLL_WORDS == 0 && search_stopped(p->job))
        return false;
    uint64_t bits = wanted_bits(p->wanted, t->text);
    if (bits == 0)
        return true;
    size_t start = p->offset + t->start;
    if (start > p->line.end)
        go_to_line(p, start);
    if (p->line.bits == 0)
        p->line.first = (struct textscan_mark){start, p->offset + t->end};
    p->line.bits |= bits;
    return p->line.bits != p->wanted->all;
}

/* Read the lines that begin in text[from, to), as long as a better one is possible. */
static void read_lines(struct passage *p, size_t from, size_t to)
{
    struct words_tokens into = {.fn = search_passage_read_word, .arg = p};
    p->offset = from;
    words_tokenize_some(str_slice(p->text, from, to), p->wanted->needles, &into);
    end_line(p);
}

/* False if no line has a word of the query. */
static bool find_passage(struct passage *p, const struct note *note)
{
    struct passage_line first = {.end = text_line_end(p->text, 0), .number = 1};
    p->line = first;
    for (uint32_t i = 0; i < note->n_headings && p->best.bits != p->wanted->all; i++) {
        size_t start = note->headings[i].title.start - note->bom;
        go_to_line(p, start);
        read_lines(p, start, p->line.end);
    }
    p->line = first;
    if (p->best.bits != p->wanted->all)
        read_lines(p, 0, p->text.n);
    return p->best.bits != 0;
}

/* --- the words around it --- */

struct marks {
    const struct wanted_words *wanted;
    size_t offset;
    struct textscan_mark items[MARKS_MAX];
    size_t n;
};

/* Words may overlap: e-mail and mail, pairs of CJK letters. */
static bool mark_word(void *arg, const struct words_token *t)
{
    struct marks *m = arg;
    if (wanted_bits(m->wanted, t->text) == 0)
        return true;
    struct textscan_mark mark = {m->offset + t->start, m->offset + t->end};
    while (m->n > 0 && m->items[m->n - 1].end > mark.start) {
        const struct textscan_mark *last = &m->items[--m->n];
        mark.start = last->start < mark.start ? last->start : mark.start;
        mark.end = last->end > mark.end ? last->end : mark.end;
    }
    m->items[m->n++] = mark;
    return m->n < MARKS_MAX;
}

/* All words of the query in bold around the one at first. */
static str snippet(struct arena *a, const struct wanted_words *wanted, str text,
                   struct textscan_mark first)
{
    struct marks m = {.wanted = wanted};
    m.offset = first.start > NEAR ? first.start - NEAR : 0;
    struct words_tokens to = {.fn = mark_word, .arg = &m};
    words_tokenize_some(str_slice(text, m.offset, first.end + NEAR), wanted->needles,
                        &to);
    for (size_t i = 0; i < m.n; i++)
        if (m.items[i].start <= first.start && first.start < m.items[i].end)
            return textscan_snippet_marks(a, text, m.items, m.n, i);
    return textscan_snippet(a, text, first.start, first.end);
}

static void mark_words(struct search_job *job, const struct wanted_words *wanted,
                       str line)
{
    struct marks m = {.wanted = wanted};
    struct words_tokens to = {.fn = mark_word, .arg = &m};
    words_tokenize_some(line, wanted->needles, &to);
    for (size_t i = 0; i < m.n; i++)
        if (!search_add_mark(job, m.items[i].start, m.items[i].end))
            return;
}

/* Show a file that has the words only in its name. */
static struct search_hit *
show_name(struct search_job *job, const struct wanted_words *wanted, const struct file *f)
{
    struct search_hit *hit = search_add_name(job, f, 0, 0);
    struct marks m = {.wanted = wanted};
    struct words_tokens to = {.fn = mark_word, .arg = &m};
    words_tokenize(f->path, &to);
    if (m.n > 0)
        hit->snippet = textscan_snippet_marks(job->arena, f->path, m.items, m.n, m.n - 1);
    return hit;
}

static struct search_hit *show_line(struct search_job *job, const struct passage *p,
                                    const struct file *f)
{
    struct search_hit *hit = search_add_line(job, f, p->text, p->best.number,
                                             p->best.first.start, p->best.first.end);
    hit->snippet = snippet(job->arena, p->wanted, p->text, p->best.first);
    if (job->search->all_marks)
        mark_words(job, p->wanted, hit->text);
    return hit;
}

struct search_hit *search_show_words(struct search_job *job,
                                     const struct wanted_words *wanted,
                                     const struct file *f)
{
    uint32_t bom;
    struct passage p = {.job = job, .wanted = wanted, .text = file_searched(f, &bom)};
    return find_passage(&p, &f->note) ? show_line(job, &p, f) : show_name(job, wanted, f);
}

/* --- a chunk --- */

static bool search_passage_is_heading(const struct note *note, uint32_t line)
{
    for (uint32_t i = 0; i < note->n_headings; i++)
        if (note->headings[i].line == line)
            return true;
    return false;
}

/* Where the chunk that begins at from ends at the latest; it may have several
 * sections. */
static size_t end_of_chunk(str text, size_t from)
{
    enum { CHUNK_BYTES = 1200 };
    return from + CHUNK_BYTES < text.n ? from + CHUNK_BYTES : text.n;
}

/* The first line with text after the heading, without its words in bold. */
static void take_first_line(struct passage *p, const struct file *f, size_t at,
                            size_t end, uint32_t line)
{
    p->best = (struct passage_line){.number = line, .first = {at, at}};
    for (; at < end; at = text_next_line(p->text, at), line++) {
        size_t to = text_line_end(p->text, at);
        bool blank = str_trim_line(str_slice(p->text, at, to)).n == 0;
        if (blank || search_passage_is_heading(&f->note, line))
            continue;
        p->best = (struct passage_line){.number = line, .first = {at, at}};
        return;
    }
}

struct search_hit *search_show_chunk(struct search_job *job,
                                     const struct wanted_words *wanted,
                                     const struct meaning_near *near)
{
    uint32_t bom;
    struct passage p = {
        .job = job, .wanted = wanted, .text = file_searched(near->file, &bom)};
    size_t from = 0;
    for (uint32_t line = 1; line < near->line && from < p.text.n; line++)
        from = text_next_line(p.text, from);
    size_t end = end_of_chunk(p.text, from);
    size_t text = search_passage_is_heading(&near->file->note, near->line)
                      ? text_next_line(p.text, from)
                      : from;
    p.line =
        (struct passage_line){.end = text_line_end(p.text, from), .number = near->line};
    if (text < end)
        read_lines(&p, text, end);
    if (p.best.bits == 0)
        take_first_line(&p, near->file, from, end, near->line);
    struct search_hit *hit = show_line(job, &p, near->file);
    hit->from = near->line;
    hit->heading = near->heading;
    return hit;
}
