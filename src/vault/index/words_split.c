#include "vault/index/words_split.h"

#include "base/utf8.h"
#include "vault/index/words.h"
#include "vault/text/variants.h"

/* For ASCII: what a letter or digit folds to; 0 ends a word. */
static const unsigned char plain[128] = {
    ['0'] = '0', ['1'] = '1', ['2'] = '2', ['3'] = '3', ['4'] = '4', ['5'] = '5',
    ['6'] = '6', ['7'] = '7', ['8'] = '8', ['9'] = '9', ['A'] = 'a', ['B'] = 'b',
    ['C'] = 'c', ['D'] = 'd', ['E'] = 'e', ['F'] = 'f', ['G'] = 'g', ['H'] = 'h',
    ['I'] = 'i', ['J'] = 'j', ['K'] = 'k', ['L'] = 'l', ['M'] = 'm', ['N'] = 'n',
    ['O'] = 'o', ['P'] = 'p', ['Q'] = 'q', ['R'] = 'r', ['S'] = 's', ['T'] = 't',
    ['U'] = 'u', ['V'] = 'v', ['W'] = 'w', ['X'] = 'x', ['Y'] = 'y', ['Z'] = 'z',
    ['a'] = 'a', ['b'] = 'b', ['c'] = 'c', ['d'] = 'd', ['e'] = 'e', ['f'] = 'f',
    ['g'] = 'g', ['h'] = 'h', ['i'] = 'i', ['j'] = 'j', ['k'] = 'k', ['l'] = 'l',
    ['m'] = 'm', ['n'] = 'n', ['o'] = 'o', ['p'] = 'p', ['q'] = 'q', ['r'] = 'r',
    ['s'] = 's', ['t'] = 't', ['u'] = 'u', ['v'] = 'v', ['w'] = 'w', ['x'] = 'x',
    ['y'] = 'y', ['z'] = 'z',
};

static unsigned char words_split_byte_at(str s, size_t i)
{
    return i < s.n ? (unsigned char)s.p[i] : 0;
}

struct words_split_range {
    uint32_t first, last;
};

static bool in_ranges(uint32_t c, const struct words_split_range *ranges, size_t n)
{
    for (size_t i = 0; i < n && c >= ranges[i].first; i++)
        if (c <= ranges[i].last)
            return true;
    return false;
}

/*
 * Marks and invisible characters that do not matter: a word is found with and without
 * them.
 */
static bool is_transparent(uint32_t c)
{
    static const struct words_split_range ranges[] = {
        {0x00AD, 0x00AD},   {0x0300, 0x036F}, {0x0483, 0x0487}, {0x0591, 0x05BD},
        {0x05BF, 0x05BF},   {0x05C1, 0x05C2}, {0x05C4, 0x05C5}, {0x05C7, 0x05C7},
        {0x0610, 0x061A},   {0x0640, 0x0640}, {0x064B, 0x065F}, {0x0670, 0x0670},
        {0x06D6, 0x06DC},   {0x06DF, 0x06E4}, {0x06E7, 0x06E8}, {0x06EA, 0x06ED},
        {0x093C, 0x093C},   {0x200C, 0x200D}, {0x2060, 0x2060}, {0x20D0, 0x20F0},
        {0xFE00, 0xFE0F},   {0xFE20, 0xFE2F}, {0xFEFF, 0xFEFF}, {0x1F3FB, 0x1F3FF},
        {0xE0100, 0xE01EF},
    };
    bool none = c >= 0x3000 && c < 0xFE00; /* Han and others */
    return !none && in_ranges(c, ranges, COUNT_OF(ranges));
}

static bool is_han(uint32_t c)
{
    return c >= 0x4E00 && c <= 0x9FFF;
}

static bool is_cjk(uint32_t c)
{
    return is_han(c) || utf8_is_cjk(c);
}

static bool is_symbol(uint32_t c)
{
    return (c >= 0x2190 && c < 0x2C00) || (c >= 0x1F000 && c < 0x1FC00);
}

static size_t skip_transparent(str s, size_t i)
{
    size_t n;
    while (i < s.n && (unsigned char)s.p[i] >= 0x80 &&
           is_transparent(utf8_decode(str_skip(s, i), &n)))
        i += n;
    return i;
}

/* The script of a letter. A change of script splits a word; 0 goes with all scripts. */
static int script_of(uint32_t c)
{
    if (c < 0x80)
        return c >= 'a' ? 1 : 0;
    if (c < 0x0250 || (c >= 0x1E00 && c < 0x1F00))
        return 1;
    if (c >= 0x0370 && c < 0x0400)
        return 2;
    return c >= 0x0400 && c < 0x0530 ? 3 : 0;
}

int words_script(str word)
{
    int script = 0;
    for (size_t i = 0, n; i < word.n && script == 0; i += n)
        script = script_of(utf8_decode(str_skip(word, i), &n));
    return script;
}

/* What a letter that is indexed as several letters becomes; NULL for others. */
static const char *expansion_of(uint32_t c)
{
    static const char *const ligatures[] = {"ff", "fi", "fl", "ffi", "ffl", "st", "st"};
    if (c >= 0xFB00 && c <= 0xFB06)
        return ligatures[c - 0xFB00];
    switch (c) {
    case 0x00DF:
        return "ss";
    case 0x00E6:
        return "ae";
    case 0x0133:
        return "ij";
    case 0x0153:
        return "oe";
    default:
        return NULL;
    }
}

/* The Cyrillic letter that a letter and a mark compose; otherwise 0. */
static uint32_t cyrillic_with(uint32_t letter, uint32_t mark)
{
    if (mark == 0x0306 && letter == 0x0438)
        return 0x0439; /* й */
    if (mark == 0x0306 && letter == 0x0443)
        return 0x045E;                                      /* ў */
    return mark == 0x0308 && letter == 0x0456 ? 0x0457 : 0; /* ї */
}

/* A word that is being read: at most WORDS_TOKEN_MAX bytes of whole characters. */
struct growing {
    char *text;
    size_t n;
    size_t last; /* the start of its last character */
    uint32_t letter;
    int script;
    bool cut;
};

static void words_split_grow(struct growing *g, str more)
{
    g->last = g->n;
    if (g->cut || g->n + more.n > WORDS_TOKEN_MAX) {
        g->cut = true;
        return;
    }
    for (size_t i = 0; i < more.n; i++)
        g->text[g->n + i] = more.p[i];
    g->n += more.n;
}

static void grow_char(struct growing *g, uint32_t folded)
{
    char bytes[4];
    g->letter = folded;
    if (folded < 0x80) {
        bytes[0] = (char)folded;
        words_split_grow(g, (str){bytes, 1});
        return;
    }
    const char *two = expansion_of(folded);
    words_split_grow(g,
                     two != NULL ? str_c(two) : (str){bytes, utf8_encode(folded, bytes)});
}

/* Apply a mark to the last letter: it is ignored, or makes another letter. */
static void grow_mark(struct growing *g, uint32_t mark)
{
    uint32_t other = cyrillic_with(g->letter, mark);
    if (other == 0 || g->cut)
        return;
    g->n = g->last;
    grow_char(g, other);
}

/*
 * What the most common two-byte letters fold to; 0: use utf8_fold_char(). These are
 * letters from U+00C0 to U+00FF that fold to one ASCII letter, and Cyrillic from А to я.
 */
static uint32_t fold_quickly(str s, size_t at)
{
    static const char latin[] = "aaaaaa\0ceeeeiiii\0nooooo\0\0uuuuy\0\0"
                                "aaaaaa\0ceeeeiiii\0nooooo\0\0uuuuy\0y";
    unsigned lead = words_split_byte_at(s, at), second = words_split_byte_at(s, at + 1);
    if ((second & 0xC0) != 0x80)
        return 0;
    if (lead == 0xC3)
        return (unsigned char)latin[second & 0x3F];
    uint32_t c = (lead & 0x1F) << 6 | (second & 0x3F);
    if ((lead & 0xFE) != 0xD0 || c < 0x0410 || c > 0x044F)
        return 0;
    return c < 0x0430 ? c + 0x20 : c;
}

/* Append a letter or digit to the word; false if it has another script. */
static bool grow_letter(struct growing *g, uint32_t folded, int script)
{
    if (script != 0 && g->script != 0 && script != g->script)
        return false;
    if (script != 0)
        g->script = script;
    grow_char(g, folded);
    return true;
}

/* The same for a letter from fold_quickly() or the ASCII table. */
static inline bool grow_quickly(struct growing *g, uint32_t folded)
{
    int script = folded >= 0x80 ? 3 : folded >= 'a' ? 1 : 0;
    size_t n = folded >= 0x80 ? 2 : 1;
    if (script != 0 && g->script != 0 && script != g->script)
        return false;
    g->script = script != 0 ? script : g->script;
    g->letter = folded;
    g->last = g->n;
    g->cut = g->cut || g->n + n > WORDS_TOKEN_MAX;
    if (g->cut)
        return true;
    g->text[g->n] = (char)(n == 2 ? 0xC0 | folded >> 6 : folded);
    if (n == 2)
        g->text[g->n + 1] = (char)(0x80 | (folded & 0x3F));
    g->n += n;
    return true;
}

/*
 * Read the rest of a word from at, including characters that are not ASCII. Returns its
 * end.
 */
static size_t lex_mixed(str source, size_t at, struct growing *g)
{
    while (at < source.n) {
        unsigned char byte = (unsigned char)source.p[at];
        size_t n = byte < 0x80 ? 1 : 2;
        uint32_t quick = byte < 0x80 ? plain[byte] : fold_quickly(source, at);
        if (quick != 0) {
            if (!grow_quickly(g, quick))
                break;
            at += n;
            continue;
        }
        if (byte < 0x80)
            break;
        uint32_t c = utf8_decode(str_skip(source, at), &n);
        if (is_transparent(c)) {
            grow_mark(g, c);
            at += n;
            continue;
        }
        if (!utf8_is_word(c) || is_cjk(c))
            break;
        uint32_t folded = variant_of(utf8_fold_char(c));
        int script = expansion_of(folded) != NULL ? 1 : script_of(folded);
        if (!grow_letter(g, folded, script))
            break;
        at += n;
    }
    return at;
}

static size_t lex_word(struct words_lexer *lexer, size_t at, size_t *length)
{
    str s = lexer->source;
    size_t n = 0;
    for (unsigned char c; at < s.n && (c = (unsigned char)s.p[at]) < 0x80; at++) {
        unsigned char folded = plain[c];
        if (folded == 0)
            break;
        if (n < WORDS_TOKEN_MAX)
            lexer->folded[n++] = (char)folded;
    }
    *length = n;
    if (words_split_byte_at(s, at) < 0x80)
        return at;
    struct growing g = {lexer->folded, n, .last = n, .cut = n == WORDS_TOKEN_MAX};
    g.script = words_script((str){lexer->folded, n});
    at = lex_mixed(s, at, &g);
    *length = g.n;
    return at;
}

/* The letter that a kana and a voicing mark compose; 0 if they do not. */
static uint32_t voiced(uint32_t kana, uint32_t mark)
{
    uint32_t k = kana >= 0x30A0 ? kana - 0x60 : kana; /* as Hiragana */
    if (mark != 0x3099 && mark != 0x309A)
        return 0;
    if (k == 0x3046 && mark == 0x3099)
        return kana + 0x4E; /* う, ウ */
    if (k >= 0x306F && k <= 0x307B && (k - 0x306F) % 3 == 0)
        return kana + (mark - 0x3098);
    return k >= 0x304B && k <= 0x3068 && mark == 0x3099 ? kana + 1 : 0;
}

/* Compose a syllable from single Hangul letters; returns their end. */
static size_t hangul(str s, size_t at, uint32_t *c)
{
    size_t n;
    if (*c < 0x1100 || *c > 0x1112 || at >= s.n)
        return at;
    uint32_t vowel = utf8_decode(str_skip(s, at), &n);
    if (vowel < 0x1161 || vowel > 0x1175)
        return at;
    *c = 0xAC00 + ((*c - 0x1100) * 21 + (vowel - 0x1161)) * 28;
    at += n;
    uint32_t tail = at < s.n ? utf8_decode(str_skip(s, at), &n) : 0;
    if (tail < 0x11A8 || tail > 0x11C2)
        return at;
    *c += tail - 0x11A7;
    return at + n;
}

/* Whether next cannot begin a mark: ASCII, the end, or another Han character. */
static bool is_unmarked(unsigned char next)
{
    return next < 0x80 || (next >= 0xE4 && next <= 0xE9);
}

static size_t words_split_lex_sign(struct words_lexer *lexer, size_t at, uint32_t c,
                                   size_t *length)
{
    str s = lexer->source;
    size_t n;
    if (is_han(c) && is_unmarked(words_split_byte_at(s, at))) {
        *length = utf8_encode(variant_of_han(c), lexer->folded);
        return at;
    }
    c = variant_of(utf8_fold_char(c));
    at = hangul(s, at, &c);
    if (at < s.n && (unsigned char)s.p[at] >= 0x80) {
        uint32_t mark = utf8_fold_char(utf8_decode(str_skip(s, at), &n));
        uint32_t both = voiced(c, mark);
        c = both != 0 ? both : c;
        at += both != 0 ? n : 0;
    }
    *length = utf8_encode(c, lexer->folded);
    return skip_transparent(s, at);
}

static enum words_glue glue_of(str s, size_t from, size_t to)
{
    if (from == to)
        return WORDS_ADJACENT;
    if (from > to) /* there is no atom before it */
        return WORDS_APART;
    if (to - from == 1) {
        char c = s.p[from];
        return c == '-' || c == '\'' || c == '_' ? WORDS_HYPHEN : WORDS_APART;
    }
    if (to - from != 3)
        return WORDS_APART;
    str gap = str_slice(s, from, to);
    bool hyphen = str_eq(gap, STR("\u2010")) || str_eq(gap, STR("\u2011")) ||
                  str_eq(gap, STR("\u2019"));
    return hyphen ? WORDS_HYPHEN : WORDS_APART;
}

size_t words_extra(str s, size_t end, size_t length)
{
    unsigned char c = words_split_byte_at(s, end);
    if (c == '+' && words_split_byte_at(s, end + 1) == '+') {
        unsigned char next = words_split_byte_at(s, end + 2);
        return next == '+' || (next < 0x80 && plain[next] != 0) ? 0 : 2;
    }
    if (c != '#' || length != 1)
        return 0;
    unsigned char next = words_split_byte_at(s, end + 1);
    return next == '#' || next == '^' || next >= 0x80 || plain[next] != 0 ? 0 : 1;
}

/*
 * The character at at, which is not ASCII; 0 if no atom begins with it. *n is its length.
 */
static uint32_t begins(str s, size_t at, struct words_atom *out, size_t *n)
{
    uint32_t quick = fold_quickly(s, at);
    if (quick != 0)
        return quick;
    uint32_t c = utf8_decode(str_skip(s, at), n);
    out->cjk = is_cjk(c);
    out->sign = out->cjk || is_symbol(c);
    return (out->sign || utf8_is_word(c)) && !is_transparent(c) ? c : 0;
}

bool words_lex(struct words_lexer *lexer, struct words_atom *out)
{
    str s = lexer->source;
    size_t at = lexer->at, n = 0;
    uint32_t c = 0;
    for (; at < s.n; at += n) {
        unsigned char byte = (unsigned char)s.p[at];
        out->sign = out->cjk = false;
        n = 1;
        c = byte < 0x80 ? plain[byte] : begins(s, at, out, &n);
        if (c != 0)
            break;
    }
    lexer->at = at;
    if (at >= s.n)
        return false;
    out->start = at;
    out->glue = glue_of(s, lexer->last_end, at);
    at = out->sign ? words_split_lex_sign(lexer, at + n, c, &n) : lex_word(lexer, at, &n);
    out->text = (str){lexer->folded, n};
    out->end = at;
    unsigned char next = words_split_byte_at(s, at);
    bool may_go_on = !out->sign && (next == '+' || next == '#');
    out->extra = may_go_on ? (uint8_t)words_extra(s, at, n) : 0;
    lexer->last_end = at;
    lexer->at = at;
    return true;
}
