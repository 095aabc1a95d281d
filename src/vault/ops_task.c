#include "vault/ops_task.h"

#include "base/clock.h"
#include "base/utf8.h"
#include "vault/draft.h"
#include "vault/forms/task.h"
#include "vault/forms/task_change.h"
#include "vault/forms/task_note.h"
#include "vault/forms/task_settings.h"
#include "vault/habit.h"
#include "vault/note/edit.h"
#include "vault/note/obsidian.h"
#include "vault/ops.h"
#include "vault/ops_board.h"
#include "vault/text/moment.h"
#include "vault/vault.h"

/* Days since 1970, in the machine's time zone. */
static int32_t today(void)
{
    struct moment now = moment_local(clock_now() * 1000);
    return (int32_t)moment_days(now.year, now.month, now.day);
}

static bool read_date(str text, int32_t *out, struct err *err)
{
    text = str_trim(text);
    *out = TASK_NO_DATE;
    if (text.n == 0 || str_eq_nocase(text, STR("none")))
        return true;
    if (str_eq_nocase(text, STR("today")) || str_eq_nocase(text, STR("tomorrow"))) {
        *out = today() + str_eq_nocase(text, STR("tomorrow"));
        return true;
    }
    return (task_date_parse(text, out) && *out != TASK_BAD_DATE) ||
           err_named(err, E_INVALID_ARGUMENT, "'" STR_FMT "' is not a date (YYYY-MM-DD)",
                     STR_ARG(utf8_cut(text, 40)));
}

bool ops_task_fields(const struct ops_task_words *w, struct task_fields *out,
                     struct err *err)
{
    const struct {
        str text;
        enum task_date date;
    } dates[] = {{w->due, TASK_DUE_ON},
                 {w->scheduled, TASK_SCHEDULED_ON},
                 {w->start, TASK_START_ON}};
    *out = (struct task_fields){.set_priority = w->priority.p != NULL};
    for (size_t i = 0; i < COUNT_OF(dates); i++) {
        out->set[dates[i].date] = dates[i].text.p != NULL;
        if (!read_date(dates[i].text, &out->dates[dates[i].date], err))
            return false;
    }
    return task_priority_parse(w->priority, &out->priority, err);
}

bool ops_task_any(const struct ops_task *t)
{
    return t->add.n > 0 || t->status.n > 0 || t->to.n > 0 || t->remove ||
           task_fields_any(&t->fields) || ops_board_wanted(t);
}

bool ops_task_settings(struct vault *v, struct arena *a, struct task_settings *out,
                       struct err *err)
{
    if (!vault_wait(v, NULL, NULL, err))
        return false;
    vault_hold(v);
    const struct json *held = obsidian_tasks(vault_obsidian(v)), *own = NULL;
    str text = held != NULL ? arena_str(a, held->raw) : STR("null");
    vault_let_go(v);
    if (!json_parse(a, text, &own, err))
        return false;
    task_settings_read(a, own, out);
    return true;
}

bool ops_task_find(struct draft *d, const struct ops_task *t, struct ops_task_found *out,
                   struct err *err)
{
    struct arena *a = draft_arena(d);
    bool reopens = task_status_reopens(t->status);
    *out = (struct ops_task_found){.place = {0}};
    return ops_task_settings(draft_vault(d), a, &out->settings, err) &&
           ops_open(d, t->path, &out->file, err) &&
           (t->add.n > 0 ||
            task_find(a, &out->settings, out->file.text, t->line, t->text,
                      reopens ? TASK_WANT_OVER : TASK_WANT_OPEN, &out->place, err));
}

/* --- where to --- */

struct ops_task_target {
    str note, heading; /* empty: the same note; its end */
};

static struct ops_task_target target_of(str to)
{
    size_t hash = str_find_char(to, '#');
    return (struct ops_task_target){
        .note = str_trim(str_slice(to, 0, hash)),
        .heading = hash == STR_NONE ? (str){0} : str_trim(str_skip(to, hash + 1)),
    };
}

static bool put_lines(struct draft *d, str path, str text, str heading, str lines,
                      struct edit_result *out, struct err *err)
{
    struct arena *a = draft_arena(d);
    bool is_board;
    if (!ops_board_put(a, text, heading, lines, out, &is_board, err))
        return false;
    if (is_board)
        return true;
    if (heading.n == 0)
        return edit_insert(a, text,
                           &(struct edit_insert){.where = EDIT_APPEND, .content = lines},
                           out, err);
    struct edit_habit siblings = habit_near(draft_vault(d), path);
    struct edit_section e = {.heading = heading,
                             .action = EDIT_APPEND_TO,
                             .content = lines,
                             .siblings = &siblings};
    return edit_section(a, text, &e, out, err);
}

/* --- the changes --- */

static bool ops_task_add(struct draft *d, const struct ops_task *t,
                         const struct ops_task_found *found, struct edit_result *out,
                         struct err *err)
{
    struct ops_task_target to = target_of(t->to);
    bool is_board;
    str line;
    if (to.note.n > 0)
        return err_named(err, E_INVALID_ARGUMENT,
                         "a new task is added to the note at path: give its heading as "
                         "to: \"#Heading\"");
    if (t->status.n > 0 || t->line > 0 || t->text.n > 0)
        return err_named(err, E_INVALID_ARGUMENT,
                         "a new task has no line, text and status yet: give all of it as "
                         "add, for example \"- [/] text\"");
    if (!ops_board_add(d, t, found, today(), out, &is_board, err))
        return false;
    if (is_board)
        return true;
    return task_make(draft_arena(d), &found->settings, t->add, &t->fields, today(), &line,
                     err) &&
           put_lines(d, found->file.path, found->file.text, to.heading, line, out, err);
}

/* Take the task out of text, the note's new text, and put it to where it is to be. */
static bool ops_task_move(struct draft *d, const struct ops_task *t,
                          const struct ops_task_found *found,
                          const struct task_place *place, struct draft_file *file,
                          struct edit_result *edit, struct err *err)
{
    struct ops_task_target to = target_of(t->to);
    struct edit_result cut = {0};
    str lines;
    if (to.note.n > 0 && !ops_open(d, to.note, file, err))
        return false;
    if (!task_cut(draft_arena(d), edit->text, place, &lines, &cut, err))
        return false;
    bool same = str_eq(file->path, found->file.path);
    if (!put_lines(d, file->path, same ? cut.text : file->text, to.heading, lines, edit,
                   err))
        return false;
    return same || draft_write(d, found->file.path, cut.text, DRAFT_OVERWRITE, err);
}

bool ops_task_change(struct draft *d, const struct ops_task *t,
                     const struct ops_task_found *found, struct draft_file *file,
                     struct edit_result *edit, struct err *err)
{
    struct task_change change = {
        .status = t->status, .fields = t->fields, .today = today()};
    struct task_place place = found->place;
    bool is_board;
    str lines;
    *file = found->file;
    if (t->add.n > 0)
        return ops_task_add(d, t, found, edit, err);
    if (t->remove)
        return task_cut(draft_arena(d), file->text, &place, &lines, edit, err);
    if (!ops_board_move(d, t, found, today(), edit, &is_board, err))
        return false;
    if (is_board)
        return true;
    if (!task_edit(draft_arena(d), &found->settings, file->text, &place, &change, edit,
                   err))
        return false;
    return t->to.n == 0 || place.line == 0 ||
           ops_task_move(d, t, found, &place, file, edit, err);
}
