/*
 * guidance - what a vault's authors wrote for assistants: rules of folders, and notes to
 * know about. A folder may be shared, so its author need not be the user.
 *
 * Rules are the files CLAUDE.md and AGENTS.md: those of the root first, then those of
 * each folder on the way down. The nearest comes last and wins. Notes to know about have
 * the tag claude; their property description says when to read them.
 */
#pragma once

#include "vault/index/index.h"

#define GUIDANCE_TAG "claude"

struct guidance {
    const struct file **rules, **notes; /* owned by the index */
    size_t n_rules, n_notes;
};

/* For a file or folder, which need not exist; path is clean. Notes are ordered by path;
 * files that are rules of a folder are not among them. */
void guidance_for(const struct index *x, struct arena *a, str path, struct guidance *out);

/* Notes with exactly that tag, not a nested one, by path, including tagged rules. */
size_t guidance_notes(const struct index *x, struct arena *a, const struct file ***out);

/* Whether a file of that path is a rule; every folder may have one. */
bool guidance_is_rule(str path);

/* The property that says when to read the note (the first item of a list); or empty. */
str guidance_description(const struct file *f);

/* Whether that property has a value of any type. */
bool guidance_is_described(const struct file *f);

/* The text of a rule or note without its properties. */
str guidance_text(const struct file *f);
