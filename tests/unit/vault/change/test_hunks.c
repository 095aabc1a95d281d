#include "vault/change/hunks.h"

#include "base/sbuf.h"
#include "check.h"

static struct proposal_op write_op(const char *path, const char *base, const char *text)
{
    return (struct proposal_op){
        .op = {.kind = JOURNAL_WRITE,
               .path = str_c(path),
               .text = str_c(text),
               .expects = base != NULL ? CHANGE_SAME : CHANGE_NEW},
        .base = base != NULL ? str_c(base) : STR("")};
}

/* A note with three hunks, a new one, one that goes. */
static struct proposal proposed(struct arena *a)
{
    struct proposal p = {.ops = ARENA_ARRAY(a, struct proposal_op, 3), .n = 3};
    p.ops[0] = write_op("a.md", "a\nb\nc\nd\ne\n", "A\nb\nc\nx\nd\n");
    p.ops[1] = write_op("new.md", NULL, "one\ntwo\n");
    p.ops[2] = write_op("old.md", "gone\n", "");
    p.ops[2].op.kind = JOURNAL_DELETE;
    return p;
}

static void test_numbers(void **state)
{
    struct hunks h;
    struct proposal p = proposed(*state);
    hunks_list(*state, &p, &h);
    CHECK_INT("files", h.n, 3);
    CHECK_INT("hunks", h.n_hunks, 5);
    CHECK("by file", h.by_file);
    CHECK("first", h.files[0].n == 3 && !h.files[0].whole && h.files[0].first == 0);
    CHECK("new", h.files[1].n == 1 && h.files[1].whole && h.files[1].first == 3);
    CHECK("gone", h.files[2].n == 1 && h.files[2].whole && h.files[2].first == 4);
}

/* What a form or a command line may say, and what it comes to. */
static void test_choices(void **state)
{
    static const struct {
        const char *text, *printed; /* printed NULL: refused */
    } cases[] = {
        {"all", "all"},
        {"none", "none"},
        {"", NULL},
        {"1,2,3", "all"},
        {"1.1-3,2,3", "all"},
        {"1.2", "1.2"},
        {"1.1,1.2", "1.1-2"},
        {"1.1,1.3", "1.1,1.3"},
        {"1.3,1.3,1.1", "1.1,1.3"},
        {"2.1", "2"},
        {"3,1.2", "1.2,3"},
        {"0", NULL},
        {"4", NULL},
        {"1.0", NULL},
        {"1.4", NULL},
        {"1.2-1", NULL},
        {"1.2-9", NULL},
        {"1.1-", NULL},
        {"2.2", NULL},
        {"1.", NULL},
        {".1", NULL},
        {"-1", NULL},
        {"1 ", NULL},
        {"1;2", NULL},
        {"1,,2", NULL},
        {"1.1x", NULL},
        {"99999999999999999999", NULL},
        {"1.99999999999999999999", NULL},
        {"a.md", NULL},
        {"ALL", NULL},
    };
    struct hunks h;
    struct proposal p = proposed(*state);
    hunks_list(*state, &p, &h);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct hunk_choice c;
        struct err err = {0};
        bool ok = hunks_choose(*state, &h, str_c(cases[i].text), &c, &err);
        CHECK_INT(cases[i].text, ok, cases[i].printed != NULL);
        if (ok)
            CHECK_STR(cases[i].text, hunks_print(*state, &h, &c), cases[i].printed);
        else
            CHECK_INT(cases[i].text, err.code, ERR_INVALID);
    }
}

/* Without hunks, it is still accepted or rejected. */
static void test_only_folders(void **state)
{
    struct hunks h;
    struct hunk_choice c;
    struct err err = {0};
    struct proposal_op op = {.op = {.kind = JOURNAL_REMOVE_FOLDER, .path = STR("Old")}};
    struct proposal p = {.ops = &op, .n = 1};
    hunks_list(*state, &p, &h);
    CHECK_INT("hunks", h.n_hunks, 0);
    assert_true(hunks_choose(*state, &h, STR("all"), &c, &err));
    CHECK_STR("all", hunks_print(*state, &h, &c), "all");
    assert_true(hunks_choose(*state, &h, STR("none"), &c, &err));
    CHECK("none", c.none);
    CHECK_STR("none", hunks_print(*state, &h, &c), "none");
}

static void test_too_many(void **state)
{
    struct hunks h;
    struct hunk_choice c;
    struct sbuf text = SBUF_ON(*state);
    struct err err = {0};
    struct proposal p = proposed(*state);
    hunks_list(*state, &p, &h);
    for (int i = 0; i <= HUNKS_CHOICE_MAX; i++)
        sbuf_add(&text, STR("1.1,"));
    CHECK("refused", !hunks_choose(*state, &h, sbuf_str(&text), &c, &err));
    CHECK_INT("limit", err.code, ERR_LIMIT);
}

/* What moves is accepted as a whole. */
static void test_whole(void **state)
{
    struct hunks h;
    struct hunk_choice c;
    struct err err = {0};
    struct proposal p = proposed(*state);
    str path = STR("a.md");
    p.ops[1] = (struct proposal_op){
        .op = {.kind = JOURNAL_MOVE, .path = STR("x"), .to = STR("y")}};
    p.ops[2] =
        (struct proposal_op){.op = {.kind = JOURNAL_MAKE_FOLDER, .path = STR("y")}};
    hunks_list(*state, &p, &h);
    CHECK("no parts", !h.by_file && h.n == 2);
    CHECK("a part", !hunks_choose(*state, &h, STR("1"), &c, &err));
    CHECK("a file", !hunks_choose_paths(*state, &h, &path, 1, &c, &err));
    CHECK("all", hunks_choose(*state, &h, STR("all"), &c, &err));
    CHECK("its parts", hunks_choose(*state, &h, STR("1,2"), &c, &err));
}

static void test_apply(void **state)
{
    static const struct {
        const char *base, *text, *choice, *result;
    } cases[] = {
        {"a\nb\nc\nd\ne\n", "A\nb\nc\nx\nd\n", "1.1", "A\nb\nc\nd\ne\n"},
        {"a\nb\nc\nd\ne\n", "A\nb\nc\nx\nd\n", "1.2", "a\nb\nc\nx\nd\ne\n"},
        {"a\nb\nc\nd\ne\n", "A\nb\nc\nx\nd\n", "1.3", "a\nb\nc\nd\n"},
        {"a\nb\nc\nd\ne\n", "A\nb\nc\nx\nd\n", "1.1,1.3", "A\nb\nc\nd\n"},
        {"a\nx\nb", "A\nx\nb\nc", "1.1", "A\nx\nb"},
        {"a\nx\nb", "A\nx\nb\nc", "1.2", "a\nx\nb\nc"},
        {"a\r\nb\r\nc", "A\r\nb\r\nC", "1.2", "a\r\nb\r\nC"},
        {"a\rb\rc", "A\rb\rC", "all", "A\rb\rC"},
        {"", "x\n", "1.1", "x\n"},
        {"x\n", "", "1.1", ""},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct hunks h;
        struct hunk_choice c;
        struct err err = {0};
        str bytes = {0};
        struct proposal_op op = write_op("a.md", cases[i].base, cases[i].text);
        struct proposal p = {.ops = &op, .n = 1};
        hunks_list(*state, &p, &h);
        if (!hunks_choose(*state, &h, str_c(cases[i].choice), &c, &err) ||
            !hunks_apply(*state, &h.files[0], &c, &bytes, &err))
            fail_msg("%zu: %s", i, err.msg);
        CHECK_STR(cases[i].choice, bytes, cases[i].result);
    }
}

/* In whatever order hunks are accepted, one after the other or together, the text is the
 * same; all of them are the proposal. */
static void test_any_choice(void **state)
{
    enum { TEXTS = 200, LINES = 12 };
    uint32_t seed = 7;
    for (int t = 0; t < TEXTS; t++) {
        struct sbuf base = SBUF_ON(*state), text = SBUF_ON(*state);
        for (int i = 0; i < LINES; i++) {
            seed = seed * 1664525U + 1013904223U;
            unsigned r = seed >> 24;
            if (r % 5 != 0)
                sbuf_printf(&base, "%u%s", r % 4, i == LINES - 1 && r & 64 ? "" : "\n");
            if (r % 7 != 0)
                sbuf_printf(&text, "%u%s", r % 3 == 0 ? 9 : r % 4,
                            i == LINES - 1 && r & 32 ? "" : "\n");
        }
        struct proposal_op op = {.op = {.kind = JOURNAL_WRITE,
                                        .path = STR("a.md"),
                                        .text = sbuf_str(&text),
                                        .expects = CHANGE_SAME},
                                 .base = sbuf_str(&base)};
        struct proposal p = {.ops = &op, .n = 1};
        struct hunks h;
        hunks_list(*state, &p, &h);
        for (size_t bits = 0; bits < 1U << (h.n_hunks < 6 ? h.n_hunks : 6); bits++) {
            struct hunk_choice c;
            struct err err = {0};
            str some = {0}, rest = {0};
            hunks_choose_all(*state, &h, &c);
            for (size_t i = 0; i < h.n_hunks; i++)
                c.taken[i] = (bits >> i) & 1;
            if (!hunks_apply(*state, &h.files[0], &c, &some, &err))
                fail_msg("%s", err.msg);
            struct proposal_op left = {.op = {.kind = JOURNAL_WRITE,
                                              .path = STR("a.md"),
                                              .text = sbuf_str(&text),
                                              .expects = CHANGE_SAME},
                                       .base = some};
            struct proposal second = {.ops = &left, .n = 1};
            struct hunks others;
            hunks_list(*state, &second, &others);
            hunks_choose_all(*state, &others, &c);
            if (!hunks_apply(*state, &others.files[0], &c, &rest, &err))
                fail_msg("%s", err.msg);
            CHECK("the rest", str_eq(rest, sbuf_str(&text)));
        }
    }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_numbers),      ARENA_TEST(test_choices),
        ARENA_TEST(test_only_folders), ARENA_TEST(test_too_many),
        ARENA_TEST(test_whole),        ARENA_TEST(test_apply),
        ARENA_TEST(test_any_choice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
