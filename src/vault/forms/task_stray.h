/*
 * task_stray - fields in the description of a task, where the Tasks plugin does not read
 * them: text follows them, or they have the format that the vault does not use.
 *
 *     - [ ] call 📅 2026-11-20 before noon
 *     - [ ] water [repeat:: every week]       in a vault with emojis
 *
 * Only dates and rules are found, and nothing in code. Pure, linear in the description.
 */
#pragma once

#include "vault/forms/task.h"

/* The description without its dates of that kind. */
str task_stray_drop(struct arena *a, str description, enum task_date date);

/* Why a task does not recur although its description has a rule; empty if it has none. */
str task_stray_rule(struct arena *a, const struct task_settings *s, str description);
