/*
 * hidden - text that a reader does not see: characters without a shape, characters that
 * change the order of others, and HTML comments. It may carry orders to a model that no
 * person ever read, so whoever shows a text to a model says where it is.
 *
 * What counts, by kind:
 *
 *     zero_width    U+200B, U+2060 to U+2064, U+180E, U+FEFF behind the start, and
 *                   joiners (U+200C, U+200D) where no writing needs them
 *     bidi          U+202A to U+202E and U+2066 to U+2069; the marks U+200E, U+200F and
 *                   U+061C in a line without right-to-left letters
 *     tag           U+E0000 to U+E007F, but for the flags of parts of countries
 *     variation     a variation selector behind another one
 *     html_comment  "<!--" outside of fenced code, up to its "-->"
 *
 * Normal text has joiners, too: between two emoji, and next to a letter of a script that
 * joins its letters (Arabic and Persian, Syriac, N'Ko, the scripts of India, Sinhala,
 * Burmese, Khmer, Mongolian). A single one there is not counted; behind another character
 * without a shape it is. Obsidian's %%comments%% are not hidden: people see them in the
 * editor, as they see the code of a code block.
 *
 * Bytes that are not UTF-8 are no characters. A comment in `a code span` is counted as
 * well: here nothing is known of Markdown but fences, which begin with at most three
 * blanks. Linear in the text; text in ASCII without '<' is passed over quickly. Pure.
 */
#pragma once

#include "base/str.h"

enum { HIDDEN_MAX = 10 }; /* places that are told apart */

enum hidden_kind {
    HIDDEN_ZERO_WIDTH,
    HIDDEN_BIDI,
    HIDDEN_TAG,
    HIDDEN_VARIATION,
    HIDDEN_HTML_COMMENT,
    HIDDEN_KINDS,
};

/* "zero_width" and so on. */
extern const char *const hidden_names[HIDDEN_KINDS];

/* All of one kind in one line. */
struct hidden {
    enum hidden_kind kind;
    size_t line; /* from 1; of a comment where it begins */
    uint32_t count;
};

struct hidden_list {
    struct hidden items[HIDDEN_MAX]; /* by line, then kind */
    size_t n;
    size_t total; /* places there are, n of them in items */
};

/*
 * Look at the lines first to last of the text, counted from 1; last 0: to the end. What
 * is before them is read only to know whether a comment or fence is open: such a comment
 * is told of in the first line.
 */
void hidden_find(str text, size_t first, size_t last, struct hidden_list *out);
