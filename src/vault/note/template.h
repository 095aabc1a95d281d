/*
 * template - templates as in Obsidian's core Templates plugin: variables are filled in,
 * and properties are merged into those of another note.
 *
 * Pure: texts in, texts out. obsidian_templates() says where templates are and which
 * formats the vault uses.
 */
#pragma once

#include "base/err.h"
#include "vault/text/moment.h"

struct template_values {
    str title; /* of the new note: its name without .md */
    struct moment now;
    str date_format, time_format; /* of {{date}} and {{time}} */
};

/*
 * Fill in {{title}}, {{date}}, {{time}}, {{date:FORMAT}} and {{time:FORMAT}}, case
 * ignored; anything else in braces stays.
 */
str template_expand(struct arena *a, str text, const struct template_values *values);

struct template_merged {
    str text; /* of the note, with the properties; its body as it was */
    str body; /* of the template, for the caller to insert */
};

/*
 * Merge the properties of an expanded template into a note: existing values of the note
 * stay, lists (and tags, aliases and cssclasses, list or not) get the missing items, and
 * missing or empty properties are taken from the template. Fails like frontmatter_edit()
 * on broken properties of either.
 */
MUST_CHECK bool template_merge(struct arena *a, str note, str expanded,
                               struct template_merged *out, struct err *err);
