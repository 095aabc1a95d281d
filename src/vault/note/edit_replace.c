/*
 * Exact text. LF and CRLF are equal: if the file has CRLF and the request has a line
 * break, the search runs over a copy without these CRs, and the offsets found are mapped
 * back.
 */
#include "base/array.h"
#include "base/text.h"
#include "base/utf8.h"
#include "vault/note/edit_parts.h"

enum {
    EXCERPT_SHORT = 60, /* bytes of a line shown in a message */
    EXCERPT_LONG = 300,
    LINES_SHOWN = 10,
};

/*
 * Find up to max places of old_text in text that do not overlap; LF and CRLF are equal.
 * *twice: it occurs more than once, even if only with overlaps.
 */
static void edit_find_all(struct arena *a, str text, str old_text, size_t max,
                          struct edit_matches *out, bool *twice)
{
    str old = edit_with_eol(a, old_text, STR("\n"));
    bool copied =
        str_find_char(old, '\n') != STR_NONE && str_find(text, STR("\r\n")) != STR_NONE;
    str in = copied ? edit_with_eol(a, text, STR("\n")) : text;
    struct edit_carry carry = {.text = text};
    size_t hit;
    *out = (struct edit_matches){0};
    for (size_t at = 0; out->n < max; at += old.n) {
        hit = str_find(str_skip(in, at), old);
        if (hit == STR_NONE)
            break;
        at += hit;
        struct edit_range r = {at, at + old.n};
        if (copied) {
            r.start = edit_carry_back(&carry, at);
            r.end = edit_carry_back(&carry, at + old.n);
        }
        *ARRAY_ADD(a, out->at, out->n) = r;
    }
    *twice = out->n > 1;
    if (out->n == 1) {
        size_t first = str_find(in, old);
        *twice = str_find(str_skip(in, first + 1), old) != STR_NONE;
    }
}

static bool edit_replace_not_found(struct arena *a, str text, str old_text, str *hint,
                                   struct err *err)
{
    str shown;
    if (!edit_explain(a, text, old_text, EXCERPT_LONG, &shown))
        return err_named(err, E_TEXT_NOT_FOUND,
                         "Text not found in file, nor anything similar; read the note "
                         "again");
    *hint = shown;
    (void)edit_explain(a, text, old_text, EXCERPT_SHORT, &shown);
    return err_named(err, E_TEXT_NOT_FOUND, EDIT_NO_TEXT STR_FMT, STR_ARG(shown));
}

static bool only_above(struct err *err)
{
    return err_named(err, E_TEXT_NOT_FOUND,
                     "Text not found in the body: it occurs only in the frontmatter");
}

static bool not_unique(struct arena *a, str text, const struct edit_matches *m,
                       bool replaces, struct err *err)
{
    struct sbuf b = SBUF_ON(a);
    uint32_t line = 1, last = 0;
    size_t counted = 0, shown = 0;
    const char *how =
        m->loose ? "Text not found exactly; with other quotes or spaces it" : "Text";
    for (size_t i = 0; i < m->n && shown < LINES_SHOWN; i++) {
        line += text_line_number(str_slice(text, counted, m->at[i].start), SIZE_MAX) - 1;
        counted = m->at[i].start;
        if (line == last)
            continue;
        sbuf_printf(&b, "%s%u", shown++ > 0 ? ", " : "", line);
        last = line;
    }
    return err_named(err, E_TEXT_NOT_UNIQUE,
                     "%s appears %zu times in file, must be unique (%s " STR_FMT
                     "%s): send more of the text around it%s",
                     how, m->n > 1 ? m->n : 2, shown > 1 ? "lines" : "line",
                     STR_ARG(sbuf_str(&b)), shown == LINES_SHOWN ? ", ..." : "",
                     replaces && !m->loose ? ", or replace_all" : "");
}

static void edit_replace_move(struct edit_matches *m, size_t from)
{
    for (size_t i = 0; i < m->n; i++)
        m->at[i] = (struct edit_range){m->at[i].start + from, m->at[i].end + from};
}

/* Nothing in the section: say where the text is, or what is like it. */
static bool not_in_section(struct arena *a, str text, const struct edit_swap *swap,
                           str *hint, struct err *err)
{
    struct edit_matches m;
    bool twice;
    edit_find_all(a, text, swap->old_text, 1, &m, &twice);
    if (m.n == 0)
        return edit_replace_not_found(a, text, swap->old_text, hint, err);
    return err_named(err, E_TEXT_NOT_FOUND,
                     "Text not found in section \"" STR_FMT "\"; it occurs in line %u, "
                     "outside of it",
                     STR_ARG(utf8_cut(swap->section, EXCERPT_SHORT)),
                     text_line_number(text, m.at[0].start));
}

/* No exact text: the only tolerant place, or why there is none. */
static bool find_loosely(struct arena *a, str text, struct edit_range in,
                         const struct edit_swap *swap, struct edit_matches *m, str *hint,
                         struct err *err)
{
    if (swap->tolerant) {
        edit_find_tolerant(a, str_slice(text, in.start, in.end), swap->old_text,
                           EDIT_REPLACEMENTS_MAX, m);
        edit_replace_move(m, in.start);
        m->loose = true;
    }
    if (m->n > 1)
        return not_unique(a, text, m, swap->new_text.p != NULL, err);
    if (m->n == 1) {
        m->new_text = swap->new_text;
        if (swap->new_text.p != NULL)
            edit_keep_spelling(a, text, &m->at[0], &m->new_text);
        return true;
    }
    if (swap->section.n > 0)
        return not_in_section(a, text, swap, hint, err);
    return swap->from > 0 && str_find(text, swap->old_text) < swap->from
               ? only_above(err)
               : edit_replace_not_found(a, text, swap->old_text, hint, err);
}

/* Find all places of one text and check their number. */
static bool find_places(struct arena *a, str text, struct edit_range in,
                        const struct edit_swap *swap, struct edit_matches *m, str *hint,
                        struct err *err)
{
    bool twice;
    if (swap->old_text.n == 0)
        return err_set(err, ERR_INVALID, "the text to find is empty");
    edit_find_all(a, str_slice(text, in.start, in.end), swap->old_text,
                  EDIT_REPLACEMENTS_MAX + 1, m, &twice);
    edit_replace_move(m, in.start);
    if (m->n == 0)
        return find_loosely(a, text, in, swap, m, hint, err);
    if (twice && !swap->replace_all)
        return not_unique(a, text, m, swap->new_text.p != NULL, err);
    return true;
}

static void warn_loose(struct edit_job *j, str text, const struct edit_matches *m)
{
    if (m->loose)
        edit_warn(j->out, arena_printf(j->arena,
                                       "no exact match: line %u was used, which differs "
                                       "only in quotes, spaces or Unicode form",
                                       text_line_number(text, m->at[0].start)));
}

bool edit_find_unique(struct edit_job *j, const struct edit_swap *swap,
                      struct edit_range *at)
{
    struct edit_matches m;
    struct edit_range in = {swap->from, j->text.n};
    j->out->lead = STR(EDIT_NO_TEXT);
    if (!edit_check_size("the text to find", swap->old_text, EDIT_PIECE_MAX, j->err) ||
        !find_places(j->arena, j->text, in, swap, &m, &j->out->hint, j->err))
        return false;
    warn_loose(j, j->text, &m);
    *at = m.at[0];
    return true;
}

/* Where a swap may change something; a section moves with the swaps made in it. */
static bool find_scope(struct edit_job *j, struct arena *work,
                       const struct edit_swap *swap, str text, struct edit_range *out)
{
    *out = (struct edit_range){swap->from, text.n};
    if (swap->section.n == 0)
        return true;
    if (!str_eq(swap->section, j->section) &&
        !edit_find_section(work, text, swap->section, &j->within, j->err))
        return false;
    j->section = swap->section;
    *out = j->within;
    return true;
}

/* Widen the range that has changed so far by one place. */
static void widen(struct edit_range *is, struct edit_range place, size_t new_n,
                  bool first)
{
    size_t old_n = place.end - place.start;
    if (first) {
        *is = (struct edit_range){place.start, place.start + new_n};
        return;
    }
    if (place.start < is->start)
        is->start = place.start;
    if (place.end > is->end)
        is->end = place.end;
    is->end = is->end + new_n - old_n;
}

/* A text with each of the three line breaks that may be needed. */
struct variants {
    str lf, crlf, native;
};

static struct variants make_variants(struct arena *a, str text, str eol)
{
    return (struct variants){
        .lf = edit_with_eol(a, text, STR("\n")),
        .crlf = edit_with_eol(a, text, STR("\r\n")),
        .native = edit_with_eol(a, text, eol),
    };
}

/* The variant for r: with the line break used there, or in the file. */
static str variant_at(const struct variants *s, str text, struct edit_range r)
{
    str old = str_slice(text, r.start, r.end);
    size_t feed = str_find_char(old, '\n');
    if (feed == STR_NONE)
        return s->native;
    return feed > 0 && old.p[feed - 1] == '\r' ? s->crlf : s->lf;
}

static bool swap_all(struct edit_job *j, struct arena *work, const struct edit_swap *swap,
                     const struct edit_matches *m, str *text)
{
    struct sbuf b = SBUF_ON(work);
    struct edit_range *is = &j->out->is;
    size_t done = 0, grown = 0, shrunk = 0;
    struct variants variants =
        make_variants(work, m->loose ? m->new_text : swap->new_text, j->eol);
    for (size_t i = 0; i < m->n; i++) {
        struct edit_range r = m->at[i];
        str new_text = variant_at(&variants, *text, r);
        if (b.n + (r.start - done) + new_text.n > EDIT_TEXT_MAX)
            return err_set(j->err, ERR_LIMIT, "the note would have more than %d bytes",
                           EDIT_TEXT_MAX);
        sbuf_add(&b, str_slice(*text, done, r.start));
        sbuf_add(&b, new_text);
        done = r.end;
        struct edit_range moved = {r.start + grown - shrunk, r.end + grown - shrunk};
        widen(is, moved, new_text.n, j->out->replacements++ == 0);
        grown += new_text.n;
        shrunk += r.end - r.start;
    }
    sbuf_add(&b, str_skip(*text, done));
    j->within.end = j->within.end + b.n - text->n;
    *text = sbuf_str(&b);
    return edit_check_size("the new note", *text, EDIT_TEXT_MAX, j->err);
}

/*
 * Fill in the result as edit_splice() would; was follows from is, because everything else
 * is equal.
 */
static void edit_replace_finish(struct edit_job *j, str text)
{
    struct edit_result *out = j->out;
    out->was = (struct edit_range){out->is.start, j->text.n - (text.n - out->is.end)};
    out->text = str_eq(text, j->text) ? j->text : arena_str(j->arena, text);
    edit_set_lines(out, out->is.start, out->is.end);
    if (out->text.p == j->text.p)
        edit_warn(out, STR("nothing changed: old and new text are the same"));
}

static bool replace_one(struct edit_job *j, struct arena *work,
                        const struct edit_swap *swap, str *text)
{
    struct edit_matches m = {0};
    struct edit_range in;
    str hint = {0};
    if (!edit_check_size("old_text", swap->old_text, EDIT_PIECE_MAX, j->err) ||
        !edit_check_size("new_text", swap->new_text, EDIT_PIECE_MAX, j->err))
        return false;
    if (!find_scope(j, work, swap, *text, &in))
        return false;
    if (!find_places(work, *text, in, swap, &m, &hint, j->err)) {
        j->out->lead = STR(EDIT_NO_TEXT);
        j->out->hint = arena_str(j->arena, hint);
        j->out->places = m.n == 1 ? 2 : m.n; /* they overlap */
        return false;
    }
    if (j->out->replacements + m.n > EDIT_REPLACEMENTS_MAX)
        return err_set(j->err, ERR_LIMIT, "more than %d places would change",
                       EDIT_REPLACEMENTS_MAX);
    warn_loose(j, *text, &m);
    return swap_all(j, work, swap, &m, text);
}

/*
 * Say which of several replacements failed; the start of the message stays, clients match
 * it.
 */
static void name_step(struct edit_job *j, size_t step, size_t n)
{
    err_reword(j->err, "%s [replacement %zu of %zu]", j->err->msg, step, n);
}

static bool replace_each(struct edit_job *j, const struct edit_swap *swaps, size_t n)
{
    struct arena work[2] = {0}; /* the texts of this step and the one before */
    str text = j->text;
    bool ok = true;
    for (size_t i = 0; i < n && ok; i++) {
        arena_reset(&work[i % 2]);
        ok = replace_one(j, &work[i % 2], &swaps[i], &text);
        if (!ok && n > 1)
            name_step(j, i + 1, n);
    }
    if (ok)
        edit_replace_finish(j, text);
    arena_release(&work[0]);
    arena_release(&work[1]);
    return ok;
}

bool edit_replace(struct arena *a, str text, const struct edit_swap *swaps, size_t n,
                  struct edit_result *out, struct err *err)
{
    struct edit_job j = {.arena = a, .text = text, .out = out, .err = err};
    *out = (struct edit_result){0};
    if (n == 0)
        return err_set(err, ERR_INVALID, "there is nothing to replace");
    if (n > EDIT_SWAPS_MAX)
        return err_set(err, ERR_LIMIT, "more than %d replacements in one call",
                       EDIT_SWAPS_MAX);
    if (!edit_check_size("the note", text, EDIT_TEXT_MAX, err))
        return false;
    j.eol = edit_eol(text);
    if (!replace_each(&j, swaps, n))
        return false;
    edit_warn_rest(&j);
    return true;
}
