/*
 * daily - daily notes, and notes of weeks, months, quarters and years: the path of the
 * note for a date, and the text of a new one.
 *
 * Pure: the settings come from obsidian_periodic(), templates from the caller, and
 * nothing reads the disk.
 */
#pragma once

#include "base/err.h"
#include "vault/note/obsidian.h"
#include "vault/note/template.h"
#include "vault/text/moment.h"

/* "Journal/2024/2024-05-01.md". Fails as path_clean() does. */
MUST_CHECK bool daily_path(struct arena *a, const struct obsidian_dated *where,
                           const struct moment *date, str *out, struct err *err);

/*
 * The path of the template, with extension; "" if there is none. Fails as path_clean()
 * does.
 */
MUST_CHECK bool daily_template(struct arena *a, const struct obsidian_dated *where,
                               str *out, struct err *err);

/*
 * The text of a new note at path: the expanded template, or nothing if there is no
 * template. values->now is the note's date with the current time of day; the title is
 * taken from the path.
 */
str daily_text(struct arena *a, str path, str template_text,
               const struct template_values *values);
