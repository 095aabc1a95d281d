/*
 * task - one task line of a note, as the Tasks plugin reads and writes it.
 *
 *     - [ ] take out the trash #home ⏫ 🔁 every Sunday 📅 2021-04-25 ^id
 *     - [ ] take out the trash  [repeat:: every Sunday]  [due:: 2021-04-25]
 *
 * Fields are read from the end of the line backwards, so a text after a field makes it and
 * all fields before it part of the description; tags between fields belong to the
 * description. Of a field that occurs twice, the left one counts. Everything is borrowed
 * from the line or in the arena. Pure, linear in the length of the line.
 *
 * Where this differs from the plugin, it is so that nothing is lost: a rule stays as the
 * user has written it, and a line is not written anew if that would drop something
 * (task_can_write()).
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "vault/forms/task_settings.h"

enum {
    TASK_LINE_MAX = 16 << 10, /* bytes of a line; a longer one has no fields */
};

/* In the order in which they are sorted. */
enum task_priority {
    TASK_HIGHEST,
    TASK_HIGH,
    TASK_MEDIUM,
    TASK_NORMAL,
    TASK_LOW,
    TASK_LOWEST,
};

/* "highest" and so on, by enum task_priority; "none" is TASK_NORMAL; ends with NULL. */
extern const char *const task_priorities[];

/* By name, ignoring case; "" and "normal" are TASK_NORMAL. */
MUST_CHECK bool task_priority_parse(str name, enum task_priority *out, struct err *err);

/* In the order in which they are written. */
enum task_date {
    TASK_CREATED_ON,
    TASK_START_ON,
    TASK_SCHEDULED_ON,
    TASK_DUE_ON,
    TASK_CANCELLED_ON,
    TASK_DONE_ON,
    TASK_DATES,
};

#define TASK_NO_DATE INT32_MIN
#define TASK_BAD_DATE (INT32_MIN + 1) /* 2024-02-30 */

enum task_completion { TASK_ON_DONE_NOTHING, TASK_ON_DONE_KEEP, TASK_ON_DONE_DELETE };

struct task {
    str indent, marker; /* "> ", "-" */
    str symbol;         /* the character in the box */
    str description;    /* without fields and block id */
    bool plain;         /* it lacks the global filter: an ordinary checkbox, of which only
                           the parts above are read, and the block id */
    int32_t dates[TASK_DATES]; /* days since 1970; or the values above */
    enum task_priority priority;
    str rule;    /* how it recurs, as written; or empty */
    bool recurs; /* rule is one */
    enum task_completion completion;
    str id;
    str depends; /* ids and commas, as written: task_next_id() */
    str block;   /* without ^ */
    str tail;    /* the spaces at the end that are a hard line break */
};

/* Read a line without its line break. False if it is not a task line. */
bool task_parse(struct arena *a, const struct task_settings *s, str line,
                struct task *out);

/* The same from what follows the box; indent, marker and symbol are empty. */
void task_parse_body(struct arena *a, const struct task_settings *s, str body,
                     struct task *out);

/* Take the next id of struct task.depends; false at the end. */
bool task_next_id(str *depends, str *id);

/*
 * The date from which the next one of a recurring task is counted: due, scheduled, start,
 * or with start_first due, start, scheduled; TASK_DATES if it has none of them.
 */
enum task_date task_reference(const struct task *t, bool start_first);

/* Days since 1970 of a text that is YYYY-MM-DD; TASK_BAD_DATE if there is no such day. */
bool task_date_parse(str text, int32_t *out);
str task_date_text(struct arena *a, int32_t date);

/* The first date in the name of a file, YYYY-MM-DD or YYYYMMDD; TASK_NO_DATE if there is
 * none. */
int32_t task_date_in_name(str name);

/*
 * Whether task_line() loses nothing. Fails with E_INVALID_CONTENT for dates that do not
 * exist and rules that are not understood; the plugin would drop them.
 */
MUST_CHECK bool task_can_write(const struct task *t, struct err *err);

/* Whether the Dataview format has a field of that name, ignoring case. */
bool task_is_key(str name);

/* The line, in the order and format of the plugin. */
str task_line(struct arena *a, const struct task_settings *s, const struct task *t);

/* --- for task*.c --- */

#define TASK_VARIANT STR("\xEF\xB8\x8F") /* U+FE0F, which may follow an emoji */

bool task_is_rule_char(char c);

enum task_field {
    TASK_FIELD_PRIORITY,
    TASK_FIELD_DATE,
    TASK_FIELD_RULE,
    TASK_FIELD_COMPLETION,
    TASK_FIELD_ID,
    TASK_FIELD_DEPENDS,
};

/* How a field is written; a priority's emojis are in task_priority_signs. */
struct task_sign {
    enum task_field field;
    enum task_date date;  /* of a date */
    const char *key;      /* Dataview's name for it */
    const char *signs[3]; /* emojis; the first is written */
};
extern const struct task_sign task_signs[];
extern const size_t n_task_signs;
extern const char *const task_priority_signs[]; /* by enum task_priority; NULL: none */
