/*
 * guidance - what a vault's owner tells assistants: rules of folders, and notes to know
 * of.
 *
 * Rules are CLAUDE.md and AGENTS.md, of the root first, then of each folder on the way
 * down: the nearest comes last and wins. Notes to know of have the tag claude; their
 * property description says when to read them.
 */
#pragma once

#include "vault/index/index.h"

#define GUIDANCE_TAG "claude"

struct guidance {
    const struct file **rules, **notes; /* the index's */
    size_t n_rules, n_notes;
};

/* For a file or folder, which need not exist; path is clean. Notes are by path, without
 * those that are rules of some folder. */
void guidance_for(const struct index *x, struct arena *a, str path, struct guidance *out);

/* Notes with exactly that tag, not one below it, by path; rules that have it, too. */
size_t guidance_notes(const struct index *x, struct arena *a, const struct file ***out);

/* When to read the note, as its owner says, of a list the first; or empty. */
str guidance_description(const struct file *f);

/* Whether its owner has said something there, in whatever form. */
bool guidance_is_described(const struct file *f);

/* The text of a rule or note without its properties. */
str guidance_text(const struct file *f);
