#include "base/text.h"
#include "vault/note/edit_parts.h"
#include "vault/note/note.h"

/* Offsets of line starts, or the end of the text. */
struct edit_section_state {
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

size_t edit_below_heading(const struct note *n, const struct note_heading *h)
{
    if (is_atx(n->text, h->section.start))
        return edit_next_line(n->text, h->section.start);
    return edit_next_line(n->text, edit_next_line(n->text, h->title.end));
}

static struct edit_section_state section_of(const struct note *n,
                                            const struct note_heading *h)
{
    struct edit_section_state s = {
        .start = h->section.start,
        .below = edit_below_heading(n, h),
        .own_end = h->section.end,
        .end = h->section.end,
        .level = h->level,
    };
    const struct note_heading *next = h + 1;
    if (next < n->headings + n->n_headings && next->section.start < s.own_end)
        s.own_end = next->section.start;
    return s;
}

/* --- whether text follows a heading directly or after a blank line --- */

void edit_add_habit(struct edit_habit *h, const struct note *n)
{
    for (uint32_t i = 0; i < n->n_headings; i++) {
        size_t end = n->headings[i].section.end;
        size_t below = edit_below_heading(n, &n->headings[i]);
        size_t first = edit_skip_blank_down(n->text, below, end);
        if (first >= end)
            continue;
        enum edit_line_kind kind = edit_classify(n->text, first).kind;
        if (kind == LINE_HEADING)
            continue;
        uint32_t *count = first > below ? h->apart : h->tight;
        count[kind == LINE_ITEM]++;
    }
}

/* 1: directly, -1: after a blank line, 0: unclear. */
static int habit_of(const struct edit_habit *h, bool item)
{
    uint32_t tight = h->tight[0] + h->tight[1], apart = h->apart[0] + h->apart[1];
    if (h->tight[item] != h->apart[item])
        return h->tight[item] > h->apart[item] ? 1 : -1;
    return tight > apart ? 1 : tight < apart ? -1 : 0;
}

bool edit_is_tight(const struct edit_job *j, str content)
{
    bool item = edit_classify(content, 0).kind == LINE_ITEM;
    struct edit_habit own = {0};
    edit_add_habit(&own, &j->note);
    int habit = habit_of(&own, item);
    if (habit == 0 && j->siblings != NULL)
        habit = habit_of(j->siblings, item);
    return habit > 0;
}

/* --- replacing --- */

/* The heading that a text begins with. */
struct edit_section_lead {
    unsigned level; /* 0: it begins with something else */
    str title, rest;
};

static struct edit_section_lead lead_of(struct arena *a, str content)
{
    struct note n;
    note_scan(a, content, &n);
    if (n.n_headings == 0 || n.headings[0].section.start > 0)
        return (struct edit_section_lead){.rest = content};
    struct edit_section_state s = section_of(&n, &n.headings[0]);
    return (struct edit_section_lead){s.level, span_of(content, n.headings[0].title),
                                      edit_trim_blank_lines(str_skip(content, s.below))};
}

static bool is_titled(struct edit_job *j, const struct edit_section_lead *lead, str title)
{
    return lead->level > 0 && str_eq(note_heading_key(j->arena, lead->title),
                                     note_heading_key(j->arena, title));
}

/* The text for a new heading: models often repeat the heading. */
static str without_heading(struct edit_job *j, str content, str title)
{
    struct edit_section_lead lead = lead_of(j->arena, edit_trim_blank_lines(content));
    return is_titled(j, &lead, title) ? lead.rest : edit_trim_blank_lines(content);
}

/* Everything below the heading; content is without blank lines at both ends. */
static bool replace_below(struct edit_job *j, const struct edit_section_state *s,
                          str content)
{
    size_t start = edit_skip_blank_down(j->text, s->below, s->end);
    size_t end = edit_skip_blank_up(j->text, s->end, s->below);
    if (content.n > 0)
        return start < end ? edit_put_over(j, start, end, content)
                           : edit_put(j, s->below, content);
    return start < end ? edit_cut(j, s->below, end) : edit_keep(j, s->below);
}

static bool replace_whole(struct edit_job *j, const struct edit_section_state *s,
                          str content)
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

/*
 * The new text may begin with the heading, as a section is read, or not. The heading of
 * the file stays as it is if the text repeats it. Another heading that is at least as
 * high takes its place; a lower one begins the first subsection, even if the subsection
 * has the title of the section.
 */
static bool replace_section(struct edit_job *j, const struct edit_section_state *s,
                            str title, str content)
{
    str below = edit_trim_blank_lines(str_slice(j->text, s->below, s->end));
    content = edit_trim_blank_lines(content);
    struct edit_section_lead lead = lead_of(j->arena, content),
                             sub = lead_of(j->arena, below);
    bool own = is_titled(j, &lead, title) &&
               (lead.level <= s->level || !is_titled(j, &sub, title));
    if (own)
        return replace_below(j, s, lead.rest);
    if (lead.level == 0 || lead.level > s->level)
        return replace_below(j, s, content);
    j->out->renamed = true;
    return replace_whole(j, s, content);
}

static bool prepend(struct edit_job *j, const struct edit_section_state *s, str content)
{
    size_t first = edit_skip_blank_down(j->text, s->below, s->own_end);
    return edit_put(j, first < s->own_end ? first : s->below, content);
}

static bool edit_section_append(struct edit_job *j, const struct edit_section_state *s,
                                size_t end, str content)
{
    size_t at = edit_skip_blank_up(j->text, end, s->below);
    edit_warn_repeated(j, at, content);
    return edit_put(j, at, content);
}

/* Create a missing heading, with its text. */
static bool create(struct edit_job *j, const struct edit_section *e,
                   const struct edit_heading_request *request)
{
    size_t at = j->text.n;
    unsigned level = e->create_level;
    struct sbuf b = SBUF_ON(j->arena);
    if (e->action == EDIT_DELETE || e->action == EDIT_REPLACE_WHOLE)
        return err_set(j->err, ERR_INVALID,
                       "a missing heading cannot be deleted or replaced");
    if (level > 6)
        return err_set(j->err, ERR_INVALID, "heading levels go from 1 to 6");
    if (request->parent != NULL) {
        struct edit_section_state above = section_of(&j->note, request->parent);
        at = edit_skip_blank_up(j->text, above.end, above.below);
        if (level <= above.level && above.level < 6)
            level = above.level + 1;
    }
    str content = without_heading(j, e->content, request->title);
    sbuf_printf(&b, "%.*s " STR_FMT, (int)level, "######", STR_ARG(request->title));
    if (content.n > 0) {
        sbuf_add(&b, edit_is_tight(j, content) ? STR("\n") : STR("\n\n"));
        sbuf_add(&b, content);
    }
    j->out->target = request->title;
    edit_warn(j->out, STR("the heading was created"));
    return edit_put(j, at, sbuf_str(&b));
}

static bool act(struct edit_job *j, const struct edit_section *e,
                const struct note_heading *h)
{
    struct edit_section_state s = section_of(&j->note, h);
    j->out->target = edit_heading_path(j, h);
    switch (e->action) {
    case EDIT_REPLACE_BODY:
        return replace_section(j, &s, span_of(j->text, h->title), e->content);
    case EDIT_REPLACE_WHOLE:
        return replace_whole(j, &s, e->content);
    case EDIT_APPEND_TO:
        return edit_section_append(j, &s, e->shallow ? s.own_end : s.end, e->content);
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
    struct edit_job j = {
        .arena = a, .text = text, .out = out, .err = err, .siblings = e->siblings};
    struct edit_heading_request request = {0};
    if (!edit_start(&j, e->content))
        return false;
    const struct note_heading *h =
        edit_find_heading(&j, e->heading, e->line, e->create_level > 0 ? &request : NULL);
    if (h == NULL && request.title.n == 0)
        return false;
    return (h != NULL ? act(&j, e, h) : create(&j, e, &request)) && edit_check_rest(&j);
}

static bool find_section(struct arena *a, str text, str heading,
                         struct edit_section_state *out, struct err *err)
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
    struct edit_section_state s;
    if (!find_section(a, text, heading, &s, err))
        return false;
    *out = (struct edit_range){s.start, s.end};
    return true;
}

bool edit_section_text(struct arena *a, str text, str heading, str *out, struct err *err)
{
    struct edit_section_state s;
    if (!find_section(a, text, heading, &s, err))
        return false;
    *out = edit_trim_blank_lines(str_slice(text, s.below, s.end));
    return true;
}
