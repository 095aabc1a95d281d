#include "vault/ops_task.h"

#include "base/clock.h"
#include "base/utf8.h"
#include "vault/change/rename.h"
#include "vault/draft.h"
#include "vault/forms/task.h"
#include "vault/forms/task_change.h"
#include "vault/forms/task_note.h"
#include "vault/forms/task_settings.h"
#include "vault/habit.h"
#include "vault/index/file.h"
#include "vault/index/index.h"
#include "vault/note/edit.h"
#include "vault/note/note.h"
#include "vault/note/obsidian.h"
#include "vault/ops_board.h"
#include "vault/ops_parts.h"
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
    vault_lock(v);
    const struct json *held = obsidian_tasks(vault_obsidian(v)), *own = NULL;
    str text = held != NULL ? arena_str(a, held->raw) : STR("null");
    vault_unlock(v);
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

/* siblings: habit_near() of the note. */
static bool ops_task_put_lines(struct arena *a, const struct edit_habit *siblings,
                               str text, str heading, str lines, struct edit_result *out,
                               struct err *err)
{
    bool is_board;
    if (!ops_board_put(a, text, heading, lines, out, &is_board, err))
        return false;
    if (is_board)
        return true;
    if (heading.n == 0)
        return edit_insert(a, text,
                           &(struct edit_insert){.where = EDIT_APPEND, .content = lines},
                           out, err);
    struct edit_section e = {.heading = heading,
                             .action = EDIT_APPEND_TO,
                             .content = lines,
                             .siblings = siblings};
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
    struct edit_habit siblings = habit_near(draft_vault(d), found->file.path);
    return task_make(draft_arena(d), &found->settings, t->add, &t->fields, today(), &line,
                     err) &&
           ops_task_put_lines(draft_arena(d), &siblings, found->file.text, to.heading,
                              line, out, err);
}

/* What was said about the change itself counts also after the move. */
static void keep_warnings(const struct edit_result *was, struct edit_result *out)
{
    for (size_t i = 0; i < was->n_warnings && out->n_warnings < EDIT_WARNINGS_MAX; i++)
        out->warnings[out->n_warnings++] = was->warnings[i];
}

/* The task to move: it is at place in text, the new text of the note. */
struct ops_task_moving {
    str path, text;
    struct task_place place;
    str heading;                /* where it goes */
    struct edit_habit siblings; /* of the note that gets it */
};

static bool move_inside(struct draft *d, const struct ops_task_moving *m,
                        struct edit_result *out, struct err *err)
{
    struct edit_result cut = {0};
    struct arena *a = draft_arena(d);
    str lines;
    return task_cut(a, m->text, &m->place, &lines, &cut, err) &&
           ops_task_put_lines(a, &m->siblings, cut.text, m->heading, lines, out, err);
}

/* A block id of the task, or of what belongs to it, that the other note has already. */
static bool check_ids(const struct file *from, const struct file *to,
                      const struct edit_range *range, struct err *err)
{
    for (uint32_t i = 0; i < from->note.n_blocks; i++) {
        struct span id = from->note.blocks[i].id;
        if (id.start >= range->start && id.end <= range->end &&
            note_find_block(&to->note, span_of(from->text, id)) != NULL)
            return err_named(err, E_FILE_EXISTS,
                             "'" STR_FMT "' already has a block '" STR_FMT "'",
                             STR_ARG(to->path), STR_ARG(span_of(from->text, id)));
    }
    return true;
}

/* Where the lines are in the new text; a board does not say. */
static struct edit_range inserted(str was, const struct edit_result *put)
{
    struct edit_range at = put->is;
    str is = put->text;
    if (at.end > at.start)
        return at;
    while (at.start < was.n && at.start < is.n && was.p[at.start] == is.p[at.start])
        at.start++;
    for (at.end = is.n; at.end > at.start && is.n - at.end < was.n - at.start &&
                        was.p[was.n - 1 - (is.n - at.end)] == is.p[at.end - 1];
         at.end--)
        continue;
    return at;
}

/* With the links to it, and those in it, as a section moves (ops_part.c). */
static bool move_linked(struct draft *d, const struct index *x,
                        const struct ops_task_moving *m, struct ops_task_done *done,
                        struct err *err)
{
    struct arena *a = draft_arena(d);
    const struct file *from = index_find(x, m->path),
                      *to = index_find(x, done->file.path);
    struct rename_part part = {from, to, 0, 0};
    struct rename_parted parted;
    struct edit_range range;
    struct edit_result cut = {0}, *put = &done->edit;
    str ignored;
    if (from == NULL || to == NULL)
        return ops_not_found(err, from == NULL ? m->path : done->file.path);
    if (!edit_find_lines(from->text, m->place.line, m->place.last, &range, err) ||
        !check_ids(from, to, &range, err))
        return false;
    part.start = range.start;
    part.end = range.end;
    if (!rename_part(x, obsidian_rewritten_format(vault_obsidian(draft_vault(d))), a,
                     &part, draft_stop(d), &parted, err) ||
        !task_cut(a, parted.rest, &m->place, &ignored, &cut, err) ||
        !ops_task_put_lines(a, &m->siblings, parted.there, m->heading,
                            task_outdent(a, parted.piece), put, err))
        return false;
    if (parted.defs.n > 0 && put->is.end == put->is.start)
        return err_named(err, E_INVALID_CONTENT,
                         "the task has a footnote or reference, and a board has no place "
                         "for its definition: write it as text or as a link first");
    struct edit_range at = inserted(parted.there, put);
    struct rename_settled settled = {cut.text, put->text, at.start, at.end};
    if (!rename_part_settle(x, a, &part, &parted, &settled, err))
        return false;
    put->text = settled.there;
    return ops_take_plan(d, &parted.plan, &done->report, err) &&
           draft_rewrite(d, from, settled.rest, err) &&
           draft_rewrite(d, to, settled.there, err);
}

/* To done->file, another note. */
static bool move_away(struct draft *d, const struct ops_task_moving *m,
                      struct ops_task_done *done, struct err *err)
{
    struct vault *v = draft_vault(d);
    if (!draft_write(d, m->path, m->text, DRAFT_EDIT, err) ||
        !vault_wait(v, NULL, NULL, err))
        return false;
    ops_catch_up(d);
    vault_refresh(v, (str[]){m->path, done->file.path}, 2);
    return ops_unlock(d, move_linked(d, draft_lock(d), m, done, err), err);
}

static bool ops_task_move(struct draft *d, const struct ops_task *t,
                          const struct task_place *place, struct ops_task_done *done,
                          struct err *err)
{
    struct ops_task_target to = target_of(t->to);
    struct edit_result changed = done->edit;
    struct ops_task_moving m = {.path = done->file.path,
                                .text = changed.text,
                                .place = *place,
                                .heading = to.heading};
    if (to.note.n > 0 && !ops_open(d, to.note, &done->file, err))
        return false;
    m.siblings = habit_near(draft_vault(d), done->file.path);
    done->edit = (struct edit_result){0};
    bool ok = str_eq(done->file.path, m.path) ? move_inside(d, &m, &done->edit, err)
                                              : move_away(d, &m, done, err);
    keep_warnings(&changed, &done->edit);
    return ok;
}

bool ops_task_change(struct draft *d, const struct ops_task *t,
                     const struct ops_task_found *found, struct ops_task_done *done,
                     struct err *err)
{
    struct arena *a = draft_arena(d);
    struct task_change change = {
        .status = t->status, .fields = t->fields, .today = today()};
    struct task_place place = found->place;
    bool is_board;
    str lines;
    *done = (struct ops_task_done){.file = found->file};
    if (t->add.n > 0)
        return ops_task_add(d, t, found, &done->edit, err);
    if (t->remove)
        return task_cut(a, found->file.text, &place, &lines, &done->edit, err);
    if (!ops_board_move(d, t, found, today(), &done->edit, &is_board, err))
        return false;
    if (is_board)
        return true;
    if (!task_edit(a, &found->settings, found->file.text, &place, &change, &done->edit,
                   err))
        return false;
    return t->to.n == 0 || place.line == 0 || ops_task_move(d, t, &place, done, err);
}
