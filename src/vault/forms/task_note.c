#include "vault/forms/task_note.h"

#include "base/err.h"
#include "base/sbuf.h"
#include "base/text.h"
#include "base/utf8.h"
#include "vault/note/edit.h"
#include "vault/note/note.h"

enum {
    SHOWN_BYTES = 80, /* of a line in a message */
    SHOWN_LINES = 5,  /* line numbers in a message */
};

/* --- which task --- */

/* How well a text names a task. */
enum task_likeness { TASK_OTHER, TASK_HAS_PART, TASK_IS_SAME };

struct task_search {
    struct arena *arena;
    const struct task_settings *settings;
    struct note note;
    str text;
    enum task_wanted wanted;
};

static str task_note_line_of(const struct task_search *f, const struct note_task *t)
{
    size_t start = t->mark.start;
    while (start > 0 && !is_break(f->note.text.p[start - 1]))
        start--;
    return str_slice(f->note.text, start, text_find_break(f->note.text, t->text.end));
}

static enum task_likeness likeness(const struct task_search *f, const struct note_task *t)
{
    str line = str_trim(task_note_line_of(f, t)),
        body = str_trim(span_of(f->note.text, t->text));
    struct task task;
    if (str_eq(line, f->text) || str_eq(body, f->text))
        return TASK_IS_SAME;
    if (str_find(line, f->text) != STR_NONE) {
        task_parse_body(f->arena, f->settings, body, &task);
        return str_eq(task.description, f->text) ? TASK_IS_SAME : TASK_HAS_PART;
    }
    return TASK_OTHER;
}

struct task_found {
    const struct note_task *best; /* the first of the best, or the first that is wanted */
    enum task_likeness how;
    size_t n;                    /* that are as good, */
    size_t n_wanted;             /* and these are also open, or over, as wanted */
    uint32_t lines[SHOWN_LINES]; /* of these */
};

static bool task_note_is_wanted(const struct task_search *f, const struct note_task *t)
{
    str symbol = span_of(f->note.text, t->mark);
    bool over = task_type_is_over(task_status_of(f->settings, symbol).type);
    return over == (f->wanted == TASK_WANT_OVER);
}

static void search_text(const struct task_search *f, struct task_found *out)
{
    *out = (struct task_found){.how = TASK_HAS_PART};
    for (size_t i = 0; i < f->note.n_tasks; i++) {
        const struct note_task *t = &f->note.tasks[i];
        enum task_likeness how = likeness(f, t);
        if (how < out->how)
            continue;
        if (how > out->how || out->n == 0)
            *out = (struct task_found){.best = t, .how = how};
        if (task_note_is_wanted(f, t) && out->n_wanted++ == 0)
            out->best = t;
        if (out->n < SHOWN_LINES)
            out->lines[out->n] = t->line;
        out->n++;
    }
}

static const struct note_task *task_at(const struct task_search *f, uint32_t line)
{
    for (size_t i = 0; i < f->note.n_tasks; i++)
        if (f->note.tasks[i].line == line)
            return &f->note.tasks[i];
    return NULL;
}

/* "3, 7 and 2 more" */
static str lines_text(struct arena *a, const struct task_found *found)
{
    struct sbuf b = SBUF_ON(a);
    for (size_t i = 0; i < found->n && i < SHOWN_LINES; i++)
        sbuf_printf(&b, "%s%u", i > 0 ? ", " : "", found->lines[i]);
    if (found->n > SHOWN_LINES)
        sbuf_printf(&b, " and %zu more", found->n - SHOWN_LINES);
    return sbuf_str(&b);
}

static str shown(str text)
{
    return utf8_cut(str_trim(text), SHOWN_BYTES);
}

/* What is at that line, for a message. */
static str line_shown(const struct task_search *f, uint32_t line)
{
    struct edit_range range;
    struct err beyond;
    if (!edit_find_lines(f->note.text, line, line, &range, &beyond))
        return STR("past the end of the note");
    str there = str_trim_line(str_slice(f->note.text, range.start, range.end));
    return arena_printf(f->arena, "'" STR_FMT "'", STR_ARG(shown(there)));
}

/* Line `line` is not the task with the text. */
static bool refuse_line(const struct task_search *f, uint32_t line, struct err *err)
{
    struct task_found found;
    str there = line_shown(f, line);
    if (f->text.n == 0)
        return err_named(err, E_STALE, "line %u is not a task, it is " STR_FMT, line,
                         STR_ARG(there));
    search_text(f, &found);
    if (found.n == 0)
        return err_named(err, E_STALE,
                         "line %u is now " STR_FMT ", and no task has the text '" STR_FMT
                         "': read the note again",
                         line, STR_ARG(there), STR_ARG(shown(f->text)));
    return err_named(err, E_STALE,
                     "line %u is now " STR_FMT "; the task '" STR_FMT
                     "' is at line " STR_FMT ": give that line",
                     line, STR_ARG(there), STR_ARG(shown(f->text)),
                     STR_ARG(lines_text(f->arena, &found)));
}

static bool find_text(const struct task_search *f, const struct note_task **out,
                      struct err *err)
{
    struct task_found found;
    if (f->text.n == 0)
        return err_named(err, E_INVALID_ARGUMENT,
                         "the task is missing: give its text or line");
    search_text(f, &found);
    if (found.n == 0)
        return err_named(err, E_TEXT_NOT_FOUND,
                         "no task has the text '" STR_FMT "': read the note again",
                         STR_ARG(shown(f->text)));
    if (found.n > 1 && found.n_wanted != 1)
        return err_named(
            err, E_TEXT_NOT_UNIQUE,
            "%zu tasks have the text '" STR_FMT "', at lines " STR_FMT ": give line",
            found.n, STR_ARG(shown(f->text)), STR_ARG(lines_text(f->arena, &found)));
    *out = found.best;
    return true;
}

/* --- what belongs to it --- */

/* Where something begins in a line: in how many quotes, and at which column in them. */
struct indent {
    size_t quotes, columns;
    bool empty; /* there is nothing in the line */
};

/* Of what is at byte at. */
static struct indent indent_at(str line, size_t at)
{
    enum { TAB = 4 };
    struct indent in = {.empty = at == line.n};
    for (size_t i = 0; i < at; i++) {
        if (line.p[i] == '>') {
            in.quotes++;
            in.columns = 0;
            i += i + 1 < at && line.p[i + 1] == ' ';
        } else {
            in.columns =
                line.p[i] == '\t' ? (in.columns / TAB + 1) * TAB : in.columns + 1;
        }
    }
    return in;
}

/* Of the text of a line that may be in that many quotes: further marks are text. */
static struct indent indent_of(str line, size_t quotes)
{
    size_t at = 0;
    for (; at < line.n && (is_blank(line.p[at]) || (line.p[at] == '>' && quotes > 0));
         at++)
        quotes -= line.p[at] == '>';
    return indent_at(line, at);
}

/* Of the list marker of a task, whose line may begin with other markers. */
static struct indent indent_of_task(str line, size_t box)
{
    size_t at = box;
    while (at > 0 && is_blank(line.p[at - 1]))
        at--;
    while (at > 0 && !is_blank(line.p[at - 1]) && line.p[at - 1] != '>')
        at--;
    return indent_at(line, at);
}

/* The last line below the task that is in the same quotes and indented more than it. */
static uint32_t last_of(str text, size_t at, const struct note_task *t)
{
    str own_line = str_slice(text, at, text_find_break(text, at));
    struct indent own = indent_of_task(own_line, t->mark.start - 1 - at);
    uint32_t line = t->line, last = line;
    for (;;) {
        size_t end = text_find_break(text, at);
        str gap = text_break(text, end);
        if (gap.n == 0)
            return last;
        at = end + gap.n;
        line++;
        struct indent in =
            indent_of(str_slice(text, at, text_find_break(text, at)), own.quotes);
        if (in.quotes < own.quotes || (!in.empty && in.columns <= own.columns))
            return last;
        if (!in.empty)
            last = line;
    }
}

bool task_find(struct arena *a, const struct task_settings *s, str note, uint32_t line,
               str text, enum task_wanted wanted, struct task_place *out, struct err *err)
{
    struct task_search f = {
        .arena = a, .settings = s, .text = str_trim_line(text), .wanted = wanted};
    const struct note_task *t = NULL;
    note_scan(a, note, &f.note);
    if (line > 0) {
        t = task_at(&f, line);
        if (t == NULL || (f.text.n > 0 && likeness(&f, t) == TASK_OTHER))
            return refuse_line(&f, line, err);
    } else if (!find_text(&f, &t, err)) {
        return false;
    }
    str found = task_note_line_of(&f, t);
    *out = (struct task_place){.line = t->line, .text = found};
    out->last = last_of(note, (size_t)(found.p - note.p), t);
    return true;
}

/* --- changes --- */

bool task_status_reopens(str status)
{
    return str_eq_nocase(status, STR("todo")) || str_eq_nocase(status, STR("open"));
}

static bool symbol_of(const struct task_settings *s, str status, str now, str *out,
                      struct err *err)
{
    if (str_eq_nocase(status, STR("done")))
        *out = task_done_symbol(s, now);
    else if (task_status_reopens(status))
        *out = task_open_symbol(s, now);
    else if (str_eq_nocase(status, STR("cancelled")))
        *out = task_cancelled_symbol(s);
    else if (str_eq_nocase(status, STR("next")))
        *out = task_status_of(s, now).next;
    else
        *out = task_find_symbol(s, status);
    return out->n > 0 ||
           err_named(err, E_INVALID_ARGUMENT,
                     "'" STR_FMT "' is not a status: use done, todo, cancelled, next, or "
                     "the symbol or name of a status of the Tasks plugin",
                     STR_ARG(shown(status)));
}

/* The lines that replace the task. */
static bool change_line(struct arena *a, const struct task_settings *s, str line,
                        const struct task_change *change, struct task_lines *out,
                        struct err *err)
{
    struct task now = {.symbol = STR("")};
    str symbol;
    if (task_fields_any(&change->fields) &&
        !task_set_fields(a, s, line, &change->fields, &line, err))
        return false;
    *out = (struct task_lines){.lines = {line}, .n = 1};
    if (change->status.n == 0)
        return true;
    (void)task_parse(a, s, line, &now); /* task_set_status() fails if it is not a task */
    return symbol_of(s, change->status, now.symbol, &symbol, err) &&
           task_set_status(a, s, line, symbol, change->today, out, err);
}

/* It would leave the lines below it without their task. */
static bool refuse_removal(struct arena *a, const struct task_place *place,
                           struct err *err)
{
    bool one = place->last == place->line + 1;
    str below = one ? arena_printf(a, "line %u belongs to it: move or remove it first",
                                   place->last)
                    : arena_printf(a,
                                   "lines %u to %u belong to it: move or remove these "
                                   "first",
                                   place->line + 1, place->last);
    return err_named(
        err, E_INVALID_CONTENT,
        "the task is removed when it is done (onCompletion: delete), but " STR_FMT,
        STR_ARG(below));
}

static void say_removed(struct arena *a, const struct task_place *place,
                        struct edit_result *out)
{
    out->did[out->n_did++] =
        arena_printf(a, "removed: " STR_FMT, STR_ARG(str_trim(place->text)));
}

bool task_edit(struct arena *a, const struct task_settings *s, str note,
               struct task_place *place, const struct task_change *change,
               struct edit_result *out, struct err *err)
{
    struct task_lines lines;
    if (!change_line(a, s, place->text, change, &lines, err))
        return false;
    if (lines.task == lines.n && place->last > place->line)
        return refuse_removal(a, place, err);
    str content = lines.n == 2
                      ? arena_printf(a, STR_FMT "\n" STR_FMT, STR_ARG(lines.lines[0]),
                                     STR_ARG(lines.lines[1]))
                      : lines.lines[0];
    struct edit_lines e = {place->line, place->line, lines.n > 0 ? content : STR("")};
    if (!edit_lines(a, note, &e, out, err))
        return false;
    bool removed = lines.task == lines.n;
    if (lines.warning.n > 0)
        out->warnings[out->n_warnings++] = lines.warning;
    if (removed)
        say_removed(a, place, out);
    if (lines.n == 0)
        out->line_first = out->line_last = 0;
    place->text = removed ? (str){0} : lines.lines[lines.task];
    place->line = removed ? 0 : place->line + (uint32_t)lines.task;
    place->last += (uint32_t)lines.n - 1;
    return true;
}

static size_t indent_length(str line)
{
    size_t n = 0;
    while (n < line.n && (is_blank(line.p[n]) || line.p[n] == '>'))
        n++;
    return n;
}

/* line without the part of indent that it begins with. */
static str outdent_line(str line, str indent)
{
    size_t n = 0;
    while (n < indent.n && n < line.n && line.p[n] == indent.p[n])
        n++;
    return str_skip(line, n);
}

str task_outdent(struct arena *a, str lines)
{
    struct sbuf b = SBUF_ON(a);
    str indent = str_slice(lines, 0, indent_length(lines));
    for (size_t at = 0; at < lines.n;) {
        size_t end = text_find_break(lines, at);
        sbuf_add(&b, at > 0 ? STR("\n") : STR(""));
        sbuf_add(&b, outdent_line(str_slice(lines, at, end), indent));
        at = end + text_break(lines, end).n;
    }
    return sbuf_str(&b);
}

/* Name the lines that belong to a task and were removed with it. */
static void say_removed_below(struct arena *a, str lines, struct edit_result *out)
{
    enum { NAMED_MAX = 10 };
    struct sbuf b = SBUF_ON(a);
    size_t n = 0;
    for (size_t at = text_find_break(lines, 0); at < lines.n;) {
        size_t start = at + text_break(lines, at).n;
        at = text_find_break(lines, start);
        str line = str_trim(str_slice(lines, start, at));
        if (line.n > 0 && n++ < NAMED_MAX)
            sbuf_printf(&b, "%s" STR_FMT, n > 1 ? "; " : "", STR_ARG(shown(line)));
    }
    if (n > NAMED_MAX)
        sbuf_printf(&b, "; and %zu more", n - NAMED_MAX);
    if (n > 0)
        out->did[out->n_did++] =
            arena_printf(a, "with what belongs to it: " STR_FMT, STR_ARG(sbuf_str(&b)));
}

bool task_cut(struct arena *a, str note, const struct task_place *place, str *lines,
              struct edit_result *out, struct err *err)
{
    struct edit_lines e = {place->line, place->last, STR("")};
    struct edit_range range;
    if (!edit_find_lines(note, place->line, place->last, &range, err) ||
        !edit_lines(a, note, &e, out, err))
        return false;
    *lines = task_outdent(a, str_slice(note, range.start, range.end));
    out->line_first = out->line_last = 0;
    say_removed(a, place, out);
    say_removed_below(a, *lines, out);
    return true;
}
