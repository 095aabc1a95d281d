/* language_words - the most frequent words of languages. Private to language*.c. */
#pragma once

#include "base/str.h"

struct language_word {
    str word;           /* folded */
    uint32_t languages; /* of which it is: 1 << enum language */
};

/* Sorted by their bytes. */
extern const struct language_word language_words[];
extern const size_t language_n_words;
