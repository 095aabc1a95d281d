/* A task line that is written, or given another status, is a task line again. */
#include "vault/forms/task_change.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(struct arena *a, const struct task_settings *s, str line, str symbol)
{
    struct task t;
    if (!task_parse(a, s, line, &t))
        BUG("what was written is not a task");
    if (!str_eq(t.symbol, symbol))
        BUG("what was written has another status");
}

static void change(struct arena *a, const struct task_settings *s, str line, str symbol)
{
    struct task_lines lines;
    struct err err = {0};
    if (!task_set_status(a, s, line, symbol, 20000, &lines, &err))
        return;
    for (size_t i = 0; i < lines.n; i++) {
        struct task_status open = task_status_of(s, STR(" "));
        check(a, s, lines.lines[i], i == lines.task ? symbol : open.symbol);
    }
}

static void re_date(struct arena *a, const struct task_settings *s, str line, str symbol)
{
    struct task_fields due = {.dates = {[TASK_DUE_ON] = 20000}};
    struct err err = {0};
    str now;
    due.set[TASK_DUE_ON] = true;
    if (task_set_fields(a, s, line, &due, &now, &err))
        check(a, s, now, symbol);
}

/* The first byte decides about the settings. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a = {0};
    struct task_settings s;
    struct task t;
    struct err err = {0};
    str text = {(const char *)data, size}, line = str_skip(text, 1);
    line = str_slice(line, 0, str_find_char(line, '\n'));
    task_settings_read(&a, NULL, &s);
    if (size > 0 && (data[0] & 1))
        s.format = TASK_DATAVIEW;
    s.read = size > 0 && (data[0] & 2) ? TASK_EMOJI | TASK_DATAVIEW : s.format;
    s.next_below = size > 0 && (data[0] & 4);
    if (task_parse(&a, &s, line, &t)) {
        if (task_can_write(&t, &err))
            check(&a, &s, task_line(&a, &s, &t), t.symbol);
        re_date(&a, &s, line, t.symbol);
        change(&a, &s, line, STR("x"));
        change(&a, &s, line, STR("-"));
        change(&a, &s, line, STR(" "));
    }
    arena_release(&a);
    return 0;
}
