#include "base/path.h"

#include "base/utf8.h"
#include "check.h"

static void test_clean(void **state)
{
    struct arena *a = *state;
    static const struct {
        const char *in, *out;
    } cases[] = {
        {"", ""},
        {"/", ""},
        {".", ""},
        {"./", ""},
        {"//", ""},
        {"a.md", "a.md"},
        {"/a.md", "a.md"},
        {"a/b/c.md", "a/b/c.md"},
        {"a//b/./c.md", "a/b/c.md"},
        {"folder/", "folder"},
        {"./a/.", "a"},
        {"a..b.md", "a..b.md"},
        {"a...", "a..."},
        {"Ideen/Größe 😀.md", "Ideen/Größe 😀.md"},
        {"a b/c d.md", "a b/c d.md"},
        {"%2e%2e/a.md", "%2e%2e/a.md"}, /* nothing is decoded */
        {"．．/a.md", "．．/a.md"},     /* neither are wide dots dots */
        {"a:b*c?.md", "a:b*c?.md"},     /* existing files stay readable */
        {"git~12", "git~12"},
        {"agit~1", "agit~1"},
        {"\u00a0.md", "\u00a0.md"}, /* U+00A0 is the first behind C1 */
        {"a\u200d.md", "a\u200d.md"},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        str out, again;
        struct err err = {0};
        if (!path_clean(a, str_c(cases[i].in), &out, &err))
            fail_msg("%s: %s", cases[i].in, err.msg);
        CHECK_STR(cases[i].in, out, cases[i].out);
        CHECK(cases[i].in, path_clean(a, out, &again, &err) && str_eq(out, again));
    }
}

static void test_refused(void **state)
{
    struct arena *a = *state;
    static const struct {
        const char *name;
        str in;
        enum err_code code;
        const char *hint; /* what the message must hold */
    } cases[] = {
        {"up", STR(".."), ERR_DENIED, "from the vault root"},
        {"up and out", STR("../a.md"), ERR_DENIED, "'..'"},
        {"up inside", STR("a/../b.md"), ERR_DENIED, "'..'"},
        {"up at the end", STR("a/.."), ERR_DENIED, "'..'"},
        {"up behind root", STR("/../etc/passwd"), ERR_DENIED, "'..'"},
        {"up with blanks", STR("./.././a"), ERR_DENIED, "'..'"},
        {"hidden", STR(".obsidian/app.json"), ERR_DENIED, "'.obsidian'"},
        {"hidden inside", STR("a/.trash/b.md"), ERR_DENIED, "hidden"},
        {"case", STR(".GIT/config"), ERR_DENIED, "hidden"},
        {"trailing dot", STR(".git./config"), ERR_DENIED, "hidden"},
        {"three dots", STR("..."), ERR_DENIED, "hidden"},
        {"dot and blank", STR(".. /a"), ERR_DENIED, "hidden"},
        {"short name", STR("git~1/config"), ERR_DENIED, "hidden"},
        {"short name, case", STR("a/GIT~1"), ERR_DENIED, "hidden"},
        {"short name, NTFS end", STR("Git~1. ."), ERR_DENIED, "hidden"},
        {"short name, NTFS stream", STR("git~1::$DATA"), ERR_DENIED, "hidden"},
        {"ignorable 200c", STR("\u200c.git"), ERR_DENIED, "hidden"},
        {"ignorable 200f", STR("a/\u200f.git"), ERR_DENIED, "hidden"},
        {"ignorable 202e", STR("\u202a\u202e.git"), ERR_DENIED, "hidden"},
        {"ignorable 206f", STR("\u206a\u206f.git"), ERR_DENIED, "hidden"},
        {"ignorable feff", STR("\ufeff.git/config"), ERR_DENIED, "hidden"},
        {"ignorable up", STR("\u200c../a"), ERR_DENIED, "hidden"},
        {"ignorable short name", STR("\u200cgit~1"), ERR_DENIED, "hidden"},
        {"backslash", STR("a\\b.md"), ERR_INVALID, "'/'"},
        {"backslash up", STR("..\\a.md"), ERR_INVALID, "'/'"},
        {"NUL", STR("a.md\0.png"), ERR_INVALID, "control"},
        {"newline", STR("a\nb"), ERR_INVALID, "control"},
        {"DEL", STR("a\x7f"), ERR_INVALID, "control"},
        {"C1 first", STR("a\xc2\x80"), ERR_INVALID, "control"},
        {"C1 last", STR("a\xc2\x9f"), ERR_INVALID, "control"},
        {"invalid byte", STR("a\xff"), ERR_INVALID, "UTF-8"},
        {"overlong slash", STR("..\xc0\xaf"), ERR_INVALID, "UTF-8"},
        {"surrogate", STR("\xed\xa0\x80"), ERR_INVALID, "UTF-8"},
        {"cut character", STR("a\xe2\x82"), ERR_INVALID, "UTF-8"},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        str out = STR("untouched");
        struct err err = {0};
        CHECK(cases[i].name, !path_clean(a, cases[i].in, &out, &err));
        CHECK_STR(cases[i].name, out, "untouched");
        CHECK_INT(cases[i].name, err.code, cases[i].code);
        CHECK_STR(cases[i].name, str_c(err.name), "PATH_NOT_ALLOWED");
        CHECK(cases[i].name, str_find(str_c(err.msg), str_c(cases[i].hint)) != STR_NONE);
    }
}

/* count times unit behind head: at the limit it passes, one byte more is too much. */
static void test_lengths(void **state)
{
    struct arena *a = *state;
    static const struct {
        const char *name, *unit;
        size_t count;
        bool ok;
    } cases[] = {
        {"longest name", "a", PATH_MAX_COMPONENT, true},
        {"too long a name", "a", PATH_MAX_COMPONENT + 1, false},
        {"longest name in bytes", "é", PATH_MAX_COMPONENT / 2, true},
        {"too many bytes", "é", PATH_MAX_COMPONENT / 2 + 1, false},
        {"longest path", "a/", PATH_MAX_BYTES / 2, true},
        {"too long a path", "a/", PATH_MAX_BYTES / 2 + 1, false},
        {"many slashes", "/", PATH_MAX_BYTES, true},
        {"a megabyte", "..😀", 1 << 17, false},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        size_t n = strlen(cases[i].unit);
        char *text = arena_alloc(a, n * cases[i].count);
        for (size_t k = 0; k < cases[i].count; k++)
            memcpy(text + k * n, cases[i].unit, n);
        str out;
        struct err err = {0};
        CHECK_INT(cases[i].name,
                  path_clean(a, (str){text, n * cases[i].count}, &out, &err),
                  cases[i].ok);
        CHECK_INT(cases[i].name, err.code, cases[i].ok ? ERR_NONE : ERR_LIMIT);
        CHECK(cases[i].name, utf8_valid(str_c(err.msg)) && strlen(err.msg) < 200);
    }
}

static void test_hidden(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        bool hidden;
    } cases[] = {
        {"", false},         {"a", false},      {"a.b", false},     {".", true},
        {".a", true},        {"git~1", true},   {"GIT~1", true},    {"git~2", false},
        {"git~1.md", false}, {"\ufeff", false}, {"\ufeff.a", true}, {"\u200b.a", false},
        {"é.", false},       {"\xff.a", false},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_INT(cases[i].name, path_is_hidden(str_c(cases[i].name)), cases[i].hidden);
}

static void test_parts(void **state)
{
    struct arena *a = *state;
    static const struct {
        const char *path, *folder, *name, *extension;
    } cases[] = {
        {"", "", "", ""},           {"a", "", "a", ""},
        {"a.md", "", "a.md", "md"}, {"a/b/c.tar.gz", "a/b", "c.tar.gz", "gz"},
        {"a.d/b", "a.d", "b", ""},  {"a/b.", "a", "b.", ""},
        {"a/.b", "a", ".b", ""},    {"é/ü.Md", "é", "ü.Md", "Md"},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        str path = str_c(cases[i].path);
        CHECK_STR(cases[i].path, path_folder(path), cases[i].folder);
        CHECK_STR(cases[i].path, path_name(path), cases[i].name);
        CHECK_STR(cases[i].path, path_extension(path), cases[i].extension);
        CHECK_STR(cases[i].path, path_join(a, path_folder(path), path_name(path)),
                  cases[i].path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_clean),        ARENA_TEST(test_refused), ARENA_TEST(test_lengths),
        cmocka_unit_test(test_hidden), ARENA_TEST(test_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
