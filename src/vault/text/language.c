#include "vault/text/language.h"

#include "base/utf8.h"
#include "vault/text/language_words.h"
#include "vault/text/variants.h"

_Static_assert(LANGUAGE_HEBREW < 32, "a language with frequent words is a bit");

struct language_row {
    str code, name;
};

static const struct language_row rows[LANGUAGES] = {
    [LANGUAGE_UNKNOWN] = {STR(""), STR("unknown")},
    [LANGUAGE_ENGLISH] = {STR("en"), STR("English")},
    [LANGUAGE_GERMAN] = {STR("de"), STR("German")},
    [LANGUAGE_FRENCH] = {STR("fr"), STR("French")},
    [LANGUAGE_SPANISH] = {STR("es"), STR("Spanish")},
    [LANGUAGE_PORTUGUESE] = {STR("pt"), STR("Portuguese")},
    [LANGUAGE_ITALIAN] = {STR("it"), STR("Italian")},
    [LANGUAGE_DUTCH] = {STR("nl"), STR("Dutch")},
    [LANGUAGE_SWEDISH] = {STR("sv"), STR("Swedish")},
    [LANGUAGE_DANISH] = {STR("da"), STR("Danish")},
    [LANGUAGE_NORWEGIAN] = {STR("no"), STR("Norwegian")},
    [LANGUAGE_FINNISH] = {STR("fi"), STR("Finnish")},
    [LANGUAGE_HUNGARIAN] = {STR("hu"), STR("Hungarian")},
    [LANGUAGE_TURKISH] = {STR("tr"), STR("Turkish")},
    [LANGUAGE_ROMANIAN] = {STR("ro"), STR("Romanian")},
    [LANGUAGE_INDONESIAN] = {STR("id"), STR("Indonesian")},
    [LANGUAGE_POLISH] = {STR("pl"), STR("Polish")},
    [LANGUAGE_CZECH] = {STR("cs"), STR("Czech")},
    [LANGUAGE_RUSSIAN] = {STR("ru"), STR("Russian")},
    [LANGUAGE_UKRAINIAN] = {STR("uk"), STR("Ukrainian")},
    [LANGUAGE_GREEK] = {STR("el"), STR("Greek")},
    [LANGUAGE_ARABIC] = {STR("ar"), STR("Arabic")},
    [LANGUAGE_PERSIAN] = {STR("fa"), STR("Persian")},
    [LANGUAGE_HEBREW] = {STR("he"), STR("Hebrew")},
    [LANGUAGE_HINDI] = {STR("hi"), STR("Hindi")},
    [LANGUAGE_CATALAN] = {STR("ca"), STR("Catalan")},
    [LANGUAGE_BASQUE] = {STR("eu"), STR("Basque")},
    [LANGUAGE_IRISH] = {STR("ga"), STR("Irish")},
    [LANGUAGE_LITHUANIAN] = {STR("lt"), STR("Lithuanian")},
    [LANGUAGE_ARMENIAN] = {STR("hy"), STR("Armenian")},
    [LANGUAGE_TAMIL] = {STR("ta"), STR("Tamil")},
    [LANGUAGE_NEPALI] = {STR("ne"), STR("Nepali")},
    [LANGUAGE_SERBIAN] = {STR("sr"), STR("Serbian")},
    [LANGUAGE_YIDDISH] = {STR("yi"), STR("Yiddish")},
    [LANGUAGE_CHINESE] = {STR("zh"), STR("Chinese")},
    [LANGUAGE_JAPANESE] = {STR("ja"), STR("Japanese")},
    [LANGUAGE_KOREAN] = {STR("ko"), STR("Korean")},
    [LANGUAGE_THAI] = {STR("th"), STR("Thai")},
    [LANGUAGE_LAO] = {STR("lo"), STR("Lao")},
    [LANGUAGE_KHMER] = {STR("km"), STR("Khmer")},
};

const char *language_name(enum language l)
{
    return rows[l].name.p;
}

enum language language_of(str code)
{
    size_t dash = str_find_char(code, '-'), line = str_find_char(code, '_');
    size_t n = dash < line ? dash : line;
    str base = str_slice(code, 0, n == STR_NONE ? code.n : n);
    if (str_eq_nocase(base, STR("nb")) || str_eq_nocase(base, STR("nn")))
        return LANGUAGE_NORWEGIAN;
    for (unsigned l = 1; l < LANGUAGES; l++)
        if (str_eq_nocase(base, rows[l].code) || str_eq_nocase(code, rows[l].name))
            return l;
    return LANGUAGE_UNKNOWN;
}

/* --- frequent words --- */

/* The languages of which a word is frequent, as bits. */
static uint32_t languages_of(str word)
{
    size_t from = 0, to = language_n_words;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        int order = str_cmp(language_words[middle].word, word);
        if (order == 0)
            return language_words[middle].languages;
        if (order < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return 0;
}

bool language_has_common(str word)
{
    return languages_of(word) != 0;
}

/* --- the language of a text --- */

/* The language that usually has a letter: those of its script are told apart by words. */
static enum language script_language(uint32_t c)
{
    static const struct {
        uint32_t first, last;
        enum language language;
    } scripts[] = {
        {0x0370, 0x03FF, LANGUAGE_GREEK},    {0x0400, 0x052F, LANGUAGE_RUSSIAN},
        {0x0530, 0x058F, LANGUAGE_ARMENIAN}, {0x0590, 0x05FF, LANGUAGE_HEBREW},
        {0x0600, 0x06FF, LANGUAGE_ARABIC},   {0x0900, 0x097F, LANGUAGE_HINDI},
        {0x0B80, 0x0BFF, LANGUAGE_TAMIL},    {0x0E00, 0x0E7F, LANGUAGE_THAI},
        {0x0E80, 0x0EFF, LANGUAGE_LAO},      {0x1100, 0x11FF, LANGUAGE_KOREAN},
        {0x1780, 0x17FF, LANGUAGE_KHMER},    {0x1F00, 0x1FFF, LANGUAGE_GREEK},
        {0x3040, 0x30FF, LANGUAGE_JAPANESE}, {0x3400, 0x9FFF, LANGUAGE_CHINESE},
        {0xAC00, 0xD7AF, LANGUAGE_KOREAN},   {0xFF66, 0xFF9F, LANGUAGE_JAPANESE},
    };
    for (size_t i = 0; i < COUNT_OF(scripts) && c >= scripts[i].first; i++)
        if (c <= scripts[i].last)
            return scripts[i].language;
    return LANGUAGE_UNKNOWN;
}

enum language_script language_script_of(uint32_t letter)
{
    if (letter < 0x250 || (letter >= 0x1E00 && letter < 0x1F00))
        return LANGUAGE_LATIN;
    enum language usual = script_language(letter);
    return usual == LANGUAGE_RUSSIAN ? LANGUAGE_CYRILLIC : LANGUAGE_OTHER + usual;
}

enum language_script language_script(enum language l)
{
    switch (l) {
    case LANGUAGE_RUSSIAN:
    case LANGUAGE_UKRAINIAN:
    case LANGUAGE_SERBIAN:
        return LANGUAGE_CYRILLIC;
    case LANGUAGE_PERSIAN:
        return LANGUAGE_OTHER + LANGUAGE_ARABIC;
    case LANGUAGE_YIDDISH:
        return LANGUAGE_OTHER + LANGUAGE_HEBREW;
    case LANGUAGE_NEPALI:
        return LANGUAGE_OTHER + LANGUAGE_HINDI;
    case LANGUAGE_GREEK:
    case LANGUAGE_ARABIC:
    case LANGUAGE_HEBREW:
    case LANGUAGE_HINDI:
    case LANGUAGE_ARMENIAN:
    case LANGUAGE_TAMIL:
        return LANGUAGE_OTHER + l;
    default:
        return l >= LANGUAGE_CHINESE ? LANGUAGE_OTHER + l : LANGUAGE_LATIN;
    }
}

/* A letter that Russian or Arabic does not have. */
static enum language letter_language(uint32_t c)
{
    switch (c) {
    case 0x0454: /* є */
    case 0x0456: /* і */
    case 0x0457: /* ї */
    case 0x0491: /* ґ */
        return LANGUAGE_UKRAINIAN;
    case 0x0452: /* ђ */
    case 0x0458: /* ј */
    case 0x045B: /* ћ */
        return LANGUAGE_SERBIAN;
    case 0x067E: /* peh */
    case 0x0686: /* tcheh */
    case 0x06A9: /* keheh */
    case 0x06CC: /* yeh */
        return LANGUAGE_PERSIAN;
    default:
        return LANGUAGE_UNKNOWN;
    }
}

struct guessing {
    uint32_t letters[LANGUAGES]; /* of scripts; of Latin letters at LANGUAGE_UNKNOWN */
    uint32_t votes[LANGUAGES];   /* frequent words, and letters of one language */
    size_t words;
    char word[16];
    size_t n; /* bytes of the word; more than it has room for: it is longer */
};

static void end_word(struct guessing *g)
{
    uint32_t bits = 0;
    if (g->n > 0 && g->n <= sizeof(g->word))
        bits = languages_of((str){g->word, g->n});
    for (; bits != 0; bits &= bits - 1)
        g->votes[__builtin_ctz(bits)]++;
    g->words += g->n > 0;
    g->n = 0;
}

static void language_take_letter(struct guessing *g, uint32_t c)
{
    char bytes[4];
    size_t n = 1;
    bytes[0] = (char)c;
    if (c >= 0x80) {
        c = utf8_fold_char(c);
        g->votes[letter_language(c)]++;
        n = utf8_encode(variant_of(c), bytes);
    }
    g->letters[c < 0x250 ? LANGUAGE_UNKNOWN : script_language(c)]++;
    for (size_t i = 0; i < n; i++)
        if (g->n + i < sizeof(g->word))
            g->word[g->n + i] = bytes[i];
    g->n += n;
}

/* Of those that the script allows, the one with clearly most votes: related languages share
 * words, and a wrong one is worse than none. */
static enum language most_votes(const struct guessing *g, unsigned from, unsigned to)
{
    enum { LEAST = 3 };
    unsigned best = LANGUAGE_UNKNOWN, most = 0, second = 0;
    for (unsigned l = from; l <= to; l++) {
        if (g->votes[l] > most) {
            second = most;
            most = g->votes[l];
            best = l;
        } else if (g->votes[l] > second) {
            second = g->votes[l];
        }
    }
    return most >= LEAST && 2 * most >= 3 * second ? best : LANGUAGE_UNKNOWN;
}

static enum language language_decide(const struct guessing *g)
{
    enum language script = LANGUAGE_UNKNOWN;
    for (unsigned l = 1; l < LANGUAGES; l++)
        if (g->letters[l] > g->letters[script])
            script = l;
    enum { KANA_SHARE = 8 }; /* Japanese has more than this part of them */
    switch (script) {
    case LANGUAGE_UNKNOWN:
        return most_votes(g, LANGUAGE_ENGLISH, LANGUAGE_CZECH);
    case LANGUAGE_RUSSIAN:
        return g->votes[LANGUAGE_UKRAINIAN] > g->votes[LANGUAGE_RUSSIAN]
                   ? LANGUAGE_UKRAINIAN
               : g->votes[LANGUAGE_SERBIAN] > 0 ? LANGUAGE_SERBIAN
                                                : LANGUAGE_RUSSIAN;
    case LANGUAGE_ARABIC:
        return g->votes[LANGUAGE_PERSIAN] > g->votes[LANGUAGE_ARABIC] ? LANGUAGE_PERSIAN
                                                                      : LANGUAGE_ARABIC;
    case LANGUAGE_CHINESE:
        return g->letters[LANGUAGE_JAPANESE] > g->letters[LANGUAGE_CHINESE] / KANA_SHARE
                   ? LANGUAGE_JAPANESE
                   : LANGUAGE_CHINESE;
    default:
        return script;
    }
}

/* For ASCII: the letter in lower case, or 0. */
static uint32_t plain_letter(unsigned char c)
{
    unsigned char low = c | 0x20;
    return low >= 'a' && low <= 'z' ? low : 0;
}

enum language language_guess(str text)
{
    struct guessing g = {.words = 0};
    str s = str_slice(text, 0, LANGUAGE_BYTES);
    for (size_t i = 0, n = 1; i < s.n && g.words < LANGUAGE_WORDS; i += n) {
        unsigned char byte = (unsigned char)s.p[i];
        uint32_t c = plain_letter(byte);
        n = 1;
        if (byte >= 0x80) {
            c = utf8_decode(str_skip(s, i), &n);
            c = utf8_is_word(c) ? c : 0;
        }
        if (c != 0)
            language_take_letter(&g, c);
        else if (g.n > 0)
            end_word(&g);
    }
    end_word(&g);
    return language_decide(&g);
}
