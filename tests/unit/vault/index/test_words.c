#include "vault/index/words.h"
#include "vault/index/words_query.h"

#include <stdio.h>

#include "words_library.h"

static bool join_token(void *arg, str folded, size_t start, size_t end)
{
    struct sbuf *b = arg;
    sbuf_printf(b, "%s" STR_FMT "@%zu-%zu", b->n > 0 ? " " : "", STR_ARG(folded), start,
                end);
    return true;
}

static void test_split(void **state)
{
    static const struct {
        const char *text, *tokens;
    } cases[] = {
        {"", ""},
        {" .,!", ""},
        {"Hello, World2", "hello@0-5 world2@7-13"},
        {"e-mail", "e@0-1 mail@2-6 email@0-6"},
        {"don't stop", "don@0-3 t@4-5 dont@0-5 stop@6-10"},
        {"don\u2019t", "don@0-3 t@6-7 dont@0-7"},
        {"a_b-c d", "a@0-1 b@2-3 c@4-5 abc@0-5 d@6-7"},
        {"a--b - c", "a@0-1 b@3-4 c@7-8"},
        {"C++ c# f(x)", "c@0-1 c++@0-3 c@4-5 c#@4-6 f@7-8 x@9-10"},
        {"a+++ b#c #d", "a@0-1 b@5-6 c@7-8 d@10-11"},
        {"Stra\u00DFe \u1E9E", "strasse@0-7 ss@8-11"},
        {"\u00C9t\u00E9 e\u0301te\u0301 \u0141\u00F3d\u017A",
         "ete@0-5 ete@6-13 lodz@14-21"},
        {"\u00C6on \uFB01n \uFF21\uFF22", "aeon@0-4 fin@5-9 ab@10-16"},
        {"\u0391\u03CC\u03C2", "\u03B1\u03BF\u03C3@0-6"},
        {"\u0401\u0436 \u0438\u0306 \u0439", "\u0435\u0436@0-4 \u0439@5-9 \u0439@10-12"},
        {"co\u00ADop", "coop@0-6"},
        {"\u0130\u0131 \u0623\u0652\u0629", "ii@0-4 \u0627\u0647@5-11"},
        {"\u898B\u7A2E", "\u89C1\u79CD@0-6 \u79CD@3-6"}, /* simplified */
        {"\u0958 \u05E9\u05DD \u0663", "\u0915@0-3 \u05E9\u05DE@4-8 3@9-11"},
        {"GitHub\u043E\u043C", "github@0-6 \u043E\u043C@6-10"},
        {"\u65E5\u672C\u8A9E", "\u65E5\u672C@0-6 \u672C\u8BED@3-9 \u8BED@6-9"},
        {"\u65E5", "\u65E5@0-3"},
        {"iPhone\u624B\u673A6", "iphone@0-6 \u624B\u673A@6-12 \u673A@9-12 6@12-13"},
        {"\u65E5\u3002\u672C", "\u65E5@0-3 \u672C@6-9"},
        {"\uD55C\uAE00", "\uD55C\uAE00@0-6 \uAE00@3-6"},
        {"\u1112\u1161\u11AB", "\uD55C@0-9"}, /* letters of Hangul, one by one */
        {"\u304B\u3099\uFF76\uFF9E", "\u304C\u30AC@0-12 \u30AC@6-12"}, /* voicing marks */
        {"\u2705done \U0001F44D\U0001F3FD", "\u2705@0-3 done@3-7 \U0001F44D@8-16"},
        {"\U0001F3FD abc", "abc@5-8"}, /* a mark without its sign */
        {"\xFF"
         "a\xC3",
         "a@1-2"},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct sbuf b = SBUF_ON(*state);
        words_split(*state, str_c(cases[i].text), join_token, &b);
        CHECK_STR(cases[i].text, sbuf_str(&b), cases[i].tokens);
    }
}

static void test_long_words(void **state)
{
    char text[200];
    struct sbuf b = SBUF_ON(*state);
    memset(text, 'x', sizeof(text));
    words_split(*state, (str){text, sizeof(text)}, join_token, &b);
    str want = arena_printf(*state, "%.64s@0-200", text);
    CHECK_STR("cut", sbuf_str(&b), want);

    text[100] = '-'; /* too long to be written together */
    b.n = 0;
    words_split(*state, (str){text, sizeof(text)}, join_token, &b);
    want = arena_printf(*state, "%.64s@0-100 %.64s@101-200", text, text);
    CHECK_STR("cut twice", sbuf_str(&b), want);
}

static void test_search(void **state)
{
    struct arena *a = *state;
    struct library l = {.words = words_create()};
    put(&l, 1, "Garden", "Tomatoes need sun. The star wars began; stars fade.");
    put(&l, 2, "Daily notes", "I watered the garden and wrote an e-mail about C++.");
    put(&l, 3, "Stra\u00DFe", "Caf\u00E9 na\u00EFve. Wars of the star.");
    put(&l, 4, "\u6771\u4EAC",
        "\u6771\u4EAC\u90FD\u306F\u65E5\u672C\u306E\u9996\u90FD"
        "\u3067\u3059\u3002Python\u4EE3\u7801");
    put(&l, 5, "kyoto", "\u6771\u4EAC and \u4EAC\u90FD, email me, node.js C code");
    put(&l, 6, "\u041F\u0440\u0438\u0432\u0435\u0442",
        "\u0401\u043B\u043A\u0430 garden garden \uD559\uAD50\uC5D0\uC11C");
    static const struct {
        const char *query, *hits;
    } cases[] = {
        {"", ""},
        {"...", ""},
        {"nowhere", ""},
        {"garden", "1 6 2"}, /* title first, then two occurrences */
        {"GARDEN sun", "1"},
        {"garden nowhere", "1 6 2 ~"},
        {"tomatoes kyoto", "5 1 ~"},
        {"strasse", "3"},
        {"STRA\u00DFE", "3"},
        {"cafe", "3"},
        {"nai\u0308ve", "3"},
        {"\u0435\u043B\u043A\u0430", "6"},
        /* written together, with a hyphen, as two words */
        {"email", "2 5"},
        {"e-mail", "2 5"},
        {"c++", "2"},
        {"c", "2 5"},
        {"node.js", "5"},
        {"js.node", "5 ~"},
        /* phrases */
        {"\"star wars\"", "1"},
        {"\"wars of\" star", "3"},
        {"\"the garden and\"", "2"},
        {"\"sun the\"", "1"}, /* across punctuation */
        {"\"daily notes\"", "2"},
        {"\"cafe naive\"", "3"},
        {"\"wars the\"", "3 1 2 ~"},
        {"\"star wars", "1"},
        {"\"star wa\"*", "1"},
        /* prefixes */
        {"tomat*", "1"},
        {"star*", "1 3"},
        {"gar* wat*", "2"},
        {"zz*", ""},
        {"*", ""},
        /* exclusion */
        {"garden -sun", "6 2"},
        {"garden -\"the garden\"", "1 6"},
        {"garden -gar*", ""},
        {"-garden", "3 4 5"},
        {"garden -c++", "1 6"},
        {"star - wars", "3 1"},
        /* scripts without spaces */
        {"\u6771\u4EAC", "4 5"},
        {"\u4EAC\u90FD", "5 4"},
        {"\u6771\u4EAC\u90FD", "4"},
        {"\u90FD", "4 5"},
        {"\u9996", "4"},
        {"\u4EE3\u7801 python", "4"},
        {"\uD559\uAD50", "6"},
        {"\u65E5\u672C \u6771\u4EAC", "4"},
        {"\u65E5\u672C\u3000\u9996\u90FD", "4"},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_STR(cases[i].query, found(a, &l, cases[i].query), cases[i].hits);
    words_free(l.words);
}

/* Without the text, a phrase matches where all its words occur. */
static void test_without_text(void **state)
{
    struct library l = {.words = words_create()};
    struct words_result r;
    struct err err;
    put(&l, 1, "", "star wars");
    put(&l, 2, "", "wars of the star");
    put(&l, 3, "", "star");
    assert_true(words_search_text(l.words, *state, STR("\"star wars\""), 0, 9, NULL, NULL,
                                  &r, &err));
    assert_int_equal(r.total, 2);
    assert_int_equal(r.hits[0].id, 1);
    words_free(l.words);
}

static void test_fields(void **state)
{
    struct library l = {.words = words_create()};
    static const enum words_field order[] = {WORDS_TITLE, WORDS_ALIASES, WORDS_TAGS,
                                             WORDS_HEADINGS, WORDS_BODY};
    for (uint32_t i = 0; i < COUNT_OF(order); i++) {
        struct words_doc *doc = &l.docs[i];
        *doc = (struct words_doc){.id = i};
        doc->fields[WORDS_BODY] = STR("some words of a body");
        doc->fields[order[i]] = STR("pear tree");
        words_add(l.words, doc);
    }
    CHECK_STR("weights", found(*state, &l, "pear"), "0 1 2 3 4");
    CHECK_STR("phrase", found(*state, &l, "\"pear tree\""), "0 1 2 3 4");
    words_free(l.words);
}

/* Totals do not depend on the limit, and pages are consecutive. */
static void test_pages(void **state)
{
    struct library l = {.words = words_create()};
    for (uint32_t i = 0; i < DOCS_MAX; i++)
        put(&l, i, "", i % 3 == 0 ? "apple apple pear" : i % 3 == 1 ? "apple" : "pear");
    struct words_result all = search(*state, &l, "apple");
    assert_int_equal(all.total, 43);
    for (size_t limit = 1; limit < 50; limit += 7) {
        size_t seen = 0;
        for (struct words_result r = {.n = 1}; r.n > 0; seen += r.n) {
            struct err err;
            assert_true(words_search_text(l.words, *state, STR("apple"), seen, limit,
                                          text_of, &l, &r, &err));
            assert_int_equal(r.total, all.total);
            for (size_t i = 0; i < r.n; i++)
                assert_int_equal(r.hits[i].id, all.hits[seen + i].id);
        }
        assert_int_equal(seen, all.total);
    }
    words_free(l.words);
}

/* After any changes, the index answers like a fresh one. */
static void test_changes(void **state)
{
    static const char *const queries[] = {
        "apple",          "pear -plum",     "sta*",
        "\"apple pear\"", "\u90FD",         "\u6771\u4EAC\u90FD",
        "e-mail cafe",    "c++ nowhere",    "-the",
        "email",          "\"star the\" a", "node.js"};
    struct library l;
    uint32_t seed = 2463534242u;
    open_library(&l);
    for (size_t step = 0; step < 3000; step++) { /* enough to rewrite the lists */
        uint32_t id = next_random(&seed) % DOCS_MAX;
        if (next_random(&seed) % 4 == 0) {
            words_remove(l.words, id);
            l.docs[id].id = UINT32_MAX;
        } else {
            const char *title = random_text(*state, &seed);
            put(&l, id, title, random_text(*state, &seed));
        }
        if (step % 37 == 0)
            check_same(*state, &l, queries[next_random(&seed) % COUNT_OF(queries)]);
    }
    for (uint32_t i = 0; i < DOCS_MAX; i++)
        words_remove(l.words, i);
    assert_int_equal(words_count(l.words), 0);
    CHECK_STR("empty", found(*state, &l, "apple"), "");
    words_free(l.words);
}

static void test_replaced(void **state)
{
    struct library l = {.words = words_create()};
    put(&l, 7, "", "old words");
    put(&l, 7, "", "new words");
    CHECK_STR("old", found(*state, &l, "old"), "");
    CHECK_STR("new", found(*state, &l, "new"), "7");
    assert_int_equal(words_count(l.words), 1);
    words_remove(l.words, 8);
    words_remove(l.words, 1000000);
    assert_int_equal(words_count(l.words), 1);
    words_free(l.words);
}

/* More words than the initial size of the tables; each is found once. */
static void test_many_words(void **state)
{
    enum { MANY = 30000 };
    struct library l;
    struct sbuf b = SBUF_ON(*state);
    open_library(&l);
    for (int i = 0; i < MANY; i++)
        sbuf_printf(&b, "w%d a-rather-long-word-with-number-%d ", i, i % 1000);
    sbuf_char(&b, '\0');
    put(&l, 0, "", b.p);
    put(&l, 1, "", "w1 w2 a");
    for (int i = 0; i < MANY; i += 97) {
        const char *query = arena_printf(*state, "w%d", i).p;
        CHECK_STR(query, found(*state, &l, query), i == 1 || i == 2 ? "1 0" : "0");
    }
    words_remove(l.words, 1);
    l.docs[1].id = UINT32_MAX;
    check_same(*state, &l, "a");
    CHECK_INT("hits", search(*state, &l, "a").n, 1);
    CHECK_STR("joined", found(*state, &l, "aratherlongwordwithnumber999"), "0");
    words_free(l.words);
}

static void test_prefix_limit(void **state)
{
    struct library l = {.words = words_create()};
    struct sbuf b = SBUF_ON(*state);
    for (int i = 0; i < WORDS_PREFIX_MAX + 10; i++)
        sbuf_printf(&b, "word%d ", i);
    sbuf_char(&b, '\0');
    put(&l, 0, "", b.p);
    put(&l, 1, "", "wordsmith");
    put(&l, 2, "", "wordsmith");
    struct words_result r = search(*state, &l, "word*");
    assert_true(r.cut);
    assert_int_equal(r.total, 3); /* the most common are kept */
    assert_false(search(*state, &l, "word1*").cut);
    words_free(l.words);
}

static void test_limits(void **state)
{
    struct library l = {.words = words_create()};
    struct words_result r;
    static const struct {
        const char *piece;
        int times;
        bool ok;
    } cases[] = {
        {"a ", WORDS_TERMS_MAX, true},      {"a ", WORDS_TERMS_MAX + 1, false},
        {"a.", WORDS_PHRASE_MAX, true},     {"a.", WORDS_PHRASE_MAX + 1, false},
        {"...", WORDS_QUERY_MAX / 3, true}, {"...", WORDS_QUERY_MAX / 3 + 1, false},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct sbuf b = SBUF_ON(*state);
        struct err err = {0};
        for (int k = 0; k < cases[i].times; k++)
            sbuf_add(&b, str_c(cases[i].piece));
        CHECK_INT(cases[i].piece,
                  words_search_text(l.words, *state, sbuf_str(&b), 0, 10, text_of, &l, &r,
                                    &err),
                  cases[i].ok);
        CHECK_INT(cases[i].piece, err.code, cases[i].ok ? ERR_NONE : ERR_LIMIT);
    }
    words_free(l.words);
}

static void test_missing(void **state)
{
    struct library l = {.words = words_create()};
    put(&l, 0, "", "apple pear email");
    struct words_result r = search(*state, &l, "apple plom \"e-mail xyz\" -zzz");
    assert_true(r.any);
    assert_int_equal(r.n_missing, 4); /* no document has e or mail as a word */
    CHECK_STR("first", r.missing[0], "plom");
    assert_int_equal(search(*state, &l, "apple e-mail").n_missing, 0);
    words_free(l.words);
}

static struct words_query read_query(struct arena *a, const char *text)
{
    struct words_query q;
    struct err err = {0};
    if (!words_read_query(a, str_c(text), &q, &err))
        fail_msg("%s: %s", text, err.msg);
    return q;
}

/* "1:2 2:1": the ids, and how many words of the question they have. */
static str ranked(struct arena *a, struct library *l, const char *question)
{
    struct words_result r;
    struct words_query q = read_query(a, question);
    struct sbuf b = SBUF_ON(a);
    words_rank(l->words, a, &q, 0, DOCS_MAX, text_of, l, &r);
    for (size_t i = 0; i < r.n; i++) {
        sbuf_printf(&b, "%s%u:%u", i > 0 ? " " : "", r.hits[i].id, r.hits[i].words);
        assert_true(r.hits[i].score < r.ideal || r.words == 0);
    }
    return sbuf_str(&b);
}

/* A question: any word counts, rare ones more; what is quoted or excluded must hold. */
static void test_rank(void **state)
{
    static const struct {
        const char *question, *found;
    } cases[] = {
        {"apple quince", "0:2 1:1 2:1"},
        {"apple quince zzz", "0:2 1:1 2:1"},
        {"apple apple quince", "0:2 1:1 2:1"}, /* each counts once */
        {"plum tree -quince", "3:1"},
        {"\"quince jam\" apple", "0:1"},
        {"\"quince jam\" plum", "0:0"},
        {"qui* apple", "0:1 2:0"},
        {"the apple", "1:2 0:2"}, /* "the" counts, but finds nothing by itself */
        {"the", "1:1 3:1 4:1 5:1 6:1 7:1 8:1 9:1 10:1 11:1 2:1 0:1"},
        {"-apple", ""},
        {"\"no such phrase\" plum", "3:1"}, /* then any of them */
        {"", ""},
    };
    struct library l;
    open_library(&l);
    put(&l, 0, "", "the apple and quince jam");
    put(&l, 1, "", "the apple");
    put(&l, 2, "", "the quince apples");
    put(&l, 3, "", "the plum");
    for (uint32_t i = 4; i < 12; i++)
        put(&l, i, "", "the other");
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_STR(cases[i].question, ranked(*state, &l, cases[i].question),
                  cases[i].found);
    words_free(l.words);
}

static void test_filter(void **state)
{
    static const struct {
        const char *query;
        int passes; /* as bits; -1: all do */
    } cases[] = {
        {"apple quince", -1},  {"\"apple\" quince", 3},  {"app*", 7},
        {"apple -quince", 10}, {"\"apple\" -quince", 2}, {"\"apple pie\"", 0},
    };
    struct library l;
    open_library(&l);
    put(&l, 0, "", "apple and quince");
    put(&l, 1, "", "apple");
    put(&l, 2, "", "quince apples");
    put(&l, 3, "", "plum");
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct words_set set;
        int passes = 0;
        struct words_query q = read_query(*state, cases[i].query);
        words_filter(l.words, *state, &q, text_of, &l, &set);
        for (uint32_t id = 0; id < 4; id++)
            passes |= words_set_has(&set, id) << id;
        CHECK_INT(cases[i].query, set.bits != NULL ? passes : -1, cases[i].passes);
    }
    words_free(l.words);
}

static str suggestions(struct arena *a, struct library *l, const char *word)
{
    struct sbuf b = SBUF_ON(a);
    str *list;
    size_t n = words_suggest(l->words, a, str_c(word), 4, &list);
    for (size_t i = 0; i < n; i++)
        sbuf_printf(&b, "%s" STR_FMT, i > 0 ? " " : "", STR_ARG(list[i]));
    return sbuf_str(&b);
}

static void test_suggest(void **state)
{
    struct library l = {.words = words_create()};
    put(&l, 0, "", "garden gardens guarded harden warden the obsidian meeting");
    put(&l, 1, "", "garden the \u0432\u0441\u0442\u0440\u0435\u0447\u0430 the");
    put(&l, 2, "", "gadren");
    words_remove(l.words, 2);
    static const struct {
        const char *word, *near;
    } cases[] = {
        {"gardn", "garden gardens harden warden"},
        {"gadren", "garden gardens harden warden"}, /* the word itself is gone */
        {"garden", "gardens harden warden guarded"},
        {"Obsidan", "obsidian"},
        {"teh", "the"},
        {"tehx", ""},
        {"meetnig", "meeting"},
        {"\u0432\u0441\u0442\u0440\u0435\u0447\u0438",
         "\u0432\u0441\u0442\u0440\u0435\u0447\u0430"},
        {"\u6771\u4EAC", ""},
        {"", ""},
        {"qqqqqqq", ""},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_STR(cases[i].word, suggestions(*state, &l, cases[i].word), cases[i].near);
    words_free(l.words);
    words_free(NULL);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_split),        ARENA_TEST(test_long_words),
        ARENA_TEST(test_search),       ARENA_TEST(test_fields),
        ARENA_TEST(test_without_text), ARENA_TEST(test_pages),
        ARENA_TEST(test_changes),      ARENA_TEST(test_replaced),
        ARENA_TEST(test_many_words),   ARENA_TEST(test_prefix_limit),
        ARENA_TEST(test_limits),       ARENA_TEST(test_missing),
        ARENA_TEST(test_rank),         ARENA_TEST(test_filter),
        ARENA_TEST(test_suggest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
