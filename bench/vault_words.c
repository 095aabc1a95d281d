#include "vault_words.h"

#include "base/utf8.h"

/* --- chance --- */

/* splitmix64 */
uint64_t rng_next(struct rng *r)
{
    uint64_t x = r->state += 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

uint32_t rng_below(struct rng *r, uint32_t n)
{
    return (uint32_t)((rng_next(r) >> 32) * n >> 32);
}

uint32_t rng_between(struct rng *r, uint32_t low, uint32_t high)
{
    return low + rng_below(r, high - low + 1);
}

bool rng_percent(struct rng *r, uint32_t percent)
{
    return rng_below(r, 100) < percent;
}

/* 2 to the power of x / 65536, to 0.3 %; x is below 31 * 65536. */
static uint32_t power_of_two(uint32_t x)
{
    uint64_t part = x & 0xFFFF;
    uint64_t mantissa = 65536 + (part * (43024 + (22512 * part >> 16)) >> 16);
    return (uint32_t)(mantissa << (x >> 16) >> 16);
}

/* 2 to an even power: numbers from 1 to 2 come as often as those from 2 to 4. */
uint32_t rng_zipf(struct rng *r, uint32_t n)
{
    uint32_t bits = 32 - (uint32_t)__builtin_clz(n);
    for (;;) {
        uint32_t rank = power_of_two(rng_below(r, bits << 16)) - 1;
        if (rank < n)
            return rank;
    }
}

uint32_t rng_size(struct rng *r, uint32_t median)
{
    enum { DICE = 12, SIGMA = 99287 /* 1.05 natural logarithms in 65536ths of a bit */ };
    int64_t normal = -DICE / 2 * 65536;
    for (int i = 0; i < DICE; i++)
        normal += (int64_t)(rng_next(r) >> 48);
    int64_t bits = 16 * 65536 + (normal * SIGMA >> 16);
    return (uint32_t)((uint64_t)median * power_of_two((uint32_t)bits) >> 16);
}

/* --- words --- */

static const char *const english[] = {
    "the",      "of",       "and",     "to",       "a",         "in",       "is",
    "it",       "that",     "for",     "was",      "with",      "as",       "we",
    "on",       "be",       "not",     "this",     "are",       "by",       "I",
    "but",      "have",     "from",    "or",       "had",       "at",       "an",
    "they",     "which",    "one",     "you",      "were",      "all",      "there",
    "would",    "their",    "what",    "if",       "can",       "when",     "more",
    "about",    "so",       "no",      "some",     "out",       "up",       "time",
    "them",     "do",       "than",    "only",     "into",      "could",    "other",
    "new",      "then",     "these",   "two",      "first",     "may",      "any",
    "like",     "should",   "after",   "also",     "my",        "now",      "over",
    "such",     "our",      "made",    "even",     "most",      "did",      "many",
    "before",   "must",     "through", "years",    "where",     "much",     "way",
    "well",     "how",      "because", "each",     "just",      "those",    "people",
    "too",      "little",   "good",    "very",     "make",      "world",    "still",
    "own",      "see",      "work",    "long",     "here",      "get",      "both",
    "between",  "life",     "being",   "under",    "never",     "day",      "same",
    "another",  "know",     "while",   "last",     "might",     "us",       "great",
    "old",      "year",     "off",     "come",     "since",     "against",  "go",
    "right",    "used",     "take",    "three",    "few",       "house",    "use",
    "during",   "without",  "again",   "place",    "around",    "however",  "small",
    "found",    "thought",  "went",    "say",      "part",      "once",     "general",
    "high",     "upon",     "every",   "does",     "left",      "number",   "course",
    "until",    "always",   "away",    "fact",     "though",    "water",    "less",
    "put",      "thing",    "almost",  "hand",     "enough",    "far",      "head",
    "yet",      "system",   "better",  "set",      "nothing",   "night",    "end",
    "why",      "find",     "look",    "later",    "point",     "next",     "program",
    "city",     "business", "give",    "group",    "young",     "room",     "side",
    "given",    "order",    "second",  "possible", "rather",    "face",     "form",
    "often",    "things",   "early",   "case",     "large",     "need",     "four",
    "within",   "along",    "best",    "ever",     "least",     "power",    "light",
    "family",   "interest", "want",    "mind",     "country",   "area",     "open",
    "service",  "kind",     "problem", "began",    "different", "door",     "help",
    "sense",    "whole",    "matter",  "project",  "meeting",   "draft",    "review",
    "budget",   "design",   "notes",   "plan",     "research",  "method",   "result",
    "figure",   "source",   "index",   "graph",    "query",     "cache",    "garden",
    "recipe",   "travel",   "journal", "reading",  "summary",   "chapter",  "theory",
    "proof",    "model",    "data",    "server",   "client",    "search",   "link",
    "folder",   "question", "answer",  "idea",     "draft",     "week",     "month",
    "deadline", "customer", "release", "version",  "feedback",  "decision", "team",
};

static const char *const russian[] = {
    "и",     "в",      "не",      "на",      "я",      "что",    "он",     "с",
    "а",     "это",    "по",      "как",     "но",     "они",    "мы",     "к",
    "из",    "у",      "за",      "то",      "от",     "для",    "так",    "же",
    "год",   "время",  "дело",    "день",    "работа", "слово",  "место",  "вопрос",
    "город", "проект", "задача",  "встреча", "отчет",  "метод",  "данные", "поиск",
    "книга", "план",   "решение", "ошибка",  "память", "ссылка", "папка",  "система",
};

static const char *const han[] = {
    "的",   "是",   "在",   "我们", "和",   "了",     "有",     "不",     "这",
    "可以", "项目", "会议", "研究", "系统", "数据",   "结果",   "方法",   "计划",
    "阅读", "日记", "链接", "搜索", "今天", "因为",   "所以",   "重要",   "问题",
    "解决", "設計", "検索", "会議", "記録", "日本語", "ノート", "リンク", "です",
};

static const struct {
    const char *const *common;
    uint32_t n_common, n_made;
} languages[LANGUAGES] = {
    [LATIN] = {english, COUNT_OF(english), MADE_WORDS},
    [CYRILLIC] = {russian, COUNT_OF(russian), MADE_WORDS / 3},
    [HAN] = {han, COUNT_OF(han), MADE_WORDS / 5},
};

/* Ten consonants, ten vowels, ten endings for each script: a word is a number. */
static const char *const letters[][3][10] = {
    [LATIN] = {{"b", "d", "f", "k", "l", "m", "n", "r", "s", "t"},
               {"a", "e", "i", "o", "u", "ai", "ea", "ou", "io", "y"},
               {"", "n", "r", "s", "t", "l", "ng", "st", "ck", "nd"}},
    [CYRILLIC] = {{"б", "в", "г", "д", "к", "л", "м", "н", "р", "т"},
                  {"а", "е", "и", "о", "у", "ы", "я", "ю", "ай", "ой"},
                  {"", "н", "р", "с", "т", "л", "м", "ть", "ст", "к"}},
};

uint32_t words_common(enum language l)
{
    return languages[l].n_common;
}

uint32_t words_count(enum language l)
{
    return languages[l].n_common + languages[l].n_made;
}

/* The syllables that number spells, and one of the endings. */
static void add_spelled(struct sbuf *b, const char *const (*set)[10], uint32_t number,
                        int syllables)
{
    for (int i = 0; i < syllables; i++, number /= 100) {
        sbuf_add(b, str_c(set[0][number % 10]));
        sbuf_add(b, str_c(set[1][number / 10 % 10]));
    }
    sbuf_add(b, str_c(set[2][number % 10]));
}

/* A word nobody has heard: the more common, the shorter. Multiplying by a number that
 * shares no factor with ten shuffles them without making two the same. */
static void add_made(struct sbuf *b, const char *const (*set)[10], uint32_t n)
{
    if (n < 3000)
        add_spelled(b, set, n * 7919 % 100000, 2);
    else
        add_spelled(b, set, (uint32_t)((uint64_t)n * 1299709 % 10000000), 3);
}

/* Two characters. Every fifth of the common block is in use, and 楼 is not. */
static void add_made_han(struct sbuf *b, uint32_t n)
{
    enum { FIRST = 0x4E00, CHARACTERS = 3500 };
    char bytes[4];
    uint32_t left = FIRST + n * 7 % CHARACTERS * 5;
    uint32_t right = FIRST + (n * 31 + n / CHARACTERS) % CHARACTERS * 5;
    sbuf_add(b, (str){bytes, utf8_encode(left, bytes)});
    sbuf_add(b, (str){bytes, utf8_encode(right, bytes)});
}

void add_word(struct sbuf *b, enum language l, uint32_t rank)
{
    if (rank < languages[l].n_common)
        sbuf_add(b, str_c(languages[l].common[rank]));
    else if (l == HAN)
        add_made_han(b, rank - languages[l].n_common);
    else
        add_made(b, letters[l], rank - languages[l].n_common);
}

/* Latin letters only: the other scripts begin their notes as they like. */
void add_capitalized(struct sbuf *b, enum language l, uint32_t rank)
{
    size_t at = b->n;
    add_word(b, l, rank);
    if (b->p[at] >= 'a' && b->p[at] <= 'z')
        b->p[at] -= 'a' - 'A';
}

void add_name(struct sbuf *b, uint32_t rank)
{
    static const char *const given[] = {"Mara", "Ivo",  "Lena", "Tomas", "Ada",  "Noor",
                                        "Piet", "Sami", "Olga", "Hiro",  "June", "Karl",
                                        "Bea",  "Amir", "Rosa", "Finn",  "Yuki"};
    static const char *const endings[] = {"sen",  "berg", "ini",  "ova", "mann",
                                          "ston", "ley",  "quet", "ski", "aker"};
    sbuf_add(b, str_c(given[rank % COUNT_OF(given)]));
    sbuf_char(b, ' ');
    add_capitalized(b, LATIN, words_common(LATIN) + rank / 10);
    sbuf_add(b, str_c(endings[rank % 10]));
}

void add_date(struct sbuf *b, uint32_t day)
{
    enum { FIRST_YEAR = 2015, MONTH = 28, YEAR = 12 * MONTH };
    sbuf_printf(b, "%u-%02u-%02u", FIRST_YEAR + day / YEAR, day / MONTH % 12 + 1,
                day % MONTH + 1);
}
