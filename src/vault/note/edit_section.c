#include "base/text.h"
#include "vault/note/edit_parts.h"
#include "vault/note/note.h"

/* Offsets of line starts, or the end of the text. */
struct section {
    size_t start;   /* of the heading */
    size_t below;   /* after the heading */
    size_t own_end; /* where its first subsection or the next section begins */
    size_t end;     /* of the whole section */
    unsigned level;
};

/* Whether a heading is written with #s; otherwise it has a line of = or - below it. */
static bool is_atx(str text, size_t start)
{
    return edit_classify(text, start).kind == LINE_HEADING;
}

static struct section section_of(const struct note *n, const struct note_heading *h)
{
    struct section s = {
        .start = h->section.start,
        .own_end = h->section.end,
        .end = h->section.end,
        .level = h->level,
    };
    s.below = edit_next_line(n->text, is_atx(n->text, s.start) ? s.start : h->title.end);
    if (!is_atx(n->text, s.start))
        s.below = edit_next_line(n->text, s.below);
    const struct note_heading *next = h + 1;
    if (next < n->headings + n->n_headings && next->section.start < s.own_end)
        s.own_end = next->section.start;
    return s;
}

/* Models often repeat the heading, which stays anyway: drop it from the content. */
static str without_heading(struct edit_job *j, str content, str title)
{
    content = edit_trim_blank_lines(content);
    if (content.n == 0 || edit_classify(content, 0).kind != LINE_HEADING)
        return content;
    str line = str_trim(str_slice(content, 0, text_find_break(content, 0)));
    while (line.n > 0 && line.p[0] == '#')
        line = str_skip(line, 1);
    if (!str_eq(note_heading_key(j->arena, line), note_heading_key(j->arena, title)))
        return content;
    edit_warn(j->out,
              STR("the new text began with the heading itself; it was not repeated"));
    return edit_trim_blank_lines(str_skip(content, edit_next_line(content, 0)));
}

static bool replace_body(struct edit_job *j, const struct section *s, size_t end,
                         str content)
{
    size_t start = edit_skip_blank_down(j->text, s->below, end);
    end = edit_skip_blank_up(j->text, end, s->below);
    if (content.n > 0)
        return start < end ? edit_put_over(j, start, end, content)
                           : edit_put(j, s->below, content);
    return start < end ? edit_cut(j, s->below, end)
                       : edit_splice(j, s->below, s->below, (str){0}, (str){0}, (str){0});
}

static bool prepend(struct edit_job *j, const struct section *s, str content)
{
    size_t first = edit_skip_blank_down(j->text, s->below, s->own_end);
    return edit_put(j, first < s->own_end ? first : s->below, content);
}

static bool edit_section_append(struct edit_job *j, const struct section *s, size_t end,
                                str content)
{
    size_t at = edit_skip_blank_up(j->text, end, s->below);
    edit_warn_repeated(j, at, content);
    return edit_put(j, at, content);
}

static bool replace_whole(struct edit_job *j, const struct section *s, str content)
{
    content = edit_trim_blank_lines(content);
    if (content.n == 0)
        return err_set(j->err, ERR_INVALID, "the new text is empty");
    if (edit_classify(content, 0).kind != LINE_HEADING)
        edit_warn(j->out,
                  STR("the new text has no heading: it now belongs to the section "
                      "above"));
    return edit_put_over(j, s->start, edit_skip_blank_up(j->text, s->end, s->below),
                         content);
}

/* Create a missing heading, with its text. */
static bool create(struct edit_job *j, const struct edit_section *e,
                   const struct edit_heading_wish *wish)
{
    size_t at = j->text.n;
    unsigned level = e->create_level;
    struct sbuf b = SBUF_ON(j->arena);
    if (e->action == EDIT_DELETE || e->action == EDIT_REPLACE_WHOLE)
        return err_set(j->err, ERR_INVALID,
                       "a missing heading cannot be deleted or replaced");
    if (level > 6)
        return err_set(j->err, ERR_INVALID, "heading levels go from 1 to 6");
    if (wish->parent != NULL) {
        struct section above = section_of(&j->note, wish->parent);
        at = edit_skip_blank_up(j->text, above.end, above.below);
        if (level <= above.level && above.level < 6)
            level = above.level + 1;
    }
    str content = without_heading(j, e->content, wish->title);
    sbuf_printf(&b, "%.*s " STR_FMT, (int)level, "######", STR_ARG(wish->title));
    if (content.n > 0) {
        sbuf_add(&b, edit_has_tight_headings(&j->note) ? STR("\n") : STR("\n\n"));
        sbuf_add(&b, content);
    }
    j->out->target = wish->title;
    edit_warn(j->out, STR("the heading was created"));
    return edit_put(j, at, sbuf_str(&b));
}

static bool act(struct edit_job *j, const struct edit_section *e,
                const struct note_heading *h)
{
    struct section s = section_of(&j->note, h);
    size_t end = e->deep ? s.end : s.own_end;
    j->out->target = edit_heading_path(j, h);
    switch (e->action) {
    case EDIT_REPLACE_BODY:
        return replace_body(j, &s, end,
                            without_heading(j, e->content, span_of(j->text, h->title)));
    case EDIT_REPLACE_WHOLE:
        return replace_whole(j, &s, e->content);
    case EDIT_APPEND_TO:
        return edit_section_append(j, &s, end, e->content);
    case EDIT_PREPEND_TO:
        return prepend(j, &s, e->content);
    case EDIT_DELETE:
        return edit_cut(j, s.start, s.end);
    }
    return err_set(j->err, ERR_INVALID, "this action is not possible with a section");
}

bool edit_section(struct arena *a, str text, const struct edit_section *e,
                  struct edit_result *out, struct err *err)
{
    struct edit_job j = {.arena = a, .text = text, .out = out, .err = err};
    struct edit_heading_wish wish = {0};
    if (!edit_start(&j, e->content))
        return false;
    const struct note_heading *h =
        edit_find_heading(&j, e->heading, e->line, e->create_level > 0 ? &wish : NULL);
    if (h != NULL)
        return act(&j, e, h);
    return wish.title.n > 0 && create(&j, e, &wish);
}

static bool find_section(struct arena *a, str text, str heading, struct section *out,
                         struct err *err)
{
    struct edit_result ignored;
    struct edit_job j = {.arena = a, .text = text, .out = &ignored, .err = err};
    if (!edit_start(&j, (str){0}))
        return false;
    const struct note_heading *h = edit_find_heading(&j, heading, 0, NULL);
    if (h == NULL)
        return false;
    *out = section_of(&j.note, h);
    return true;
}

bool edit_find_section(struct arena *a, str text, str heading, struct edit_range *out,
                       struct err *err)
{
    struct section s;
    if (!find_section(a, text, heading, &s, err))
        return false;
    *out = (struct edit_range){s.start, s.end};
    return true;
}

bool edit_section_text(struct arena *a, str text, str heading, str *out, struct err *err)
{
    struct section s;
    if (!find_section(a, text, heading, &s, err))
        return false;
    *out = edit_trim_blank_lines(str_slice(text, s.below, s.end));
    return true;
}
