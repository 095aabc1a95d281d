/*
 * daily - daily notes, and those of weeks, months, quarters and years: where the one for
 * a date is, which date one is for, and what a new one says.
 *
 * Pure: the settings come from obsidian_periodic(), texts of templates from the caller,
 * and nothing looks at a disk.
 */
#pragma once

#include "base/err.h"
#include "vault/note/obsidian.h"
#include "vault/note/template.h"
#include "vault/text/moment.h"

/* "Journal/2024/2024-05-01.md". Fails as path_clean() does. */
MUST_CHECK bool daily_path(struct arena *a, const struct obsidian_dated *where,
                           const struct moment *date, str *out, struct err *err);

/* The first day that the note at path is for; false when it is no such note, or its
 * format does not tell. */
bool daily_date(struct arena *a, const struct obsidian_dated *where, str path,
                struct moment *out);

/* The path of the template, with extension; "" when there is none. Fails as path_clean()
 * does. */
MUST_CHECK bool daily_template(struct arena *a, const struct obsidian_dated *where,
                               str *out, struct err *err);

/*
 * What a new note at path begins with: the template's text filled in, or nothing when
 * that is empty. values->now is the note's date and the time of day; the title is taken
 * from the path.
 */
str daily_text(struct arena *a, str path, str template_text,
               const struct template_values *values);
