/*
 * template - templates as in Obsidian's core Templates plugin: variables are filled in.
 * templater.h adds what the Templater plugin can fill in without running a program.
 *
 * Pure: texts in, texts out. obsidian_templates() says where templates are and which
 * formats the vault uses.
 */
#pragma once

#include "base/err.h"
#include "vault/text/moment.h"

enum {
    TEMPLATE_FORMAT_MAX = 250,   /* bytes of a format; a longer one is not filled in */
    TEMPLATE_TEXT_MAX = 16 << 20 /* bytes, more than a note may have: nothing is filled in
                                    after so many, because a template of a few megabytes
                                    could become gigabytes */
};

struct template_values {
    str title;  /* of the new note: its name without .md */
    str folder; /* its folder, from the vault's root */
    struct moment now;
    str date_format, time_format; /* of {{date}} and {{time}} */
};

/*
 * Fill in {{title}}, {{date}}, {{time}}, {{date:FORMAT}} and {{time:FORMAT}}, case
 * ignored; anything else in braces stays.
 */
str template_expand(struct arena *a, str text, const struct template_values *values);
