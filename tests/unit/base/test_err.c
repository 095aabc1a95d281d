#include "base/err.h"

#include <errno.h>

#include "base/arena.h"
#include "base/os/error_text.h"
#include "base/utf8.h"
#include "check.h"

static void test_set(void **state)
{
    (void)state;
    struct err err = {0};
    assert_false(err_named(&err, E_FILE_TOO_LARGE, "%d is too much", 7));
    CHECK_INT("code", err.code, ERR_LIMIT);
    CHECK_INT("name", err.name, E_FILE_TOO_LARGE);
    CHECK_STR("text", str_c(err.msg), "7 is too much");

    memcpy(err.detail, "older", 6);
    assert_false(err_set(&err, ERR_NOT_FOUND, "no note '%s'", "a.md"));
    CHECK_INT("code", err.code, ERR_NOT_FOUND);
    CHECK("no name left", err.name == E_NONE);
    CHECK_STR("no detail left", str_c(err.detail), "");
    CHECK_STR("text", str_c(err.msg), "no note 'a.md'");
}

static void test_at(void **state)
{
    (void)state;
    struct err err = {0};
    errno = ENOTDIR;
    err_sys(&err, "the folder cannot be created");
    assert_false(err_at(&err, "/etc/hostname"));
    CHECK_STR("message", str_c(err.msg), "the folder cannot be created");
    CHECK_STR("detail", str_c(err.detail), "Not a directory: /etc/hostname");
}

static void test_error_names(void **state)
{
    (void)state;
    CHECK("no name", err_name_text(E_NONE) == NULL);
    CHECK_STR("a name", str_c(err_name_text(E_FILE_NOT_FOUND)), "FILE_NOT_FOUND");
    CHECK_STR("a shared one", str_c(err_name_text(E_PATH_TOO_LONG)), "PATH_NOT_ALLOWED");
#define ERR_NAME(n, is, text)                                                            \
    do {                                                                                 \
        struct err err = {0};                                                            \
        assert_false(err_named(&err, n, "said"));                                        \
        CHECK_INT(#n, err.code, is);                                                     \
        CHECK_STR(#n, str_c(err_name_text(err.name)), text);                             \
    } while (0);
    ERR_NAMES(ERR_NAME)
#undef ERR_NAME
}

static void test_same_error(void **state)
{
    (void)state;
    struct err err = {0}, other = {0};
    err_named(&err, E_TEXT_NOT_FOUND, "not there");
    memcpy(err.detail, "looked", 7);
    assert_false(err_reword(&err, "line %d: %s", 3, err.msg));
    CHECK_STR("other words", str_c(err.msg), "line 3: not there");
    CHECK_INT("same name", err.name, E_TEXT_NOT_FOUND);
    CHECK_INT("same code", err.code, ERR_INVALID);
    CHECK_STR("same detail", str_c(err.detail), "looked");

    err_set(&err, ERR_LIMIT, "too large");
    assert_false(err_caused(&other, &err, E_INVALID_QUERY, "where: %s", err.msg));
    CHECK_INT("its name", other.name, E_INVALID_QUERY);
    CHECK_INT("the code of the cause", other.code, ERR_LIMIT);
    CHECK_STR("text", str_c(other.msg), "where: too large");

    assert_false(err_rename(&err, E_READ_ONLY));
    CHECK_INT("the code follows", err.code, ERR_DENIED);
    CHECK_STR("text stays", str_c(err.msg), "too large");
}

static void test_hint(void **state)
{
    (void)state;
    struct arena a = {0};
    struct err err = {0};
    err_named(&err, E_FILE_NOT_FOUND, "no 'x'");
    CHECK_STR("no hint", err_text(&a, &err), "no 'x'");
    assert_false(err_hint(&err, "try y"));
    CHECK_STR("hint", err_text(&a, &err), "no 'x'; try y");
    CHECK_STR("not in the message", str_c(err.msg), "no 'x'");
    err_named(&err, E_FILE_NOT_FOUND, "no 'x'; did you mean 'y'?");
    CHECK("no hint is left", err.hint == NULL);
    err_hint(&err, "try y");
    CHECK_STR("a question is one", err_text(&a, &err), "no 'x'; did you mean 'y'?");
    arena_release(&a);
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
        CHECK_STR(cases[i].name, str_c(err.detail), error_text(cases[i].number));
    }
}

/* A text of any length and any width of characters is cut between characters. */
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

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_set),         cmocka_unit_test(test_at),
        cmocka_unit_test(test_sys),         ARENA_TEST(test_cut),
        cmocka_unit_test(test_exact_fit),   cmocka_unit_test(test_names),
        cmocka_unit_test(test_error_names), cmocka_unit_test(test_same_error),
        cmocka_unit_test(test_hint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
