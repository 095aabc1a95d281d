/* What the index knows about texts and tokens without reading everything. */
#include "base/sbuf.h"
#include "base/utf8.h"
#include "check.h"
#include "vault/index/words.h"
#include "vault/index/words_split.h"
#include "vault/text/needles.h"
#include "vault/text/textscan.h"

enum { NOTES = 40, ROUNDS = 300 };

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525 + 1013904223;
    return *seed >> 8;
}

/* Everything that makes a difference between words and letters. */
static str random_text(struct arena *a, uint32_t *seed, size_t pieces)
{
    static const char *const some[] = {
        "ab",     "B",      "skip",   "Kiss",   "7",
        "42",     "a",      "b7",     " ",      " ",
        " ",      "\n",     "-",      "'",      "_",
        ".",      "\u017F", "\u212A", "\u0416", "\u00E9",
        "e",      "\u0301", "\u65E5", "\u672C", "E-a",
        "e'A",    "++",     "#",      "\u00AD", "\xFF",
        "\xC3",   "\t",     "=",      "\u00DF", "\u0438",
        "\u0418", "\u0306", "\u0439", "\u0451", "\u0435\u0308",
        "\u03C3", "\u03C2", "\u03A3", "\u05D0", "\u05D1",
        "\u304B", "\u3099", "\u304C", "\u1100", "\u1161",
        "\u11A8", "\uAC00", "\u8A9E",
    };
    struct sbuf b = SBUF_ON(a);
    for (size_t i = 0; i < pieces; i++)
        sbuf_add(&b, str_c(some[next_random(seed) % COUNT_OF(some)]));
    if (next_random(seed) % 8 == 0) /* a word that is cut */
        for (int i = 0; i < 70; i++)
            sbuf_char(&b, i % 9 == 0 ? 'k' : 'x');
    sbuf_add(&b, STR("tail"));
    return sbuf_str(&b);
}

static void check_holders(struct arena *a, const struct words *w, const str *notes,
                          str text)
{
    struct words_set set;
    struct textscan *scan;
    struct err err = {0};
    if (!words_may_hold(w, a, &text, 1, &set) || !textscan_create(text, &scan, &err))
        return;
    for (uint32_t i = 0; i < NOTES; i++)
        if (textscan_in(scan, notes[i]) && !words_set_has(&set, i))
            fail_msg("'" STR_FMT "' is in '" STR_FMT "'", STR_ARG(text),
                     STR_ARG(notes[i]));
    textscan_free(scan);
}

/* A note that contains the text is never omitted, whatever both consist of. */
static void test_never_too_few(void **state)
{
    uint32_t seed = 1;
    for (int round = 0; round < ROUNDS; round++) {
        struct arena a = {0};
        struct words *w = words_create();
        str notes[NOTES];
        for (uint32_t i = 0; i < NOTES; i++) {
            notes[i] = random_text(&a, &seed, 30);
            words_add(w, &(struct words_doc){.id = i, .fields[WORDS_BODY] = notes[i]});
        }
        for (int k = 0; k < 40; k++) {
            str from = notes[next_random(&seed) % NOTES];
            size_t at = next_random(&seed) % from.n;
            check_holders(&a, w, notes,
                          str_slice(from, at, at + 1 + next_random(&seed) % 9));
        }
        words_free(w);
        arena_release(&a);
    }
}

/* Whatever a search takes for the same letter is the same letter in words. */
static void test_every_letter(void **state)
{
    (void)state;
    enum { LAST = 0x1FFFF };
    struct arena a = {0};
    size_t tried = 0;
    for (uint32_t c = 0x80; c <= LAST; c++) {
        char own[4];
        struct textscan *scan;
        struct err err;
        if (c >= 0xD800 && c <= 0xDFFF)
            continue;
        str letter = {own, utf8_encode(c, own)}, folded = utf8_fold(&a, letter);
        if (str_eq(folded, letter)) /* only those with another form */
            continue;
        str text = arena_printf(&a, "ab" STR_FMT "ab", STR_ARG(letter));
        str other = arena_printf(&a, "ab" STR_FMT "ab", STR_ARG(folded));
        struct words *w = words_create();
        words_add(w, &(struct words_doc){.id = 0, .fields[WORDS_BODY] = text});
        words_add(w, &(struct words_doc){.id = 1, .fields[WORDS_BODY] = other});
        for (int i = 0; i < 2; i++) {
            struct words_set set;
            str needle = i == 0 ? text : other;
            assert_true(textscan_create(needle, &scan, &err));
            bool same = textscan_in(scan, i == 0 ? other : text);
            if (words_may_hold(w, &a, &needle, 1, &set) && same &&
                !(words_set_has(&set, 0) && words_set_has(&set, 1)))
                fail_msg("U+%04X", c);
            tried += same;
            textscan_free(scan);
        }
        words_free(w);
        arena_reset(&a);
    }
    CHECK("many", tried > 2000);
    arena_release(&a);
}

static void test_few_enough(void **state)
{
    static const struct {
        const char *text, *ids; /* NULL: cannot tell */
    } cases[] = {
        {"boiler", "01"},
        {"OILE", "01"},
        {"old boiler", "0"},
        {"boiler, o", "01"},
        {"2024-05", "2"},
        {"nowhere", ""},
        {"x", NULL},
        {"", NULL},
        {"\u65E5", NULL},
        {"caf\u00E9", "3"},
        {"...", NULL},
        {"\u65E5\u672C", "5"},
        {"\u672C\u65E5", ""},
        {"\u0417\u0412\u0401\u0417\u0414", "4"},
        {"\u0432\u0435\u0437\u0434\u0438", "4"},
        {"\u0432\u0434", ""},
    };
    static const char *const notes[] = {"An old Boiler",
                                        "boilers, our own",
                                        "on 2024-05-17",
                                        "un cafe\u0301, caf\u00E9",
                                        "\u0437\u0432\u0435\u0437\u0434\u0438\u0306",
                                        "\u65E5\u672C\u8A9E"};
    struct words *w = words_create();
    for (uint32_t i = 0; i < COUNT_OF(notes); i++)
        words_add(w, &(struct words_doc){.id = i, .fields[WORDS_BODY] = str_c(notes[i])});
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct words_set set;
        struct sbuf b = SBUF_ON(*state);
        str text = str_c(cases[i].text);
        bool known = words_may_hold(w, *state, &text, 1, &set);
        CHECK_INT(cases[i].text, known, cases[i].ids != NULL);
        for (uint32_t id = 0; known && id < COUNT_OF(notes) + 2; id++)
            if (words_set_has(&set, id))
                sbuf_printf(&b, "%u", id);
        CHECK_STR(cases[i].text, sbuf_str(&b), known ? cases[i].ids : "");
    }
    words_free(w);
}

/* --- tokens --- */

struct seen {
    const str *words;
    size_t n;
    struct sbuf out;
};

static bool see(void *arg, const struct words_token *t)
{
    struct seen *s = arg;
    for (size_t i = 0; i < s->n; i++)
        if (str_starts(t->text, s->words[i]))
            sbuf_printf(&s->out, STR_FMT "@%zu-%zu ", STR_ARG(t->text), t->start, t->end);
    return true;
}

static str seen_in(struct arena *a, str text, const str *words, size_t n, bool some)
{
    struct seen s = {words, n, SBUF_ON(a)};
    struct words_tokens to = {.fn = see, .arg = &s};
    if (some)
        assert_true(words_tokenize_some(text, needles_create(a, words, n, true), &to));
    else
        assert_true(words_tokenize(text, &to));
    return sbuf_str(&s.out);
}

/* All wanted tokens are found, in order, with their positions. */
static void test_some_tokens(void **state)
{
    static const str wanted[] = {STR("ab"),   STR("skip"), STR("b7"),   STR("ssab"),
                                 STR("tail"), STR("b++"),  STR("kiss"), STR("ea")};
    uint32_t seed = 1;
    for (int round = 0; round < ROUNDS * 10; round++) {
        struct arena a = {0};
        str text = random_text(&a, &seed, 40);
        size_t first = next_random(&seed) % COUNT_OF(wanted);
        size_t n = 1 + next_random(&seed) % (COUNT_OF(wanted) - first);
        str want = seen_in(&a, text, wanted + first, n, false);
        str got = seen_in(&a, text, wanted + first, n, true);
        if (!str_eq(want, got))
            fail_msg("'" STR_FMT "': got " STR_FMT ", want " STR_FMT, STR_ARG(text),
                     STR_ARG(got), STR_ARG(want));
        arena_release(&a);
    }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_never_too_few), ARENA_TEST(test_few_enough),
        cmocka_unit_test(test_every_letter), ARENA_TEST(test_some_tokens)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
