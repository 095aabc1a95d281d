/*
 * templater - the static part of templates of the Templater plugin: commands that are
 * only a value, such as <% tp.date.now("YYYY-MM-DD") %>.
 *
 * Known: tp.file.title, tp.file.folder(), tp.file.path(true), tp.file.creation_date(),
 * tp.file.last_modified_date(), tp.file.cursor(); tp.date.now(), .tomorrow(),
 * .yesterday(), .weekday(). Arguments are texts, numbers, true, false and tp.file.title.
 * Anything else would have to run as a program: it stays in the text and is reported.
 */
#pragma once

#include "vault/forms/template.h"

enum { TEMPLATER_LEFT_MAX = 10 }; /* commands that are reported */

struct templater_left {
    str commands[TEMPLATER_LEFT_MAX]; /* as in the template, with <% and %> */
    size_t n;                         /* of those reported */
};

/*
 * The text of a new note at path. values->now is its date with the current time of day;
 * title and folder are taken from the path.
 */
str templater_note(struct arena *a, str path, str text,
                   const struct template_values *values, struct templater_left *left);

/* Says what was left; empty if nothing was. */
str templater_warning(struct arena *a, const struct templater_left *left);

/* Fill in the variables of template.h and these commands. left is added to. */
str templater_expand(struct arena *a, str text, const struct template_values *values,
                     struct templater_left *left);
