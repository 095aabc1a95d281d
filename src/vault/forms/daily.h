/*
 * daily - daily notes, and notes of weeks, months, quarters and years: the path of the
 * note for a date, and of the template for a new one.
 *
 * Pure: the settings come from obsidian_periodic(), templates from the caller, and
 * nothing reads the disk.
 */
#pragma once

#include "base/err.h"
#include "vault/note/obsidian.h"
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
