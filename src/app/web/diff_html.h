/*
 * diff_html - what changed in a text, for people: lines with a sign in a column of their own,
 * and the words that changed where lines are similar. Everything in it can be seen
 * (visible.h). For the inside of <pre class="diff">.
 */
#pragma once

#include "base/arena.h"
#include "oauth/html.h"

/* Lines of a class: ctx, add or del. */
void diff_html_lines(struct html *h, struct arena *a, const char *css, str sign,
                     str text);

/* Lines that are gone and those in their place, or both in one with their words. */
void diff_html_change(struct html *h, struct arena *a, str old_text, str new_text);

/* The hunks of a unified diff, with the <pre>; nothing if it has none. */
void diff_html_unified(struct html *h, struct arena *a, str diff);
