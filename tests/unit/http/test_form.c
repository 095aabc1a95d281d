#include "check.h"

#include "base/sbuf.h"
#include "http/form.h"

static void test_values(void **state)
{
    static const struct {
        const char *text, *name, *value; /* value NULL: absent */
    } cases[] = {
        {"a=1", "a", "1"},
        {"a=1&b=2", "b", "2"},
        {"a=1&b=2", "c", NULL},
        {"", "a", NULL},
        {"a", "a", NULL},
        {"a=", "a", NULL},
        {"a=b=c", "a", "b=c"},
        {"a=x+y%20z", "a", "x y z"},
        {"a=%2B%26%3D", "a", "+&="},
        {"%61=1", "a", "1"},
        {"&&a=1&", "a", "1"},
        {"a=%C3%A4", "a", "\xc3\xa4"},
        {"A=1", "a", NULL},
        {"r=1&r=2", "r", "1"},
        {"a=\xc3\xa4", "a", "\xc3\xa4"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct form f;
        struct err err = {0};
        if (!form_parse(*state, str_c(cases[i].text), STR("r"), &f, &err))
            fail_msg("%s: %s", cases[i].text, err.msg);
        str got = form_get(&f, str_c(cases[i].name));
        CHECK(cases[i].text, (got.p == NULL) == (cases[i].value == NULL));
        CHECK_STR(cases[i].text, got, cases[i].value);
    }
}

static void test_SEC_16_SEC_42_refused(void **state)
{
    static const str cases[] = {
        {"a=%", 3},          {"a=%4", 4},     {"a=%zz", 5},     {"%=1", 3},
        {"a=%00", 5},        {"a=b\0c", 5},   {"a=%ff", 5},     {"a=\xff", 3},
        {"a=%ed%a0%80", 11}, {"a=1&a=1", 7},  {"a=1&%61=2", 9}, {"a&a", 3},
        {"r=1&a=1&a=", 10},  {"a=%c0%af", 8},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct form f;
        struct err err = {0};
        CHECK(cases[i].p, !form_parse(*state, cases[i], STR("r"), &f, &err));
        CHECK_INT(cases[i].p, err.code, ERR_INVALID);
    }
}

static void test_many(void **state)
{
    struct sbuf text = SBUF_ON(*state);
    struct form f;
    struct err err;
    for (int i = 0; i < FORM_FIELDS_MAX; i++)
        sbuf_printf(&text, "n%d=%d&", i, i);
    assert_true(form_parse(*state, sbuf_str(&text), STR(""), &f, &err));
    CHECK_STR("last", form_get(&f, STR("n99")), "99");
    sbuf_add(&text, STR("more=1"));
    assert_false(form_parse(*state, sbuf_str(&text), STR(""), &f, &err));
    assert_int_equal(err.code, ERR_LIMIT);
}

static void test_encode(void **state)
{
    CHECK_STR("encode", form_encode(*state, STR("a-b._~ /?&=+%\r\n\xc3\xa4")),
              "a-b._~%20%2F%3F%26%3D%2B%25%0D%0A%C3%A4");
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_values),
        ARENA_TEST(test_SEC_16_SEC_42_refused),
        ARENA_TEST(test_many),
        ARENA_TEST(test_encode),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
