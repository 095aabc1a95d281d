/* Writing a task line. */
#include "base/err.h"
#include "base/sbuf.h"
#include "vault/forms/task.h"

bool task_can_write(const struct task *t, struct err *err)
{
    for (size_t i = 0; i < n_task_signs; i++)
        if (task_signs[i].field == TASK_FIELD_DATE &&
            t->dates[task_signs[i].date] == TASK_BAD_DATE)
            return err_named(err, E_INVALID_CONTENT,
                             "the %s date of the task does not exist: correct it first",
                             task_signs[i].key);
    if (t->rule.n > 0 && !t->recurs)
        return err_named(
            err, E_INVALID_CONTENT,
            "'" STR_FMT "' is not a rule of the Tasks plugin (every day, "
            "every 2 weeks on Monday, every month when done): correct it first",
            STR_ARG(t->rule));
    return true;
}

/* The value of a field; empty if the task does not have it. */
static str value_of(struct arena *a, const struct task *t, const struct task_sign *sign)
{
    static const char *const completions[] = {"", "keep", "delete"};
    struct sbuf ids = SBUF_ON(a);
    str rest = t->depends, id;
    switch (sign->field) {
    case TASK_FIELD_PRIORITY:
        return t->priority != TASK_NORMAL ? str_c(task_priorities[t->priority]) : STR("");
    case TASK_FIELD_DATE:
        return t->dates[sign->date] > TASK_BAD_DATE
                   ? task_date_text(a, t->dates[sign->date])
                   : STR("");
    case TASK_FIELD_RULE:
        return t->rule;
    case TASK_FIELD_COMPLETION:
        return str_c(completions[t->completion]);
    case TASK_FIELD_ID:
        return t->id;
    default:
        while (task_next_id(&rest, &id))
            sbuf_printf(&ids, "%s" STR_FMT, ids.n > 0 ? "," : "", STR_ARG(id));
        return sbuf_str(&ids);
    }
}

static void add_field(struct sbuf *b, const struct task_settings *s, const struct task *t,
                      const struct task_sign *sign)
{
    str value = value_of(b->arena, t, sign);
    if (value.n == 0)
        return;
    if (s->format == TASK_DATAVIEW)
        sbuf_printf(b, "  [%s:: " STR_FMT "]", sign->key, STR_ARG(value));
    else if (sign->field == TASK_FIELD_PRIORITY)
        sbuf_printf(b, " %s", task_priority_signs[t->priority]);
    else
        sbuf_printf(b, " %s " STR_FMT, sign->signs[0], STR_ARG(value));
}

str task_line(struct arena *a, const struct task_settings *s, const struct task *t)
{
    struct sbuf b = SBUF_ON(a);
    sbuf_add(&b, t->indent);
    sbuf_add(&b, t->marker);
    sbuf_add(&b, STR(" ["));
    sbuf_add(&b, t->symbol);
    sbuf_add(&b, STR("] "));
    sbuf_add(&b, t->description);
    for (size_t i = 0; i < n_task_signs; i++)
        add_field(&b, s, t, &task_signs[i]);
    if (t->block.n > 0) {
        sbuf_add(&b, STR(" ^"));
        sbuf_add(&b, t->block);
    }
    sbuf_add(&b, t->tail);
    return sbuf_str(&b);
}
