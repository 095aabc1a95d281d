/*
 * hidden - text that a reader does not see: characters without a shape, characters that
 * change the order of others, and HTML comments. It can carry instructions to a model
 * that no person has ever read, so a tool that shows text to a model reports where it is.
 *
 * What counts, by kind:
 *
 *     zero_width    U+200B, U+2060 to U+2064, U+180E, U+FEFF after the start, and
 *                   joiners (U+200C, U+200D) where no script needs them
 *     bidi          U+202A to U+202E and U+2066 to U+2069; the marks U+200E, U+200F and
 *                   U+061C in a line without right-to-left letters
 *     tag           U+E0000 to U+E007F, except in flags of regions (Scotland)
 *     variation     a variation selector after another one
 *     html_comment  "<!--" outside fenced code, up to its "-->"
 *
 * Normal text has joiners too: between two emoji, and next to a letter of a script that
 * joins its letters (Arabic and Persian, Syriac, N'Ko, the scripts of India, Sinhala,
 * Burmese, Khmer, Mongolian). A single joiner there is not counted; a joiner after
 * another invisible character is. Obsidian's %%comments%% are not hidden: people see them
 * in the editor, like the code of a code block.
 *
 * Bytes that are not UTF-8 are ignored. A comment in `a code span` is counted too: of
 * Markdown, only fences (indented by at most three spaces) are known here. Linear in the
 * text; ASCII text without "<!--" is skipped quickly. Pure.
 */
#pragma once

#include "base/str.h"

enum { HIDDEN_MAX = 10 }; /* places that are listed */

enum hidden_kind {
    HIDDEN_ZERO_WIDTH,
    HIDDEN_BIDI,
    HIDDEN_TAG,
    HIDDEN_VARIATION,
    HIDDEN_HTML_COMMENT,
    HIDDEN_INSTRUCTION, /* hidden_find_read() only: it is not hidden */
    HIDDEN_KINDS,
};

/* "zero_width" and so on. */
extern const char *const hidden_names[HIDDEN_KINDS];

/* All characters (or comments) of one kind in one line. */
struct hidden {
    enum hidden_kind kind;
    size_t line; /* from 1; for a comment, where it begins */
    uint32_t count;
};

struct hidden_list {
    struct hidden items[HIDDEN_MAX]; /* by line, then kind */
    size_t n;
    size_t total; /* number of places, of which the first n are in items */
};

/*
 * Search the lines first to last of the text, counted from 1 (last 0: to the end). The
 * lines before them are read only to know whether a comment or fence is open; such a
 * comment is reported in line first.
 */
void hidden_find(str text, size_t first, size_t last, struct hidden_list *out);

/* The same for text that a model reads: with instructions to assistants (instructions.h),
 * which people see, as kind instruction. */
void hidden_find_read(str text, size_t first, size_t last, struct hidden_list *out);

/* Whether all of it is of that kind, and whether any is. */
bool hidden_is_visible(const struct hidden_list *h);
bool hidden_has_visible(const struct hidden_list *h);

/* What a model is to know about a list that is not empty, as sentences after "The answer
 * contains". */
const char *hidden_warning(const struct hidden_list *h);
