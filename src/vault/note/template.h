/*
 * template - what the core Templates plugin makes of a note that serves as one: its
 * variables filled in, its properties merged into those of another note.
 *
 * Pure: texts in, texts out. Where a template is and which formats the vault uses says
 * obsidian_templates().
 */
#pragma once

#include "base/err.h"
#include "vault/text/moment.h"

struct template_values {
    str title; /* of the note it is for: its name without .md */
    struct moment now;
    str date_format, time_format; /* of {{date}} and {{time}} */
};

/*
 * text with {{title}}, {{date}}, {{time}}, {{date:FORMAT}} and {{time:FORMAT}} filled in,
 * case ignored; anything else in braces stays as it is.
 */
str template_expand(struct arena *a, str text, const struct template_values *values);

struct template_merged {
    str text; /* of the note, with the properties; its body as it was */
    str body; /* of the template, for the caller to put where it belongs */
};

/*
 * The properties of an expanded template merged into a note: what the note says stays,
 * lists (and tags, aliases and cssclasses, list or not) get the items they lack, and what
 * is missing or empty comes from the template. Fails as frontmatter_edit() does, on
 * broken properties of either.
 */
MUST_CHECK bool template_merge(struct arena *a, str note, str expanded,
                               struct template_merged *out, struct err *err);
