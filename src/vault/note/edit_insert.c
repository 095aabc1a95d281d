#include "base/text.h"
#include "vault/note/edit_parts.h"

/* Insert directly at the anchor, byte for byte; only line breaks follow the file. */
static bool insert_inside(struct edit_job *j, size_t at, str content)
{
    if (content.n == 0)
        return err_set(j->err, ERR_INVALID, "there is no text to insert");
    return edit_splice(j, at, at, (str){0}, edit_with_eol(j->arena, content, j->eol),
                       (str){0});
}

static bool prepend(struct edit_job *j, str content)
{
    size_t at = j->note.body;
    str first = str_slice(j->text, at, text_find_break(j->text, at));
    if (!j->note.has_frontmatter && str_eq(first, STR("---")))
        edit_warn(j->out, STR("broken frontmatter was left alone: its --- is never "
                              "closed; the text was inserted above it"));
    if (j->note.has_frontmatter && at < j->text.n && edit_is_blank_line(j->text, at))
        at = edit_next_line(j->text, at);
    return edit_put(j, at, content);
}

static bool put_literally(struct edit_job *j, size_t at, str content)
{
    if (content.n == 0)
        return err_set(j->err, ERR_INVALID, "there is no text to insert");
    return edit_put_lines(j, at, at, content);
}

/*
 * Insert above the line that begins at at, but never above the frontmatter; apart: with
 * blank lines where Markdown needs them.
 */
static bool put_above(struct edit_job *j, size_t at, str content, bool apart)
{
    if (at < j->note.bom)
        at = j->note.bom;
    if (at == j->note.bom && j->note.has_frontmatter) {
        edit_warn(j->out, STR("line 1 is the frontmatter: inserted below it"));
        return prepend(j, content);
    }
    if (at < j->note.body)
        edit_warn(j->out, STR("inserted into the frontmatter"));
    return apart ? edit_put(j, at, content) : put_literally(j, at, content);
}

/* Whether r consists of whole lines. */
static bool is_lines(str text, struct edit_range r)
{
    return edit_line_start(text, r.start) == r.start &&
           (text_find_break(text, r.end) == r.end ||
            edit_line_start(text, r.end) == r.end);
}

static bool insert_at_text(struct edit_job *j, const struct edit_insert *i)
{
    bool before = i->where == EDIT_BEFORE_TEXT;
    struct edit_range r;
    struct edit_swap swap = {
        .old_text = i->anchor, .from = i->from, .tolerant = i->tolerant};
    if (!edit_find_unique(j, &swap, &r))
        return false;
    j->out->target = arena_printf(
        j->arena, "line %u", text_line_number(j->text, before ? r.start : r.end - 1));
    if (i->inside_line || (i->like_anchor && !is_lines(j->text, r)))
        return insert_inside(j, before ? r.start : r.end, i->content);
    if (before)
        return put_above(j, edit_line_start(j->text, r.start), i->content, i->apart);
    /* if the anchor ends with a line break, its last line is the one before */
    bool at_start = edit_line_start(j->text, r.end) == r.end;
    return put_above(j, at_start ? r.end : edit_next_line(j->text, r.end), i->content,
                     i->apart);
}

static bool edit_insert_append(struct edit_job *j, str content)
{
    str text = j->text;
    size_t at = text.n, last = edit_skip_blank_up(text, at, j->note.body);
    str above = str_slice(text, j->note.body, last);
    str clean = edit_trim_blank_lines(content);
    edit_warn_repeated(j, at, content);
    /* items, quotes and rows go directly below the last list, quote or table */
    if (last < at && above.n > 0 && !edit_needs_blank(above, clean, false))
        at = last;
    return edit_put(j, at, content);
}

static bool insert_at_line(struct edit_job *j, uint32_t line, str content)
{
    uint32_t lines = edit_count_lines(j->text);
    if (line < 1 || line > lines + 1)
        return err_named(j->err, E_LINE_OUT_OF_RANGE,
                         "line %u is not between 1 and %u: the note has %u line%s", line,
                         lines + 1, lines, lines == 1 ? "" : "s");
    j->out->target = arena_printf(j->arena, "line %u", line);
    size_t at = 0;
    for (uint32_t i = 1; i < line; i++)
        at = edit_next_line(j->text, at);
    return put_above(j, at, content, false);
}

bool edit_insert(struct arena *a, str text, const struct edit_insert *i,
                 struct edit_result *out, struct err *err)
{
    struct edit_job j = {.arena = a, .text = text, .out = out, .err = err};
    if (!edit_start(&j, i->content))
        return false;
    if (i->where == EDIT_APPEND || i->where == EDIT_PREPEND)
        return (i->where == EDIT_APPEND ? edit_insert_append(&j, i->content)
                                        : prepend(&j, i->content)) &&
               edit_check_rest(&j);
    if (i->where == EDIT_AT_LINE ? !insert_at_line(&j, i->line, i->content)
                                 : !insert_at_text(&j, i))
        return false;
    edit_warn_rest(&j); /* literal lines are not judged */
    return true;
}
