/*
 * language - what is known of human languages: their names, their most frequent words, and
 * in which one a text is. Words are folded as the word index has them (words.h): without
 * case and accents.
 */
#pragma once

#include "base/str.h"

enum language {
    LANGUAGE_UNKNOWN,
    LANGUAGE_ENGLISH,
    LANGUAGE_GERMAN,
    LANGUAGE_FRENCH,
    LANGUAGE_SPANISH,
    LANGUAGE_PORTUGUESE,
    LANGUAGE_ITALIAN,
    LANGUAGE_DUTCH,
    LANGUAGE_SWEDISH,
    LANGUAGE_DANISH,
    LANGUAGE_NORWEGIAN,
    LANGUAGE_FINNISH,
    LANGUAGE_HUNGARIAN,
    LANGUAGE_TURKISH,
    LANGUAGE_ROMANIAN,
    LANGUAGE_INDONESIAN,
    LANGUAGE_POLISH,
    LANGUAGE_CZECH,
    LANGUAGE_RUSSIAN,
    LANGUAGE_UKRAINIAN,
    LANGUAGE_GREEK,
    LANGUAGE_ARABIC,
    LANGUAGE_PERSIAN,
    LANGUAGE_HEBREW,
    LANGUAGE_HINDI,
    LANGUAGE_CATALAN,
    LANGUAGE_BASQUE,
    LANGUAGE_IRISH,
    LANGUAGE_LITHUANIAN,
    LANGUAGE_ARMENIAN,
    LANGUAGE_TAMIL,
    LANGUAGE_NEPALI,
    LANGUAGE_SERBIAN,
    LANGUAGE_YIDDISH,
    LANGUAGE_CHINESE,
    LANGUAGE_JAPANESE,
    LANGUAGE_KOREAN,
    LANGUAGE_THAI,
    LANGUAGE_LAO,
    LANGUAGE_KHMER,
    LANGUAGES
};

/* Letters of which it is written with. */
enum language_script {
    LANGUAGE_LATIN,
    LANGUAGE_CYRILLIC,
    LANGUAGE_OTHER, /* scripts of one language each: LANGUAGE_OTHER + that language */
};
enum language_script language_script(enum language l);
enum language_script language_script_of(uint32_t letter);

/* What it is called in English, such as "German". */
const char *language_name(enum language l);

/* The language that a code (de, de-AT) or an English name means; or LANGUAGE_UNKNOWN. */
enum language language_of(str code);

/*
 * The language of a text: by its script, and by the frequent words among its first
 * LANGUAGE_WORDS words. LANGUAGE_UNKNOWN if there are too few of them.
 */
enum { LANGUAGE_BYTES = 2048, LANGUAGE_WORDS = 48 };
enum language language_guess(str text);

/* Whether a word is one of the most frequent ones of a language: "where", "что". Such a
 * word says little, and it is not a misspelled other one. */
bool language_has_common(str word);
