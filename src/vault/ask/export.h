/*
 * export - a note for readers outside of Obsidian, such as in a git repository.
 *
 * A wikilink to a file of the same folder becomes a relative Markdown link. Any other
 * wikilink or embed becomes the text that a reader would see, because its target is not
 * exported. Everything else stays byte for byte.
 */
#pragma once

#include "vault/index/index.h"

/* In the arena; f is a note of x. */
str export_note(struct arena *a, const struct index *x, const struct file *f);
