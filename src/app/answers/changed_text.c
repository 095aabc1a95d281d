/* The plain text of struct changed: one line about what happened, then the new lines. */
#include "app/answers/changed.h"

#include "app/answers/answer.h"
#include "app/answers/model_text.h"
#include "base/text.h"
#include "base/utf8.h"
#include "vault/draft.h"

enum {
    CHANGED_SAID_LINES = 20,   /* of the new text, */
    CHANGED_SAID_BYTES = 2000, /* altogether */
    CHANGED_SAID_FILES = 20,
};

/* The parts in parentheses, with commas between them. */
struct details {
    struct model_text *mt;
    size_t n;
};

static struct sbuf *details_next(struct details *d)
{
    sbuf_add(d->mt->out, d->n++ > 0 ? STR(", ") : STR(" ("));
    return d->mt->out;
}

static const char *plural(size_t n)
{
    return n == 1 ? "" : "s";
}

/* Obsidian's word for the form of links, in plain words. */
static const char *changed_form_of(const char *format)
{
    static const char *const forms[][2] = {
        {"shortest", "name"},
        {"relative", "relative path"},
        {"absolute", "path"},
        {"shortest and relative", "name or relative path"},
        {"absolute and relative", "path or relative path"},
        {"shortest and absolute", "name or path"},
        {"shortest, absolute and relative", "name, path or relative path"},
    };
    for (size_t i = 0; i < COUNT_OF(forms); i++)
        if (strcmp(forms[i][0], format) == 0)
            return forms[i][1];
    return format;
}

static void changed_text_counts(struct details *d, const struct changed *c)
{
    if (c->removed.n > 0)
        sbuf_printf(details_next(d), "removed row '" STR_FMT "'", STR_ARG(c->removed));
    else if (c->parts & CHANGED_COUNTED)
        sbuf_printf(details_next(d), "%zu replacement%s", c->replacements,
                    plural(c->replacements));
    if (c->lines > 0)
        sbuf_printf(details_next(d), "%u line%s", c->lines, plural(c->lines));
    if ((c->parts & CHANGED_MOVED) && c->files > 1)
        sbuf_printf(details_next(d), "%zu files", c->files);
    if (c->parts & CHANGED_DELETED)
        sbuf_printf(details_next(d), "%zu file%s", c->files, plural(c->files));
    if ((c->parts & CHANGED_REWRITTEN) && c->links > 0)
        sbuf_printf(details_next(d), "rewrote %zu %s in %zu note%s", c->links,
                    c->links == 1 ? changed_counted(c)->one : changed_counted(c)->many,
                    c->rewrites, plural(c->rewrites));
    if (c->link_format != NULL)
        sbuf_printf(details_next(d), "links by %s%s%s", changed_form_of(c->link_format),
                    c->format_reason != NULL ? ": " : "",
                    c->format_reason != NULL ? c->format_reason : "");
    if (!changed_shows_lines(c) && c->line_first > 0)
        sbuf_printf(details_next(d), "lines %u-%u", c->line_first, c->line_last);
    if (c->target.n > 0)
        sbuf_printf(details_next(d), "at " STR_FMT, STR_ARG(c->target));
    if (c->n_keys > 0) {
        sbuf_add(details_next(d), STR("properties "));
        mt_list(d->mt, c->keys, c->n_keys);
    }
}

/* Whether a note was only read. */
static bool changed_is_read(const struct changed *c)
{
    return c->made.n == 0 && (c->parts & CHANGED_CONTENT);
}

static void changed_text_details(struct model_text *s, const struct changed *c)
{
    struct details d = {s};
    if (c->vault.n > 0)
        sbuf_printf(details_next(&d), "vault " STR_FMT, STR_ARG(c->vault));
    changed_text_counts(&d, c);
    if (c->parts & CHANGED_TEXT) {
        size_t lines = changed_lines(c->after);
        if (changed_has_lines(c))
            sbuf_printf(details_next(&d), "%s%zu line%s",
                        changed_is_read(c) ? "" : "now ", lines, plural(lines));
        sbuf_printf(
            details_next(&d), "etag " STR_FMT,
            STR_ARG(draft_etag(c->arena, hash_content(changed_stored(c, c->after)))));
    }
    if (c->made.change > 0)
        sbuf_printf(details_next(&d), "change %llu", (unsigned long long)c->made.change);
    sbuf_add(s->out, d.n > 0 ? STR(")\n") : STR("\n"));
}

/* What happened, as one word. */
static const char *changed_verb(const struct changed *c)
{
    if (changed_is_nothing(c))
        return "unchanged";
    if (c->parts & CHANGED_COUNTED) /* "replaced" would be the whole file */
        return "edited";
    if (c->done != NULL && c->is_done)
        return c->done;
    if (c->inside != NULL)
        return c->action != NULL ? c->action : "renamed";
    if (c->parts & CHANGED_MOVED)
        return c->action != NULL ? c->action : "moved";
    return c->made.n == 1 ? changed_outcomes[c->made.files[0].outcome] : "changed";
}

/* What happened to what. */
static void changed_text_head(struct model_text *s, const struct changed *c)
{
    bool batch = c->n_steps > 0 && c->steps[0].tool != NULL;
    if (batch && c->made.n > 0) {
        mt_count(s, c->n_steps, "step", "steps");
        return;
    }
    if (changed_is_read(c)) {
        sbuf_add(s->out, c->path);
        return;
    }
    sbuf_add(s->out, str_c(changed_verb(c)));
    if (c->n_steps > 0 && !batch) {
        sbuf_char(s->out, ' ');
        mt_count(s, c->made.n > 0 ? c->made.n : c->n_steps, "note", "notes");
    }
    if (c->inside != NULL)
        sbuf_printf(s->out, " %s '" STR_FMT "'", c->inside, STR_ARG(c->name));
    if (c->path.n > 0)
        sbuf_printf(s->out, "%s" STR_FMT, c->inside != NULL ? " of " : " ",
                    STR_ARG(c->path));
    if (c->to.n > 0)
        sbuf_printf(s->out, " to " STR_FMT, STR_ARG(c->to));
}

void changed_text_range(struct model_text *s, const struct changed_range *r)
{
    str rest = r->after, old = r->before, line, before;
    bool paired = changed_lines(r->before) == changed_lines(r->after);
    size_t end = s->out->n + CHANGED_SAID_BYTES, shown = 0;
    for (uint32_t n = 1; n <= r->last && text_take_line(&rest, &line); n++) {
        bool same = paired && text_take_line(&old, &before) && str_eq(before, line);
        if (n < r->first || same)
            continue;
        if (shown++ == CHANGED_SAID_LINES || s->out->n >= end) {
            sbuf_printf(s->out, "[and up to line %u]\n", r->last);
            return;
        }
        sbuf_printf(s->out, "%u: ", n);
        mt_line(s, utf8_cut(text_drop_return(line), end - s->out->n));
        sbuf_char(s->out, '\n');
    }
}

static void changed_text_lines(struct model_text *s, const struct changed *c)
{
    changed_text_range(
        s, &(struct changed_range){c->before, c->after, c->line_first, c->line_last});
}

/* What was done, and the lines that are new; all properties if none has changed. */
static void changed_text_new(struct model_text *s, const struct changed *c)
{
    for (size_t i = 0; i < c->n_did; i++) {
        mt_line(s, c->did[i]);
        sbuf_char(s->out, '\n');
    }
    if (c->made.n == 0 && c->properties.n > 0) /* what there is instead */
        mt_text(s, c->properties);
    else if (c->made.n > 0 && c->removed.n == 0 && changed_shows_lines(c))
        changed_text_lines(s, c);
}

/* Whether the first line says all about a file. */
static bool changed_is_said(const struct changed *c, const struct draft_touched *f)
{
    if (c->inside != NULL)
        return c->made.n == 1 && str_eq(f->path, c->path);
    return str_eq(f->path, c->path) ||
           (f->outcome == DRAFT_MOVED && str_eq(f->to, c->path));
}

/* The files of one outcome on one line, but not what the first line already says. */
static void changed_text_outcome(struct model_text *s, const struct changed *c,
                                 enum draft_outcome outcome)
{
    size_t n = 0;
    for (size_t i = 0; i < c->made.n; i++) {
        const struct draft_touched *f = &c->made.files[i];
        if (f->outcome != outcome || changed_is_said(c, f) || n++ >= CHANGED_SAID_FILES)
            continue;
        sbuf_printf(s->out, "%s " STR_FMT, n == 1 ? changed_outcomes[outcome] : ",",
                    STR_ARG(draft_touched_path(f)));
        if (outcome == DRAFT_MOVED)
            sbuf_printf(s->out, " to " STR_FMT, STR_ARG(f->to));
    }
    if (n > CHANGED_SAID_FILES)
        sbuf_printf(s->out, " and %zu more", n - CHANGED_SAID_FILES);
    sbuf_add(s->out, n > 0 ? STR("\n") : STR(""));
}

static void changed_text_files(struct model_text *s, const struct changed *c)
{
    static const enum draft_outcome outcomes[] = {DRAFT_CREATED, DRAFT_MOVED,
                                                  DRAFT_DELETED, DRAFT_CHANGED};
    for (size_t i = 0; i < COUNT_OF(outcomes); i++)
        changed_text_outcome(s, c, outcomes[i]);
}

static void changed_text_content(struct model_text *s, const struct changed *c)
{
    mt_hidden(s, &c->hidden, "");
    mt_text(s, c->content);
    if (c->next_line > 0)
        sbuf_printf(s->out, "[more: %soffset %zu]\n",
                    answer_has(s->tools, "vault_read") ? "vault_read " : "",
                    c->next_line);
}

/* The links that lead nowhere now, and the first files that have them. */
static void changed_text_broken(struct model_text *s, const struct changed *c)
{
    size_t n = c->n_broken_in < CHANGED_SAID_FILES ? c->n_broken_in : CHANGED_SAID_FILES;
    if (c->broken == 0)
        return;
    sbuf_printf(s->out, "%zu link%s to it in ", c->broken, plural(c->broken));
    mt_list(s, c->broken_in, n);
    if (n < c->n_broken_in)
        sbuf_printf(s->out, " and %zu more", c->n_broken_in - n);
    sbuf_char(s->out, '\n');
}

/* What a step did, without what only the whole change has. */
static void changed_text_step(struct model_text *s, const struct changed *c, size_t i)
{
    const struct changed_step *step = &c->steps[i];
    struct changed one = step->out;
    struct draft_touched touched = {.outcome = DRAFT_CHANGED, .path = one.path};
    bool same = (one.parts & CHANGED_BEFORE) && str_eq(one.before, one.after);
    one.made = (struct draft_result){.files = &touched, .n = same ? 0 : 1};
    if (step->tool != NULL)
        sbuf_printf(s->out, "%zu. ", i + 1);
    changed_text_head(s, &one);
    changed_text_details(s, &one);
    if (step->tool != NULL)
        changed_text_new(s, &one);
    else if (!same)
        changed_text_lines(s, &one);
    changed_text_broken(s, &one);
    for (size_t k = 0; k < one.n_warnings; k++)
        mt_note(s, one.warnings[k]);
}

static void changed_text_steps(struct model_text *s, const struct changed *c)
{
    size_t i = 0;
    for (; i < c->n_steps && (i == 0 || mt_room(s) > 0); i++)
        changed_text_step(s, c, i);
    if (i < c->n_steps)
        sbuf_printf(s->out, "[and %zu more]\n", c->n_steps - i);
}

/* --- what an earlier call has made --- */

static int64_t changed_text_number(const struct json *j)
{
    int64_t n = 0;
    return j != NULL && json_int(j, &n) ? n : 0;
}

/* The same lines as the first time, from what was kept of the answer; false for several
 * files. */
static bool changed_text_again(struct model_text *s, const struct changed *c)
{
    const struct json *j;
    struct err ignored;
    struct details d = {s};
    if (!json_parse(s->out->arena, c->made.answer, &j, &ignored) ||
        json_get(j, STR("steps")) != NULL || json_get(j, STR("notes")) != NULL ||
        json_get(j, STR("content")) != NULL || json_get_str(j, STR("path")).n == 0)
        return false;
    str to = json_get_str(j, STR("to")), etag = json_get_str(j, STR("etag"));
    sbuf_printf(s->out, "made before, not again: " STR_FMT,
                STR_ARG(json_get_str(j, STR("path"))));
    if (to.n > 0)
        sbuf_printf(s->out, " to " STR_FMT, STR_ARG(to));
    if (c->vault.n > 0)
        sbuf_printf(details_next(&d), "vault " STR_FMT, STR_ARG(c->vault));
    size_t then = (size_t)changed_text_number(json_get(j, STR("total_lines")));
    if (then > 0)
        sbuf_printf(details_next(&d), "%zu line%s then", then, plural(then));
    if (etag.n > 0)
        sbuf_printf(details_next(&d), "etag " STR_FMT, STR_ARG(etag));
    if (c->made.proposal.n > 0)
        sbuf_printf(details_next(&d), "proposal " STR_FMT, STR_ARG(c->made.proposal));
    else
        sbuf_printf(details_next(&d), "change %llu", (unsigned long long)c->made.change);
    sbuf_add(s->out, STR(")\n"));
    const struct json *lines = json_get(j, STR("changed_lines"));
    int64_t n = changed_text_number(lines != NULL ? lines->child : NULL);
    str rest = json_get_str(j, STR("new_lines")), line;
    for (; n > 0 && text_take_line(&rest, &line); n++) {
        sbuf_printf(s->out, "%lld: ", (long long)n);
        mt_line(s, text_drop_return(line));
        sbuf_char(s->out, '\n');
    }
    return true;
}

void changed_text(struct model_text *s, const void *result)
{
    const struct changed *c = result;
    if (c->made.repeated) {
        if (!changed_text_again(s, c))
            answer_members(s, changed_shape.json, result);
        return;
    }
    bool waits = c->made.proposal.n > 0, diff = c->dry_run || waits;
    if (waits)
        sbuf_printf(s->out,
                    "proposal " STR_FMT
                    " waits for the user's review, nothing was changed yet: ",
                    STR_ARG(c->made.proposal));
    sbuf_add(s->out, c->dry_run ? STR("dry run, nothing was changed: ") : STR(""));
    changed_text_head(s, c);
    changed_text_details(s, c);
    if (diff)
        mt_text(s, draft_diff(c->arena, &c->made, CHANGED_DIFF_MAX));
    else if ((c->parts & CHANGED_CONTENT) && c->line_first == 0)
        changed_text_content(s, c);
    else
        changed_text_new(s, c);
    if (!diff)
        changed_text_steps(s, c);
    if (!diff && c->n_steps == 0)
        changed_text_files(s, c);
    changed_text_broken(s, c);
    for (size_t i = 0; i < c->n_warnings; i++)
        mt_note(s, c->warnings[i]);
}
