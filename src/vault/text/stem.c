#include "vault/text/stem.h"

#include <libstemmer.h>

#include "base/err.h"
#include "vault/text/language.h"

static const char *const algorithms[LANGUAGES] = {
    [LANGUAGE_ENGLISH] = "english",       [LANGUAGE_GERMAN] = "german",
    [LANGUAGE_FRENCH] = "french",         [LANGUAGE_SPANISH] = "spanish",
    [LANGUAGE_PORTUGUESE] = "portuguese", [LANGUAGE_ITALIAN] = "italian",
    [LANGUAGE_DUTCH] = "dutch",           [LANGUAGE_SWEDISH] = "swedish",
    [LANGUAGE_DANISH] = "danish",         [LANGUAGE_NORWEGIAN] = "norwegian",
    [LANGUAGE_FINNISH] = "finnish",       [LANGUAGE_HUNGARIAN] = "hungarian",
    [LANGUAGE_TURKISH] = "turkish",       [LANGUAGE_ROMANIAN] = "romanian",
    [LANGUAGE_INDONESIAN] = "indonesian", [LANGUAGE_RUSSIAN] = "russian",
    [LANGUAGE_GREEK] = "greek",           [LANGUAGE_ARABIC] = "arabic",
    [LANGUAGE_HINDI] = "hindi",           [LANGUAGE_CATALAN] = "catalan",
    [LANGUAGE_BASQUE] = "basque",         [LANGUAGE_IRISH] = "irish",
    [LANGUAGE_LITHUANIAN] = "lithuanian", [LANGUAGE_ARMENIAN] = "armenian",
    [LANGUAGE_TAMIL] = "tamil",           [LANGUAGE_NEPALI] = "nepali",
};

bool stem_has(enum language l)
{
    return algorithms[l] != NULL;
}

bool stem_has_prefixes(enum language l)
{
    return l == LANGUAGE_ARABIC || l == LANGUAGE_INDONESIAN || l == LANGUAGE_IRISH;
}

bool stem_has_compounds(enum language l)
{
    return l == LANGUAGE_GERMAN || l == LANGUAGE_DUTCH || l == LANGUAGE_SWEDISH ||
           l == LANGUAGE_DANISH || l == LANGUAGE_NORWEGIAN;
}

struct stemmer *stemmer_create(enum language l)
{
    if (!stem_has(l))
        return NULL;
    struct sb_stemmer *s = sb_stemmer_new(algorithms[l], NULL);
    if (s == NULL)
        BUG("no stemmer for %s", language_name(l));
    return (struct stemmer *)s;
}

/* Folded, both are heh; at the end of a word, only the other one is an ending. */
static const str heh = STR("\u0647"), teh_marbuta = STR("\u0629");

enum { STEM_WORD_MAX = 64 };

void stemmer_free(struct stemmer *s)
{
    sb_stemmer_delete((struct sb_stemmer *)s);
}

str stemmer_stem(struct stemmer *stemmer, str word)
{
    struct sb_stemmer *s = (struct sb_stemmer *)stemmer;
    char room[STEM_WORD_MAX];
    if (str_ends(word, heh) && word.n <= sizeof(room)) {
        memcpy(room, word.p, word.n - heh.n);
        memcpy(room + word.n - heh.n, teh_marbuta.p, teh_marbuta.n);
        word.p = room;
    }
    const sb_symbol *stem = sb_stemmer_stem(s, (const sb_symbol *)word.p, (int)word.n);
    if (stem == NULL)
        BUG("out of memory");
    return (str){(const char *)stem, (size_t)sb_stemmer_length(s)};
}
