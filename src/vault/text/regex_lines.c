/* Lines: which of them the engine gets, how many at a time, and with which program. */
#include "base/os/bytes.h"
#include "base/text.h"
#include "vault/text/needles.h"
#include "vault/text/regex_engine.h"

enum {
    ASCII_GAP = 512, /* bytes of ASCII that are worth a change of program */
    DENSE_GAP = 128, /* bytes between needed texts; closer ones are not worth a search */
    DENSE_MAX = 16,
};

static bool is_stopped(struct regex_scratch *s)
{
    if (!s->stopped && s->stop != NULL && s->stop(s->stop_arg))
        s->stopped = true;
    return s->stopped;
}

/* The start of the character that contains byte i. */
static size_t char_start(str text, size_t i)
{
    for (int k = 0; k < 3 && i > 0 && ((unsigned char)text.p[i] & 0xC0) == 0x80; k++)
        i--;
    return i;
}

/*
 * The first match in all of text[from, to), which is one line. Assertions see the character
 * before from, so that the ASCII program is right only if that is ASCII, too.
 */
static enum regex_found find_exactly(const struct regex *r, struct regex_scratch *s,
                                     str text, size_t from, size_t to, size_t hit[2])
{
    size_t seen = from > 0 ? from - 1 : 0;
    enum regex_program program = REGEX_TEXT;
    if (to - from > r->plain_max)
        program = REGEX_GUARD;
    else if (r->code[REGEX_ASCII] != NULL &&
             needles_skip_ascii(str_slice(text, 0, to), seen) == to)
        program = REGEX_ASCII;
    return regex_run(r, s, program, text, from, to, false, hit);
}

/*
 * Some match in one line that is too much for one run: piece by piece. What is found may be a
 * part of the match, and a match may be missed, so nothing that writes may use this.
 */
static enum regex_found find_in_pieces(const struct regex *r, struct regex_scratch *s,
                                       str text, size_t from, size_t to, size_t hit[2])
{
    while (to - from > REGEX_LINE_MAX && !is_stopped(s)) {
        size_t cut = char_start(text, from + REGEX_LINE_MAX);
        size_t next = char_start(text, cut - REGEX_OVERLAP);
        enum regex_found found = regex_run(r, s, REGEX_GUARD, text, from, cut, true, hit);
        /* a match that ends at the cut might be longer; the next piece sees all of it */
        if (found == REGEX_FOUND && (hit[1] < cut || hit[0] < next))
            return REGEX_FOUND;
        from = next;
    }
    enum regex_found found = regex_run(r, s, REGEX_GUARD, text, from, to, false, hit);
    return found == REGEX_FOUND ? REGEX_FOUND : REGEX_LIMITED;
}

/* The first match in one line, to show that line. */
static enum regex_found find_in_line(const struct regex *r, struct regex_scratch *s,
                                     str text, size_t from, size_t to, size_t hit[2])
{
    enum regex_found found = find_exactly(r, s, text, from, to, hit);
    return found == REGEX_LIMITED && to - from > REGEX_LINE_MAX && !is_stopped(s)
               ? find_in_pieces(r, s, text, from, to, hit)
               : found;
}

/* A search of a whole text. */
struct regex_lines_search {
    const struct regex *r;
    struct regex_scratch *s;
    str text;
    bool (*fn)(void *arg, const struct regex_hit *hit);
    void *arg;
    uint32_t line; /* number of the line that contains byte counted */
    size_t counted;
    bool ended; /* fn returned false */
};

/* Report the line around a match; returns where the next line begins. */
static size_t regex_lines_report(struct regex_lines_search *q, const size_t match[2])
{
    size_t start = text_line_start(q->text, match[0]),
           end = text_line_end(q->text, match[1]);
    q->line += (uint32_t)text_count_ends(q->text, q->counted, start);
    q->counted = start;
    struct regex_hit hit = {
        .line = q->line,
        .line_start = (uint32_t)start,
        .line_end = (uint32_t)end,
        .start = (uint32_t)match[0],
        .end = (uint32_t)match[1],
    };
    q->ended = !q->fn(q->arg, &hit);
    return end + 1;
}

/* Match one line and report it. */
static void scan_line(struct regex_lines_search *q, size_t from, size_t to)
{
    size_t hit[2];
    enum regex_found found = find_in_line(q->r, q->s, q->text, from, to, hit);
    if (found == REGEX_FOUND)
        regex_lines_report(q, hit);
    q->s->limited |= found == REGEX_LIMITED;
}

/* Match several lines in one run: text[from, to), without the last line feed. */
static void scan_lines(struct regex_lines_search *q, enum regex_program program,
                       size_t from, size_t to)
{
    while (from <= to && !q->ended && !is_stopped(q->s)) {
        size_t hit[2];
        enum regex_found found =
            regex_run(q->r, q->s, program, q->text, from, to, false, hit);
        if (found == REGEX_NOT_FOUND)
            return;
        if (found == REGEX_FOUND) {
            from = regex_lines_report(q, hit);
            continue;
        }
        /* a limit was hit: try the lines one by one */
        for (size_t end; from <= to && !q->ended && !is_stopped(q->s); from = end + 1) {
            end = text_line_end(q->text, from);
            scan_line(q, from, end);
        }
    }
}

/*
 * Choose lines, starting at from, for which the same program is right; returns where they
 * end.
 */
static size_t choose_lines(const struct regex_lines_search *q, size_t from,
                           enum regex_program *program)
{
    str text = q->text;
    const struct regex *r = q->r;
    size_t end = text.n;
    if (end - from > REGEX_LINE_MAX) {
        const char *feed = bytes_find_last(text.p + from, '\n', REGEX_LINE_MAX);
        end = feed != NULL ? (size_t)(feed - text.p) + 1 : text_line_end(text, from) + 1;
    }
    *program = REGEX_TEXT;
    if (r->plain_max < REGEX_LINE_MAX) {
        size_t at = from;
        while (at < end && text_line_end(text, at) - at <= r->plain_max)
            at = text_line_end(text, at) + 1;
        if (at == from) {
            *program = REGEX_GUARD;
            return text_line_end(text, from) + 1;
        }
        end = at < end ? at : end;
    }
    if (r->code[REGEX_ASCII] == NULL && !r->never_ascii)
        return end;
    str part = str_slice(text, 0, end);
    size_t high = needles_skip_ascii(part, from), start = text_line_start(text, high);
    if (high >= part.n || start > from) {
        *program = REGEX_ASCII;
        return high >= part.n ? end : start;
    }
    /* lines that are not ASCII, and short runs of ASCII lines between them */
    size_t at = text_line_end(text, high) + 1;
    while (at < end) {
        str near = str_slice(part, 0, at + ASCII_GAP);
        high = needles_skip_ascii(near, at);
        if (high >= near.n)
            break;
        at = text_line_end(text, high) + 1;
    }
    return at < end ? at : end;
}

/* Match some lines, starting at from; returns where the next ones begin. */
static size_t scan_some(struct regex_lines_search *q, size_t from)
{
    enum regex_program program;
    size_t end = choose_lines(q, from, &program);
    if (end > q->text.n)
        end = q->text.n;
    size_t to = q->text.p[end - 1] == '\n' ? end - 1 : end;
    if (program == REGEX_ASCII && q->r->never_ascii)
        return end;
    if (program == REGEX_GUARD || to - from > REGEX_LINE_MAX)
        scan_line(q, from, to);
    else
        scan_lines(q, program, from, to);
    return end;
}

static void search_words(struct regex_lines_search *q)
{
    size_t from = 0, hit[2];
    while (!q->ended && !is_stopped(q->s) &&
           needles_next(q->r->words, q->text, from, &hit[0], &hit[1])) {
        if (q->r->exact) {
            from = regex_lines_report(q, hit);
        } else {
            size_t end = text_line_end(q->text, hit[1]);
            scan_line(q, text_line_start(q->text, hit[0]), end);
            from = end + 1;
        }
    }
}

/*
 * Match only lines with the text that every match contains, unless nearly all lines have
 * it.
 */
static void search_needed(struct regex_lines_search *q)
{
    size_t from = 0, start, end;
    for (int dense = 0; from < q->text.n && !q->ended && !is_stopped(q->s);) {
        if (dense > DENSE_MAX) {
            from = scan_some(q, from);
            dense = DENSE_MAX / 2;
            continue;
        }
        if (!needles_next(q->r->needed, q->text, from, &start, &end))
            return;
        dense = start - from < DENSE_GAP ? dense + 1 : dense > 0 ? dense - 1 : 0;
        from = text_line_end(q->text, end);
        scan_line(q, text_line_start(q->text, start), from);
        from++;
    }
}

static void search_text_of(struct regex_lines_search *q)
{
    if (q->r->words != NULL) {
        search_words(q);
    } else if (q->r->needed != NULL) {
        search_needed(q);
    } else {
        for (size_t from = 0; from < q->text.n && !q->ended && !is_stopped(q->s);)
            from = scan_some(q, from);
    }
}

/* The engine ends lines with feeds only, so it gets a copy with one for each lone "\r". */
static void search_with_feeds(struct regex_lines_search *q, size_t at)
{
    char *copy = mem_alloc(q->text.n);
    memcpy(copy, q->text.p, q->text.n);
    for (; at < q->text.n; at = text_lone_return(q->text, at + 1, q->text.n))
        copy[at] = '\n';
    q->text.p = copy;
    search_text_of(q);
    free(copy);
}

static bool has_literal(const struct regex *r, str text)
{
    const struct needles *some = r->words != NULL ? r->words : r->needed;
    size_t start, end;
    return some == NULL || needles_next(some, text, 0, &start, &end);
}

bool regex_lines(const struct regex *r, struct regex_scratch *s, str text,
                 bool (*fn)(void *arg, const struct regex_hit *hit), void *arg,
                 bool (*stop)(void *arg), void *stop_arg)
{
    struct regex_lines_search q = {
        .r = r, .s = s, .text = text, .fn = fn, .arg = arg, .line = 1};
    if (text.n >= UINT32_MAX)
        return false;
    s->stop = stop;
    s->stop_arg = stop_arg;
    s->stopped = s->limited = false;
    if (!has_literal(r, text))
        return true;
    size_t lone = text_lone_return(text, 0, text.n);
    if (lone < text.n)
        search_with_feeds(&q, lone);
    else
        search_text_of(&q);
    return !s->stopped && !s->limited;
}

bool regex_find(const struct regex *r, struct regex_scratch *s, str line, uint32_t *start,
                uint32_t *end)
{
    size_t hit[2];
    if (line.n >= UINT32_MAX)
        return false;
    if (line.p == NULL)
        line.p = "";
    s->stop = NULL;
    s->stopped = false;
    bool found = r->exact ? needles_next(r->words, line, 0, &hit[0], &hit[1])
                          : find_in_line(r, s, line, 0, line.n, hit) == REGEX_FOUND;
    if (found) {
        *start = (uint32_t)hit[0];
        *end = (uint32_t)hit[1];
    }
    return found;
}

bool regex_captures(const struct regex *r, struct regex_scratch *s, str line, size_t from,
                    struct regex_group groups[REGEX_GROUPS_MAX + 1], bool *limited)
{
    size_t hit[2];
    *limited = line.n >= UINT32_MAX;
    if (*limited || from > line.n)
        return false;
    if (line.p == NULL)
        line.p = "";
    s->stop = NULL;
    s->stopped = false;
    if (r->exact) { /* plain text has no groups */
        if (!needles_next(r->words, line, from, &hit[0], &hit[1]))
            return false;
        groups[0] = (struct regex_group){(uint32_t)hit[0], (uint32_t)hit[1]};
        return true;
    }
    enum regex_found found = find_exactly(r, s, line, from, line.n, hit);
    *limited = found == REGEX_LIMITED;
    if (found == REGEX_FOUND)
        regex_groups(s, groups, r->n_groups + 1);
    return found == REGEX_FOUND;
}

bool regex_captures_text(const struct regex *r, struct regex_scratch *s, str text,
                         size_t from, struct regex_group groups[REGEX_GROUPS_MAX + 1],
                         bool *limited)
{
    size_t hit[2];
    *limited = text.n >= UINT32_MAX;
    if (*limited || from > text.n)
        return false;
    if (text.p == NULL)
        text.p = "";
    s->stop = NULL;
    s->stopped = false;
    enum regex_program program = text.n - from > r->plain_max ? REGEX_GUARD : REGEX_TEXT;
    enum regex_found found = regex_run(r, s, program, text, from, text.n, false, hit);
    *limited = found == REGEX_LIMITED;
    if (found == REGEX_FOUND)
        regex_groups(s, groups, r->n_groups + 1);
    return found == REGEX_FOUND;
}

bool regex_spans(const struct regex *r)
{
    return r->spans;
}

unsigned regex_n_groups(const struct regex *r)
{
    return r->n_groups;
}

unsigned regex_group_named(const struct regex *r, str name)
{
    str rest = r->group_names, other;
    for (unsigned i = 1; name.n > 0 && rest.n > 0 && str_next(&rest, '\0', &other); i++)
        if (str_eq(name, other))
            return i;
    return 0;
}
