/* An index of many documents at a time answers like one to which each was added. */
#include "words_library.h"

static const char *const queries[] = {"apple",
                                      "pear -plum",
                                      "sta*",
                                      "\"apple pear\"",
                                      "\u90FD",
                                      "email",
                                      "e-mail cafe",
                                      "c++ nowhere",
                                      "-the",
                                      "w7x41",
                                      "heading*",
                                      "w3x99 w3x100",
                                      "incomprehensibilities",
                                      "-incomprehensibility"};

static void check_all(struct arena *a, struct library *l)
{
    for (size_t i = 0; i < COUNT_OF(queries); i++)
        check_same(a, l, queries[i]);
}

/* A text with many words of its own, and one word many times. */
static const char *long_text(struct arena *a, uint32_t id)
{
    struct sbuf b = SBUF_ON(a);
    for (unsigned i = 0; i < 300; i++)
        sbuf_printf(&b, "w%ux%u e-mail ", id, i);
    sbuf_add(&b, id % 2 == 0 ? STR("incomprehensibilities") : STR("incomprehensibility"));
    sbuf_char(&b, '\0');
    return b.p;
}

static void fill(struct arena *a, struct library *l, struct words_bulk **parts, size_t n)
{
    uint32_t seed = 2463534242u;
    for (uint32_t id = 0; id < DOCS_MAX; id++) {
        struct words_doc *d = &l->docs[id];
        *d = (struct words_doc){.id = id};
        for (unsigned f = 0; f < WORDS_FIELDS; f++)
            if (next_random(&seed) % 2 == 0)
                d->fields[f] = str_c(random_text(a, &seed));
        if (id % 5 == 0)
            d->fields[WORDS_BODY] = str_c(long_text(a, id));
        words_bulk_add(parts[id % n], d);
    }
}

static void test_join(void **state)
{
    for (size_t n = 1; n <= 5; n += 2) {
        struct words_bulk *parts[5];
        struct library l;
        open_library(&l);
        words_free(l.words);
        for (size_t i = 0; i < n; i++)
            parts[i] = words_bulk_create();
        fill(*state, &l, parts, n);
        l.words = words_bulk_join(parts, n);
        assert_int_equal(words_count(l.words), DOCS_MAX);
        check_all(*state, &l);
        for (uint32_t id = 0; id < DOCS_MAX; id += 3)
            put(&l, id, "star", "w7x41 heading the incomprehensibilities");
        words_remove(l.words, 1);
        l.docs[1].id = UINT32_MAX;
        check_all(*state, &l);
        words_free(l.words);
    }
}

/* Of three parts only the last has a document, or none has. */
static void test_empty(void **state)
{
    for (int docs = 0; docs < 2; docs++) {
        struct words_bulk *parts[3];
        struct library l;
        open_library(&l);
        words_free(l.words);
        for (size_t i = 0; i < COUNT_OF(parts); i++)
            parts[i] = words_bulk_create();
        l.docs[9] = (struct words_doc){.id = 9, .fields[WORDS_TITLE] = STR("apple")};
        if (docs > 0)
            words_bulk_add(parts[2], &l.docs[9]);
        else
            l.docs[9].id = UINT32_MAX;
        l.words = words_bulk_join(parts, COUNT_OF(parts));
        assert_int_equal(words_count(l.words), docs);
        check_all(*state, &l);
        put(&l, 3, "apple", "e-mail");
        check_all(*state, &l);
        words_free(l.words);
    }
    words_bulk_free(NULL);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_join),
        ARENA_TEST(test_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
