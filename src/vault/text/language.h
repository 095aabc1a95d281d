/*
 * language - what is known of human languages: their most frequent words. Words are folded
 * as the word index has them (words.h): without case and accents.
 */
#pragma once

#include "base/str.h"

/* Whether a word is one of the most frequent ones of a language: "where", "что". Such a
 * word says little, and it is not a misspelled other one. */
bool language_has_common(str word);
