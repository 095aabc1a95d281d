/* Hits of several vaults in one list: their order, pages, and vaults that were left out. */
#include "app/answers/multi_vault_hits.h"

#include "app/answers/model_text.h"
#include "app/answers/term.h"
#include "check.h"
#include "vault/index/file.h"

static struct file files[] = {{.path = STR("A.md")},
                              {.path = STR("B.md")},
                              {.path = STR("C.md"), .text = STR("x <!-- secret -->\n")}};

static struct search_hit found[] = {
    {.file = &files[0],
     .where = SEARCH_CONTENT,
     .line = 3,
     .snippet = STR("one"),
     .text = STR("one")},
    {.file = &files[1], .where = SEARCH_FILENAME, .snippet = STR("B.md")},
    {.file = &files[2],
     .where = SEARCH_CONTENT,
     .line = 1,
     .snippet = STR("x"),
     .text = STR("x <!-- secret -->")},
};

static const struct search words = {.query = STR("x"), .mode = SEARCH_WORDS};

/* The first n of them were found in a vault. */
static void add(struct multi_vault_hits *x, struct arena *a, const char *vault, size_t n,
                bool any)
{
    struct hits hits = {
        .search = &words,
        .found = {.hits = found, .n = n, .mode = SEARCH_WORDS, .total = n, .files = n}};
    hits.found.any = any;
    multi_vault_add(x, a, str_c(vault), &hits);
}

/* "work/A home/A" */
static str order(struct arena *a, const struct multi_vault_hits *x)
{
    struct sbuf out = SBUF_ON(a);
    for (size_t i = 0; i < x->n; i++)
        sbuf_printf(&out, "%s" STR_FMT "/%c", i > 0 ? " " : "", STR_ARG(x->hits[i].vault),
                    x->hits[i].path.p[0]);
    return sbuf_str(&out);
}

static void test_order(void **state)
{
    static const struct {
        const char *name;
        size_t work, home, attic;
        bool work_any;
        size_t offset, limit;
        const char *order;
        bool more;
    } cases[] = {
        {"the best of each, then the second best", 2, 3, 1, false, 0, 9,
         "work/A home/A attic/A work/B home/B home/C", false},
        {"some of the words come last", 2, 1, 1, true, 0, 9,
         "home/A attic/A work/A work/B", false},
        {"the first page", 2, 2, 0, false, 0, 2, "work/A home/A", true},
        {"the second page", 2, 2, 0, false, 2, 2, "work/B home/B", false},
        {"after the end", 1, 0, 0, false, 5, 2, "", false},
        {"nothing", 0, 0, 0, false, 0, 2, "", false},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct multi_vault_hits x = {
            .search = &words, .offset = cases[i].offset, .limit = cases[i].limit};
        add(&x, *state, "work", cases[i].work, cases[i].work_any);
        add(&x, *state, "home", cases[i].home, false);
        add(&x, *state, "attic", cases[i].attic, false);
        multi_vault_merge(&x);
        CHECK_STR(cases[i].name, order(*state, &x), cases[i].order);
        CHECK_INT(cases[i].name, x.total, cases[i].work + cases[i].home + cases[i].attic);
        CHECK_INT(cases[i].name, x.vaults, 3);
        CHECK_INT(cases[i].name, x.more, cases[i].more);
    }
}

/* Two vaults, and six that were not searched. */
static struct multi_vault_hits example(struct arena *a, size_t limit)
{
    static const char *const left[] = {"c", "d", "e", "f", "g", "h"};
    struct multi_vault_hits x = {.search = &words, .limit = limit};
    add(&x, a, "work", 3, false);
    add(&x, a, "home", 1, false);
    for (size_t i = 0; i < COUNT_OF(left); i++)
        multi_vault_leave_out(&x, a, str_c(left[i]));
    multi_vault_merge(&x);
    return x;
}

static void test_json(void **state)
{
    struct arena *a = *state;
    struct multi_vault_hits x = example(a, 3);
    struct sbuf b = SBUF_ON(a);
    struct jsonw w = JSONW_ON(&b);
    multi_vault_shape.json(&(struct answer_out){&w, SIZE_MAX}, &x);
    CHECK_STR(
        "json", sbuf_str(&b),
        "{\"query\":\"x\",\"total_matches\":4,\"total_files\":4,"
        "\"vaults_searched\":2,\"results\":["
        "{\"vault\":\"work\",\"path\":\"A.md\",\"match_type\":\"content\","
        "\"snippet\":\"one\",\"line\":3},"
        "{\"vault\":\"home\",\"path\":\"A.md\",\"match_type\":\"content\","
        "\"snippet\":\"one\",\"line\":3},"
        "{\"vault\":\"work\",\"path\":\"B.md\",\"match_type\":\"filename\","
        "\"snippet\":\"B.md\",\"line\":1}],"
        "\"vaults_not_searched\":6,\"not_searched\":[\"c\",\"d\",\"e\",\"f\",\"g\"],"
        "\"truncated\":true,\"next\":{\"offset\":3}}");
}

static void test_text(void **state)
{
    struct arena *a = *state;
    struct multi_vault_hits x = example(a, 9);
    struct sbuf b = SBUF_ON(a);
    multi_vault_shape.text(&(struct model_text){&b, SIZE_MAX}, &x);
    CHECK_STR("text", sbuf_str(&b),
              "4 matches in 4 files of 2 vaults\n"
              "work: A.md\n3: one\n"
              "home: A.md\n3: one\n"
              "work: B.md (name)\n"
              "work: C.md\n1: x [people do not see this]\n"
              "[not searched: c, d, e, f, g and 1 more; name one to search it]\n");
}

static void test_term(void **state)
{
    struct arena *a = *state;
    struct multi_vault_hits x = example(a, 9);
    struct term notes = {.fd = -1, .out = SBUF_ON(a)};
    struct term t = {.fd = -1, .out = SBUF_ON(a), .notes = &notes};
    multi_vault_shape.term(&t, &x);
    CHECK_STR(
        "lines", sbuf_str(&t.out),
        "work:A.md:3:one\nhome:A.md:3:one\nwork:B.md\nwork:C.md:1:x <!-- secret -->\n");
    CHECK_STR("notes", sbuf_str(&notes.out), "not searched: c, d, e, f, g and 1 more\n");
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_order),
        ARENA_TEST(test_json),
        ARENA_TEST(test_text),
        ARENA_TEST(test_term),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
