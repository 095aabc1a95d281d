/*
 * export - a note as it is read outside of Obsidian: in a repository, on a forge.
 *
 * A wikilink to a file of the same folder becomes a relative Markdown link; of any other,
 * and of embeds, only what the reader would see stays, since its target does not come
 * along. All else stays byte for byte.
 */
#pragma once

#include "vault/index/index.h"

/* In the arena; f is a note of x. */
str export_note(struct arena *a, const struct index *x, const struct file *f);
