#include "base/err.h"

#include <errno.h>

#include "base/utf8.h"
#include "check.h"

static void test_set(void **state)
{
    (void)state;
    struct err err = {0};
    assert_false(err_named(&err, ERR_LIMIT, "TOO_MUCH", "%d is too much", 7));
    CHECK_INT("code", err.code, ERR_LIMIT);
    CHECK_STR("name", str_c(err.name), "TOO_MUCH");
    CHECK_STR("text", str_c(err.msg), "7 is too much");

    memcpy(err.detail, "older", 6);
    assert_false(err_set(&err, ERR_NOT_FOUND, "no note '%s'", "a.md"));
    CHECK_INT("code", err.code, ERR_NOT_FOUND);
    CHECK("no name left", err.name == NULL);
    CHECK_STR("no detail left", str_c(err.detail), "");
    CHECK_STR("text", str_c(err.msg), "no note 'a.md'");
}

static void test_sys(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int number;
        enum err_code code;
    } cases[] = {
        {"ENOENT", ENOENT, ERR_NOT_FOUND},
        {"ENOTDIR", ENOTDIR, ERR_NOT_FOUND},
        {"EACCES", EACCES, ERR_DENIED},
        {"EROFS", EROFS, ERR_DENIED},
        {"EXDEV", EXDEV, ERR_DENIED},
        {"EEXIST", EEXIST, ERR_EXISTS},
        {"ENAMETOOLONG", ENAMETOOLONG, ERR_LIMIT},
        {"EMFILE", EMFILE, ERR_BUSY},
        {"EIO", EIO, ERR_INTERNAL},
        {"ENOSPC", ENOSPC, ERR_INTERNAL},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct err err;
        errno = cases[i].number;
        assert_false(err_sys(&err, "cannot do %s", "it"));
        CHECK_INT(cases[i].name, err.code, cases[i].code);
        CHECK_STR(cases[i].name, str_c(err.msg), "cannot do it");
        CHECK_STR(cases[i].name, str_c(err.detail), strerrordesc_np(cases[i].number));
    }
}

/* A text of any length and any width of characters is cut at a character. */
static void test_cut(void **state)
{
    struct arena *a = *state;
    static const char *const letters[] = {"a", "é", "€", "😀"};
    for (size_t i = 0; i < COUNT_OF(letters); i++) {
        for (size_t shift = 0; shift < 4; shift++) {
            str text = arena_printf(a, "%.*s", (int)shift, "xxxx");
            for (int k = 0; k < 300; k++)
                text = arena_printf(a, STR_FMT "%s", STR_ARG(text), letters[i]);
            struct err err;
            err_set(&err, ERR_INVALID, "%s", text.p);
            CHECK(letters[i], utf8_valid(str_c(err.msg)));
            CHECK(letters[i], strlen(err.msg) >= sizeof(err.msg) - 5);
            arena_reset(a);
        }
    }
}

static void test_exact_fit(void **state)
{
    (void)state;
    struct err err;
    char text[sizeof(err.msg)];
    memset(text, 'a', sizeof(text));
    memcpy(text + sizeof(text) - 3, "é", 3);
    err_set(&err, ERR_INVALID, "%s", text);
    CHECK_STR("fits", str_c(err.msg), text);
}

static void test_names(void **state)
{
    (void)state;
    CHECK_STR("first", str_c(err_code_name(ERR_NONE)), "none");
    CHECK_STR("last", str_c(err_code_name(ERR_INTERNAL)), "internal");
    for (int code = ERR_NONE; code <= ERR_INTERNAL; code++)
        assert_non_null(err_code_name((enum err_code)code));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_set),   cmocka_unit_test(test_sys),
        ARENA_TEST(test_cut),         cmocka_unit_test(test_exact_fit),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
