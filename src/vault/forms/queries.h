/*
 * queries - whether a note asks something about others: with a base or with Dataview, in
 * a code block or inside a line. What it asks for by name is not among its links.
 */
#pragma once

#include "vault/note/note.h"

/* Whether inline code, with its backticks, is a query: `= this.x` or `$= dv.x`. */
bool queries_is_inline(str code);

bool queries_has(const struct note *n);
