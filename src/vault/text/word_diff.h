/*
 * word_diff - which words of a changed text are new, and which are gone, for people who read
 * a changed paragraph.
 *
 * Words are runs of letters and digits; everything else counts by the character, and so does
 * writing without spaces. Where little is common to both texts, or one is longer than
 * WORD_DIFF_MAX, the old text is gone and the new one is new as a whole.
 */
#pragma once

#include "base/arena.h"
#include "base/str.h"

enum {
    WORD_DIFF_MAX = 64 << 10,     /* bytes of each text */
    WORD_DIFF_WORK_MAX = 1 << 20, /* steps; a few ms */
};

enum word_kind { WORD_SAME, WORD_GONE, WORD_NEW };

struct word_part {
    str text;
    enum word_kind kind;
};

/* Both texts in one row: without what is new, the parts are the old one, and without what is
 * gone, the new one. They are in the arena and point into the texts. */
size_t word_diff(struct arena *a, str old_text, str new_text, struct word_part **out);
