#include "vault/forms/task_change.h"

#include "base/err.h"
#include "base/sbuf.h"
#include "base/text.h"
#include "vault/forms/recur.h"
#include "vault/forms/task_stray.h"

/* --- statuses --- */

static str first_of_type(const struct task_settings *s, enum task_type type,
                         str preferred)
{
    if (task_status_of(s, preferred).type == type)
        return preferred;
    for (size_t i = 0; i < s->n_statuses; i++)
        if (s->statuses[i].type == type)
            return s->statuses[i].symbol;
    return preferred;
}

str task_done_symbol(const struct task_settings *s, str symbol)
{
    struct task_status now = task_status_of(s, symbol);
    if (now.type == TASK_DONE)
        return symbol;
    return first_of_type(s, TASK_DONE,
                         task_status_of(s, now.next).type == TASK_DONE ? now.next
                                                                       : STR("x"));
}

str task_open_symbol(const struct task_settings *s, str symbol)
{
    struct task_status now = task_status_of(s, symbol);
    if (!task_type_is_over(now.type))
        return symbol;
    return first_of_type(s, TASK_TODO,
                         task_status_of(s, now.next).type == TASK_TODO ? now.next
                                                                       : STR(" "));
}

str task_cancelled_symbol(const struct task_settings *s)
{
    return first_of_type(s, TASK_CANCELLED, STR("-"));
}

str task_find_symbol(const struct task_settings *s, str name)
{
    for (size_t i = 0; i < s->n_statuses; i++)
        if (str_eq(s->statuses[i].symbol, name))
            return s->statuses[i].symbol;
    for (size_t i = 0; i < s->n_statuses; i++)
        if (str_eq_nocase(s->statuses[i].name, name) ||
            str_eq_nocase(str_c(task_types[s->statuses[i].type]), name))
            return s->statuses[i].symbol;
    return (str){0};
}

/* The status of the next occurrence: the first open one that follows. */
static str next_open(const struct task_settings *s, str symbol)
{
    static const enum task_type wanted[] = {TASK_TODO, TASK_IN_PROGRESS};
    for (size_t i = 0; i < COUNT_OF(wanted); i++) {
        struct task_status status = task_status_of(s, symbol);
        for (size_t n = 0; n < s->n_statuses; n++) {
            status = task_status_of(s, status.next);
            if (status.type == wanted[i])
                return status.symbol;
        }
    }
    return STR(" ");
}

/* --- the next occurrence --- */

static void move_dates(const struct task_settings *s, struct task *t, int64_t by)
{
    static const enum task_date moved[] = {TASK_START_ON, TASK_SCHEDULED_ON, TASK_DUE_ON};
    for (size_t i = 0; i < COUNT_OF(moved); i++)
        if (t->dates[moved[i]] != TASK_NO_DATE)
            t->dates[moved[i]] = (int32_t)(t->dates[moved[i]] + by);
    if (s->drop_scheduled && (t->dates[TASK_START_ON] != TASK_NO_DATE ||
                              t->dates[TASK_DUE_ON] != TASK_NO_DATE))
        t->dates[TASK_SCHEDULED_ON] = TASK_NO_DATE;
}

/* *found is false if the rule has no next date. */
static bool next_occurrence(const struct task_settings *s, const struct task *done,
                            int32_t today, struct task *out, bool *found, struct err *err)
{
    enum task_date reference = task_reference(done, s->drop_scheduled);
    struct recur rule;
    int64_t next = 0;
    *found = recur_parse(done->rule, &rule);
    if (*found && rule.limited) {
        err_named(err, E_INVALID_CONTENT,
                  "'" STR_FMT "': rules with times of day, counts or ends have no "
                  "reliable next date: change the rule",
                  STR_ARG(done->rule));
        return err_remedy(err, REMEDY_EDIT_LINE);
    }
    *out = *done;
    if (*found && reference != TASK_DATES) {
        int64_t from = rule.when_done ? today : done->dates[reference];
        *found = recur_next(&rule, from, &next);
        move_dates(s, out, next - done->dates[reference]);
    }
    out->symbol = next_open(s, done->symbol);
    out->id = out->depends = out->block = (str){0};
    out->dates[TASK_DONE_ON] = out->dates[TASK_CANCELLED_ON] = TASK_NO_DATE;
    out->dates[TASK_CREATED_ON] = s->set_created ? today : TASK_NO_DATE;
    return true;
}

/* --- changes --- */

static bool parse_task(struct arena *a, const struct task_settings *s, str line,
                       struct task *out, struct err *err)
{
    return task_parse(a, s, line, out) ||
           err_named(err, E_INVALID_ARGUMENT, "'" STR_FMT "' is not a task (- [ ] text)",
                     STR_ARG(str_slice(line, 0, 80)));
}

static void one_line(str line, struct task_lines *out)
{
    *out = (struct task_lines){.lines = {line}, .n = 1, .task = 0};
}

/* A checkbox without the global filter: only the character in its box changes. */
static str with_symbol(struct arena *a, str line, const struct task *t, str symbol)
{
    struct sbuf b = SBUF_ON(a);
    size_t at = (size_t)(t->symbol.p - line.p);
    sbuf_add(&b, str_slice(line, 0, at));
    sbuf_add(&b, symbol);
    sbuf_add(&b, str_skip(line, at + t->symbol.n));
    return sbuf_str(&b);
}

/* Dates that say when a task got its status: kept while the type stays. */
static void stamp(struct task *t, enum task_date date, bool is, bool was, bool set,
                  int32_t today)
{
    if (!is || !was)
        t->dates[date] = is && set ? today : TASK_NO_DATE;
}

static void task_change_put_lines(struct arena *a, const struct task_settings *s,
                                  const struct task *task, const struct task *next,
                                  struct task_lines *out)
{
    bool removed = task == NULL;
    *out = (struct task_lines){.n = 0};
    if (next != NULL && (removed || !s->next_below))
        out->lines[out->n++] = task_line(a, s, next);
    out->task = out->n;
    if (!removed)
        out->lines[out->n++] = task_line(a, s, task);
    if (next != NULL && !removed && s->next_below)
        out->lines[out->n++] = task_line(a, s, next);
}

bool task_set_status(struct arena *a, const struct task_settings *s, str line, str symbol,
                     int32_t today, struct task_lines *out, struct err *err)
{
    struct task t, next;
    if (!parse_task(a, s, line, &t, err))
        return false;
    struct task_status was = task_status_of(s, t.symbol);
    struct task_status is = task_status_of(s, symbol.n > 0 ? symbol : was.next);
    one_line(line, out);
    if (str_eq(is.symbol, t.symbol))
        return true;
    if (t.plain) {
        one_line(with_symbol(a, line, &t, is.symbol), out);
        return true;
    }
    if (!task_can_write(&t, err))
        return false;
    bool completes = is.type == TASK_DONE && was.type != TASK_DONE, recurs = false;
    t.symbol = is.symbol;
    stamp(&t, TASK_DONE_ON, is.type == TASK_DONE, was.type == TASK_DONE, s->set_done,
          today);
    stamp(&t, TASK_CANCELLED_ON, is.type == TASK_CANCELLED, was.type == TASK_CANCELLED,
          s->set_cancelled, today);
    if (completes && t.recurs && !next_occurrence(s, &t, today, &next, &recurs, err))
        return false;
    bool removed = completes && t.completion == TASK_ON_DONE_DELETE;
    task_change_put_lines(a, s, removed ? NULL : &t, recurs ? &next : NULL, out);
    if (completes && t.rule.n == 0)
        out->warning = task_stray_rule(a, s, t.description);
    return true;
}

bool task_fields_any(const struct task_fields *f)
{
    bool any = f->set_priority;
    for (int i = 0; i < TASK_DATES; i++)
        any = any || f->set[i];
    return any;
}

static void apply(const struct task_fields *fields, struct task *t)
{
    for (int i = 0; i < TASK_DATES; i++)
        if (fields->set[i])
            t->dates[i] = fields->dates[i];
    if (fields->set_priority)
        t->priority = fields->priority;
}

bool task_set_fields(struct arena *a, const struct task_settings *s, str line,
                     const struct task_fields *fields, str *out, struct err *err)
{
    struct task t;
    if (!parse_task(a, s, line, &t, err))
        return false;
    if (t.plain)
        return err_named(
            err, E_INVALID_CONTENT,
            "the task has no fields for the Tasks plugin, because it lacks the "
            "global filter '" STR_FMT "': add that to its text first",
            STR_ARG(s->filter));
    apply(fields, &t);
    for (int i = 0; i < TASK_DATES; i++)
        if (fields->set[i])
            t.description = task_stray_drop(a, t.description, (enum task_date)i);
    if (!task_can_write(&t, err))
        return false;
    *out = task_line(a, s, &t);
    return true;
}

/* From a description or a whole line. */
static void read_new(struct arena *a, const struct task_settings *s, str text,
                     struct task *out)
{
    if (!task_parse(a, s, text, out)) {
        task_parse_body(a, s, str_skip(text, str_starts(text, STR("- ")) ? 2 : 0), out);
        out->marker = STR("-");
        out->symbol = STR(" ");
    }
    if (!out->plain)
        return;
    struct task bare = *out;
    str body = arena_printf(a, STR_FMT " " STR_FMT, STR_ARG(s->filter),
                            STR_ARG(bare.description));
    task_parse_body(a, s, body, out);
    out->indent = bare.indent;
    out->marker = bare.marker;
    out->symbol = bare.symbol;
    out->block = bare.block;
}

bool task_make(struct arena *a, const struct task_settings *s, str text,
               const struct task_fields *fields, int32_t today, str *out, struct err *err)
{
    struct task t;
    if (text_has_break(text))
        return err_named(err, E_INVALID_ARGUMENT,
                         "a task is one line: add each in a call of its own");
    read_new(a, s, str_trim(text), &t);
    if (t.description.n == 0)
        return err_named(err, E_INVALID_ARGUMENT, "the text of the task is missing");
    if (s->set_created && t.dates[TASK_CREATED_ON] == TASK_NO_DATE)
        t.dates[TASK_CREATED_ON] = today;
    apply(fields, &t);
    if (!task_can_write(&t, err))
        return false;
    t.tail = (str){0};
    *out = task_line(a, s, &t);
    return true;
}
