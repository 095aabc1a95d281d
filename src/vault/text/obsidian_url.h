/*
 * obsidian_url - links that open a file in the Obsidian app.
 */
#pragma once

#include "base/arena.h"
#include "base/str.h"

/*
 * "obsidian://open?vault=My%20notes&file=Projects/Plan.md". vault is the name by which
 * the app knows the vault, that of its folder; path is from the vault's root.
 */
str obsidian_url(struct arena *a, str vault, str path);

/* The same for any path, as a URI template (RFC 6570): "...&file={path}". */
str obsidian_url_pattern(struct arena *a, str vault);
