/*
 * Regular expressions. A pattern that cannot match a line feed is matched one line at a
 * time, any other in the whole text; a CR before a line feed does not count.
 */
#include "base/array.h"
#include "base/text.h"
#include "base/utf8.h"
#include "vault/note/edit_parts.h"
#include "vault/text/regex.h"

enum { NAME_SHOWN = 40 }; /* bytes */

/* A parsed replacement: text, then perhaps a group, then text, and so on. */
struct regex_piece {
    str text;
    unsigned group; /* after the text */
    bool has_group;
};

struct replacement {
    struct regex_piece *pieces;
    size_t n;
};

struct regex_job {
    struct edit_job *job;
    struct regex *regex;
    struct regex_scratch *scratch;
    struct replacement replacement;
    size_t max;
    const struct stop *stop;
    struct sbuf b;
    size_t first, last; /* of the new text: the range that changed */
};

/* --- the replacement --- */

static struct regex_piece *add_piece(struct arena *a, struct replacement *t)
{
    struct regex_piece *piece = ARRAY_ADD(a, t->pieces, t->n);
    *piece = (struct regex_piece){0};
    return piece;
}

static bool edit_regex_is_name(char c)
{
    return c == '_' || is_alnum(c);
}

/*
 * The name after a $, without braces; empty if there is none. *used is its length with
 * braces.
 */
static str group_name(str s, size_t *used)
{
    size_t n = 0, close;
    if (s.n > 0 && s.p[0] == '{') {
        close = str_find_char(s, '}');
        *used = close != STR_NONE ? close + 1 : 0;
        return close != STR_NONE ? str_slice(s, 1, close) : (str){0};
    }
    while (n < s.n && edit_regex_is_name(s.p[n]))
        n++;
    *used = n;
    return str_slice(s, 0, n);
}

static bool find_group(const struct regex *r, str name, unsigned *group, struct err *err)
{
    int64_t number;
    bool numeric = str_to_int(name, &number) && name.p[0] != '-';
    if (numeric && number >= 0 && number <= regex_n_groups(r)) {
        *group = (unsigned)number;
        return true;
    }
    *group = numeric ? 0 : regex_group_named(r, name);
    if (*group > 0)
        return true;
    size_t digits = 0;
    name = utf8_cut(name, NAME_SHOWN);
    while (digits < name.n && is_digit(name.p[digits]))
        digits++;
    if (digits > 0 && digits < name.n)
        return err_set(err, ERR_INVALID,
                       "the pattern has no group '" STR_FMT "'; write ${" STR_FMT
                       "} if text follows a number",
                       STR_ARG(name), STR_ARG(str_slice(name, 0, digits)));
    return err_set(err, ERR_INVALID,
                   "the pattern has no group '" STR_FMT "'; write $$ for a dollar",
                   STR_ARG(name));
}

static bool read_template(struct regex_job *q, str s, bool literal)
{
    struct arena *a = q->job->arena;
    size_t text = 0, used;
    for (size_t i = 0; i < s.n && !literal;) {
        if (s.p[i] != '$') {
            i++;
            continue;
        }
        bool dollar = i + 1 < s.n && s.p[i + 1] == '$';
        str name = dollar ? (str){0} : group_name(str_skip(s, i + 1), &used);
        if (!dollar && name.n == 0) { /* a dollar without a name is literal */
            i++;
            continue;
        }
        struct regex_piece *p = add_piece(a, &q->replacement);
        p->text = str_slice(s, text, dollar ? i + 1 : i);
        p->has_group = !dollar;
        if (!dollar && !find_group(q->regex, name, &p->group, q->job->err))
            return false;
        text = i += dollar ? 2 : 1 + used;
    }
    add_piece(a, &q->replacement)->text = str_skip(s, text);
    return true;
}

/* A text that is searched: a line, or, if matches may span lines, everything. */
struct subject {
    str text;  /* without the CRs before LFs */
    str given; /* with them */
    struct edit_carry carry;
    size_t done;     /* bytes of given that are written */
    uint32_t number; /* of its first line */
    size_t counted;  /* bytes of text of which the lines are counted, */
    uint32_t line;   /* and the number of the line there */
    uint32_t last;   /* line of the last match; 0: none */
};

static size_t given_at(struct subject *s, size_t at)
{
    return s->text.p == s->given.p ? at : edit_carry_back(&s->carry, at);
}

static bool write_template(struct regex_job *q, str text,
                           const struct regex_group *groups)
{
    for (size_t i = 0; i < q->replacement.n; i++) {
        const struct regex_piece *p = &q->replacement.pieces[i];
        sbuf_add(&q->b, p->text);
        if (p->has_group && groups[p->group].start != REGEX_NO_GROUP)
            sbuf_add(&q->b, edit_with_eol(q->job->arena,
                                          str_slice(text, groups[p->group].start,
                                                    groups[p->group].end),
                                          q->job->eol));
        if (q->b.n > EDIT_TEXT_MAX)
            return err_set(q->job->err, ERR_LIMIT,
                           "the note would have more than %d bytes", EDIT_TEXT_MAX);
    }
    return true;
}

/* --- matches --- */

static bool too_many(const struct regex_job *q)
{
    return q->max > 0 && q->job->out->replacements >= q->max;
}

static bool in_time(const struct regex_job *q)
{
    return !stop_now(q->stop) ||
           stop_fail(q->stop, "the regular expression",
                     "nothing was changed; use a simpler one, or exact text",
                     q->job->err);
}

/* Count the lines that a match touches, each once. */
static void edit_regex_count_lines(struct regex_job *q, struct subject *s,
                                   const struct regex_group *match)
{
    size_t end = match->end > match->start ? match->end - 1 : match->start;
    s->line += (uint32_t)text_count_ends(s->text, s->counted, match->start);
    uint32_t first = s->line > s->last ? s->line : s->last + 1;
    s->line += (uint32_t)text_count_ends(s->text, match->start, end);
    s->counted = end;
    if (s->line >= first)
        q->job->out->lines += s->line - first + 1;
    s->last = s->line;
}

/* Replace one match: write the text before it, then the replacement. */
static bool replace_match(struct regex_job *q, struct subject *s,
                          const struct regex_group *groups)
{
    struct edit_result *out = q->job->out;
    sbuf_add(&q->b, str_slice(s->given, s->done, given_at(s, groups[0].start)));
    if (out->replacements == 0)
        q->first = q->b.n;
    if (out->replacements++ == EDIT_REPLACEMENTS_MAX)
        return err_set(q->job->err, ERR_LIMIT, "more than %d places would change",
                       EDIT_REPLACEMENTS_MAX);
    edit_regex_count_lines(q, s, &groups[0]);
    if (!write_template(q, s->text, groups))
        return false;
    s->done = given_at(s, groups[0].end);
    q->last = q->b.n;
    return true;
}

/* The size of the character at at, to continue after an empty match. */
static size_t char_size(str line, size_t at)
{
    size_t n = 1;
    while (at + n < line.n && ((unsigned char)line.p[at + n] & 0xC0) == 0x80)
        n++;
    return n;
}

/* As in Rust, an empty match directly after another does not count; as in rg, there is
 * no line after the last line break. */
static bool counts(const struct subject *s, size_t at, size_t last_end)
{
    return at != last_end && !(at == s->text.n && str_ends(s->text, STR("\n")));
}

static bool replace_in(struct regex_job *q, struct subject *s)
{
    struct regex_group groups[REGEX_GROUPS_MAX + 1];
    size_t from = 0, done = 0;
    bool limited = false, after_match = false;
    bool (*find)(const struct regex *, struct regex_scratch *, str, size_t,
                 struct regex_group *, bool *) =
        regex_spans(q->regex) ? regex_captures_text : regex_captures;
    if (!in_time(q))
        return false;
    while (from <= s->text.n && !too_many(q) &&
           find(q->regex, q->scratch, s->text, from, groups, &limited)) {
        bool empty = groups[0].start == groups[0].end;
        if (!in_time(q))
            return false;
        if (!empty || counts(s, groups[0].start, after_match ? done : SIZE_MAX)) {
            if (!replace_match(q, s, groups))
                return false;
            done = groups[0].end;
            after_match = true;
        }
        from = empty ? groups[0].end + char_size(s->text, groups[0].end) : groups[0].end;
    }
    if (limited)
        return err_set(q->job->err, ERR_LIMIT,
                       "the regular expression takes too long on line %u",
                       s->number + (uint32_t)text_count_ends(s->text, 0, from));
    sbuf_add(&q->b, str_skip(s->given, s->done));
    return true;
}

/* A lone CR is a character of its line to rg, so lines here end with LF; their numbers are
 * those of all lines. */
static bool replace_in_lines(struct regex_job *q, str rest, uint32_t number)
{
    while (rest.n > 0) {
        size_t feed = str_find_char(rest, '\n');
        size_t next = feed == STR_NONE ? rest.n : feed + 1;
        size_t end = feed == STR_NONE ? rest.n : feed;
        if (feed != STR_NONE && end > 0 && rest.p[end - 1] == '\r')
            end--;
        str line = str_slice(rest, 0, end);
        struct subject s = {
            .text = line, .given = line, .number = number, .line = number};
        if (!replace_in(q, &s))
            return false;
        sbuf_add(&q->b, str_slice(rest, end, next));
        number += (uint32_t)text_count_ends(rest, 0, next);
        rest = str_skip(rest, next);
    }
    return true;
}

static bool replace_in_text(struct regex_job *q, str given, uint32_t number)
{
    struct subject s = {.text = edit_with_eol(q->job->arena, given, STR("\n")),
                        .given = given,
                        .carry = {.text = given},
                        .number = number,
                        .line = number};
    return replace_in(q, &s);
}

static bool replace_within(struct regex_job *q, struct edit_range in)
{
    str text = q->job->text, part = str_slice(text, in.start, in.end);
    sbuf_add(&q->b, str_slice(text, 0, in.start));
    uint32_t number = text_line_number(text, in.start);
    if (regex_spans(q->regex) ? !replace_in_text(q, part, number)
                              : !replace_in_lines(q, part, number))
        return false;
    sbuf_add(&q->b, str_skip(text, in.end));
    if (q->job->out->replacements == 0)
        return err_named(
            q->job->err, E_TEXT_NOT_FOUND,
            "Text not found in file; nothing matches the pattern (a dot does "
            "not match a line break unless (?s) is set)");
    return edit_check_size("the new note", sbuf_str(&q->b), EDIT_TEXT_MAX, q->job->err);
}

static void edit_regex_finish(struct regex_job *q)
{
    struct edit_job *j = q->job;
    struct edit_result *out = j->out;
    str text = sbuf_str(&q->b);
    out->text = str_eq(text, j->text) ? j->text : text;
    out->is = (struct edit_range){q->first, q->last};
    out->was = (struct edit_range){q->first, j->text.n - (text.n - q->last)};
    edit_set_lines(out, q->first, q->last);
}

static bool edit_regex_run(struct regex_job *q, const struct edit_pattern *p)
{
    str replacement = edit_with_eol(q->job->arena, p->replacement, q->job->eol);
    struct edit_range in = {edit_text_start(q->job->text), q->job->text.n};
    return (p->section.n == 0 || edit_find_section(q->job->arena, q->job->text,
                                                   p->section, &in, q->job->err)) &&
           read_template(q, replacement, p->literal) && replace_within(q, in);
}

bool edit_regex(struct arena *a, str text, const struct edit_pattern *p,
                struct edit_result *out, struct err *err)
{
    struct edit_job j = {.arena = a, .text = text, .out = out, .err = err};
    struct regex_job q = {.job = &j, .max = p->max, .stop = p->stop, .b = SBUF_ON(a)};
    unsigned flags = REGEX_GROUPS | REGEX_SPAN |
                     (p->nocase ? (unsigned)REGEX_NOCASE : 0) |
                     (p->literal ? (unsigned)REGEX_LITERAL : 0);
    *out = (struct edit_result){0};
    if (p->pattern.n == 0)
        return err_set(err, ERR_INVALID, "the pattern is empty");
    if (!edit_check_size("the note", text, EDIT_TEXT_MAX, err) ||
        !edit_check_size("the replacement", p->replacement, EDIT_PIECE_MAX, err) ||
        !regex_compile(p->pattern, flags, &q.regex, err))
        return false;
    j.eol = edit_eol(text);
    q.scratch = regex_scratch_create();
    bool ok = edit_regex_run(&q, p);
    if (ok) {
        edit_regex_finish(&q);
        edit_warn_rest(&j);
    }
    regex_scratch_free(q.scratch);
    regex_free(q.regex);
    return ok;
}
