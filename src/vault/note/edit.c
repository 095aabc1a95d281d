/*
 * Splicing: a part of a text is replaced, and gets the blank lines around it that
 * Markdown needs.
 */
#include "base/text.h"
#include "vault/note/edit_parts.h"
#include "vault/note/note.h"

bool edit_check_size(const char *what, str s, size_t max, struct err *err)
{
    return s.n <= max ||
           err_set(err, ERR_LIMIT, "%s has %zu bytes, more than %zu", what, s.n, max);
}

bool edit_start(struct edit_job *j, str content)
{
    *j->out = (struct edit_result){0};
    if (!edit_check_size("the note", j->text, EDIT_TEXT_MAX, j->err) ||
        !edit_check_size("the new text", content, EDIT_PIECE_MAX, j->err))
        return false;
    note_scan(j->arena, j->text, &j->note);
    j->eol = edit_eol(j->text);
    return true;
}

void edit_warn(struct edit_result *out, str warning)
{
    if (out->n_warnings < EDIT_WARNINGS_MAX)
        out->warnings[out->n_warnings++] = warning;
}

void edit_set_lines(struct edit_result *out, size_t start, size_t end)
{
    uint32_t lines = edit_count_lines(out->text);
    out->line_first = text_line_number(out->text, start);
    out->line_last = text_line_number(out->text, end > start ? end - 1 : start);
    if (out->line_first > lines)
        out->line_first = lines;
    if (out->line_last > lines)
        out->line_last = lines;
}

bool edit_splice(struct edit_job *j, size_t start, size_t end, str before, str content,
                 str after)
{
    size_t added = before.n + content.n + after.n;
    struct sbuf b = SBUF_ON(j->arena);
    struct edit_result *out = j->out;
    if (j->text.n - (end - start) + added > EDIT_TEXT_MAX)
        return err_set(j->err, ERR_LIMIT, "the note would have more than %d bytes",
                       EDIT_TEXT_MAX);
    sbuf_room(&b, j->text.n - (end - start) + added);
    sbuf_add(&b, str_slice(j->text, 0, start));
    sbuf_add(&b, before);
    sbuf_add(&b, content);
    sbuf_add(&b, after);
    sbuf_add(&b, str_skip(j->text, end));
    out->text = str_eq(sbuf_str(&b), j->text) ? j->text : sbuf_str(&b);
    out->replacements = 1;
    j->put = (struct edit_range){start + before.n, start + before.n + content.n};
    j->sound = false;
    out->was = (struct edit_range){start, end};
    out->is = (struct edit_range){start, start + added};
    edit_set_lines(out, start + before.n, start + before.n + content.n);
    return true;
}

bool edit_keep(struct edit_job *j, size_t at)
{
    return edit_splice(j, at, at, (str){0}, (str){0}, (str){0});
}

bool edit_is_same(const struct edit_job *j, size_t start, size_t end, str content)
{
    str old = edit_trim_blank_lines(str_slice(j->text, start, end));
    return str_eq(edit_with_eol(j->arena, old, STR("\n")),
                  edit_with_eol(j->arena, edit_trim_blank_lines(content), STR("\n")));
}

/* --- where text is not Markdown --- */

/* What a block is called if it extends to the end of the text and has no end of its own, so
 * that more text would be part of it; NULL: there is none. The scanner says so. */
static const char *open_block(struct edit_job *j)
{
    static const char *const names[] = {
        [NOTE_FENCED_CODE] = "code block", [NOTE_HTML_BLOCK] = "HTML",
        [NOTE_HTML_COMMENT] = "comment",   [NOTE_COMMENT] = "comment",
        [NOTE_TABLE_REGION] = NULL,
    };
    struct sbuf b = SBUF_ON(j->arena);
    struct note n;
    sbuf_add(&b, j->text);
    sbuf_add(&b, j->eol);
    sbuf_add(&b, j->eol);
    sbuf_char(&b, 'x');
    str probe = sbuf_str(&b);
    note_scan(j->arena, probe, &n);
    for (uint32_t i = 0; i < n.n_regions; i++)
        if (n.regions[i].span.end == probe.n && names[n.regions[i].kind] != NULL)
            return names[n.regions[i].kind];
    return NULL;
}

/* Whether a region may be open: it reaches the end of the text. */
static bool reaches_end(const struct edit_job *j, const struct note_region *r)
{
    return str_trim_line(str_skip(j->text, r->span.end)).n == 0;
}

/* Whether blank lines would be wrong at this place: in properties, code, math, HTML. */
static bool is_raw(struct edit_job *j, size_t at)
{
    const struct note *n = &j->note;
    bool ends = false, inside = false;
    if (at < n->body)
        return true;
    for (uint32_t i = 0; i < n->n_regions; i++) {
        const struct note_region *r = &n->regions[i];
        bool raw = r->kind == NOTE_FENCED_CODE || r->kind == NOTE_BLOCK_MATH ||
                   r->kind == NOTE_HTML_BLOCK || r->kind == NOTE_HTML_COMMENT;
        inside |= raw && r->span.start < at && at < r->span.end;
        ends |= reaches_end(j, r);
    }
    bool last = str_trim_line(str_skip(j->text, at)).n == 0;
    const char *open = last && ends ? open_block(j) : NULL;
    if (open != NULL)
        edit_warn(j->out,
                  arena_printf(j->arena,
                               "the %s above is not closed: the text is now part of it",
                               open));
    return inside || open != NULL;
}

/* --- whole lines --- */

/*
 * Whether text follows the heading above start directly: as at this place or, if nothing
 * is there yet, as elsewhere.
 */
static bool is_tight_place(const struct edit_job *j, size_t start, str content)
{
    size_t next = edit_skip_blank_down(j->text, start, j->text.n);
    bool empty = next == j->text.n || edit_classify(j->text, next).kind == LINE_HEADING;
    return empty ? edit_is_tight(j, content) : next == start;
}

static bool ends_with_break(str text)
{
    return text.n > 0 && (is_break(text.p[text.n - 1]));
}

/*
 * Whether a line replaces one of the same kind, so that the distance to its neighbours is
 * kept.
 */
static bool is_alike(str old, size_t old_at, str new_text, size_t new_at)
{
    struct edit_line was = edit_classify(old, old_at),
                     is = edit_classify(new_text, new_at);
    return was.kind == is.kind && !was.border && !is.border;
}

/* Whether headings of this note follow the text above them without a blank line: all that
 * follow text do. */
static bool headings_are_close(const struct edit_job *j)
{
    bool close = false;
    for (uint32_t i = 0; i < j->note.n_headings; i++) {
        size_t start = j->note.headings[i].section.start;
        if (start <= j->note.body)
            continue;
        enum edit_line_kind above =
            edit_classify(j->text, edit_line_before(j->text, start)).kind;
        if (above == LINE_BLANK)
            return false;
        close = close || above != LINE_HEADING;
    }
    return close;
}

/* Whether content that is inserted above a heading, in a note whose habits count, needs
 * no blank line between them. A block of HTML ends only with one. */
static bool is_close_below(const struct edit_job *j, str content, str below)
{
    struct note n;
    if (j->siblings == NULL || edit_classify(below, 0).kind != LINE_HEADING ||
        !headings_are_close(j))
        return false;
    note_scan(j->arena, content, &n);
    for (uint32_t i = 0; i < n.n_regions; i++)
        if (n.regions[i].kind == NOTE_HTML_BLOCK)
            return false;
    return true;
}

/* Put content there, with one more blank line if what is around it would be joined with it
 * otherwise, such as an open code block in a quote. */
static bool put_apart(struct edit_job *j, struct edit_range at, str before, str content,
                      str after)
{
    static const struct {
        bool above, below;
    } tries[] = {{false, true}, {true, false}, {true, true}};
    if (!edit_splice(j, at.start, at.end, before, content, after))
        return false;
    struct edit_result first = *j->out;
    struct edit_range put = j->put;
    bool good = j->raw || edit_is_sound(j);
    for (size_t i = 0; i < COUNT_OF(tries) && !good; i++) {
        str lead = arena_printf(j->arena, STR_FMT STR_FMT, STR_ARG(before),
                                STR_ARG(tries[i].above ? j->eol : STR("")));
        str tail = arena_printf(j->arena, STR_FMT STR_FMT, STR_ARG(after),
                                STR_ARG(tries[i].below ? j->eol : STR("")));
        if (!edit_splice(j, at.start, at.end, lead, content, tail))
            return false;
        good = edit_is_sound(j);
    }
    if (!good) {
        *j->out = first;
        j->put = put;
    }
    return true;
}

bool edit_put_over(struct edit_job *j, size_t start, size_t end, str content)
{
    str text = j->text, below = str_skip(text, end);
    str above = str_slice(text, j->note.body, start);
    struct sbuf before = SBUF_ON(j->arena), after = SBUF_ON(j->arena);
    if (start < end && edit_is_same(j, start, end, content))
        return edit_keep(j, start);
    bool raw = is_raw(j, start), empty = text.n == j->note.bom;
    content = edit_with_eol(j->arena, edit_trim_blank_lines(content), j->eol);
    size_t last = edit_line_start(content, content.n);
    bool same_top = start < end && is_alike(text, start, content, 0);
    bool same_end =
        start < end && is_alike(text, edit_line_before(text, end), content, last);
    if (start == text.n && !empty && !ends_with_break(text))
        sbuf_add(&before, j->eol);
    bool apart = !raw && !same_top &&
                 edit_needs_blank(above, content, is_tight_place(j, start, content));
    if (apart)
        sbuf_add(&before, j->eol);
    if (end < text.n || empty || ends_with_break(text))
        sbuf_add(&after, j->eol);
    if (!raw && !same_end && edit_needs_blank(content, below, false) &&
        (apart || start < end || !is_close_below(j, content, below)))
        sbuf_add(&after, j->eol);
    j->raw = raw;
    return put_apart(j, (struct edit_range){start, end}, sbuf_str(&before), content,
                     sbuf_str(&after));
}

bool edit_put_lines(struct edit_job *j, size_t start, size_t end, str content)
{
    str text = j->text, before = {0}, after = {0};
    bool empty = text.n == j->note.bom;
    bool closed = end < text.n || empty || ends_with_break(text);
    content = edit_with_eol(j->arena, content, j->eol);
    if (start == text.n && !empty && !ends_with_break(text))
        before = j->eol;
    if (closed && !ends_with_break(content))
        after = j->eol;
    if (!closed && ends_with_break(content))
        content.n -= str_ends(content, STR("\r\n")) ? 2 : 1;
    return edit_splice(j, start, end, before, content, after);
}

bool edit_put(struct edit_job *j, size_t at, str content)
{
    if (edit_trim_blank_lines(content).n == 0)
        return err_set(j->err, ERR_INVALID, "there is no text to insert");
    return edit_put_over(j, at, at, content);
}

bool edit_cut(struct edit_job *j, size_t start, size_t end)
{
    str text = j->text, gap = {0};
    size_t floor = j->note.body, below = edit_skip_blank_down(text, end, text.n);
    size_t above = edit_skip_blank_up(text, start, floor);
    if (below == text.n) {
        end = below;
        start = above;
        if (!ends_with_break(text) && start > floor)
            start = text_find_break(text, edit_line_before(text, start));
    } else if (above < start || start == floor) {
        end = below;
    } else if (below == end && edit_classify(text, end).kind != LINE_HEADING &&
               edit_needs_blank(str_slice(text, floor, start), str_skip(text, end),
                                true)) {
        gap = j->eol;
    }
    return edit_splice(j, start, end, gap, (str){0}, (str){0});
}

void edit_warn_repeated(struct edit_job *j, size_t at, str content)
{
    str above = edit_trim_blank_lines(str_slice(j->text, j->note.body, at));
    content = edit_with_eol(j->arena, edit_trim_blank_lines(content), j->eol);
    if (content.n == 0 || !str_ends(above, content))
        return;
    size_t start = (size_t)(above.p - j->text.p) + above.n - content.n;
    if (edit_line_start(j->text, start) == start)
        edit_warn(j->out, arena_printf(j->arena, "the text was already there at line %u",
                                       text_line_number(j->text, start)));
}
