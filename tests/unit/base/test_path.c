#include "base/path.h"

#include "base/os/machine.h"
#include "base/utf8.h"
#include "check.h"

static void test_SEC_80_clean(void **state)
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
        {"Ideen/Größe 😀.md", "Ideen/Größe 😀.md"},
        {"a b/c d.md", "a b/c d.md"},
        {"%2e%2e/a.md", "%2e%2e/a.md"}, /* nothing is decoded */
        {"．．/a.md", "．．/a.md"},     /* wide dots are not dots */
        {"git~12", "git~12"},
        {"agit~1", "agit~1"},
        {"\u00a0.md", "\u00a0.md"}, /* U+00A0 is the first after C1 */
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

/* Existing files stay readable, unless the system reads their names in another way. */
static void test_odd_names(void **state)
{
    struct arena *a = *state;
    static const char *const names[] = {"a...", "a:b*c?.md"};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        str out;
        struct err err = {0};
        CHECK_INT(names[i], path_clean(a, str_c(names[i]), &out, &err),
                  machine_system() != MACHINE_WINDOWS);
    }
}

static void test_SEC_80_SEC_91_refused(void **state)
{
    struct arena *a = *state;
    static const struct {
        const char *name;
        str in;
        enum err_code code;
        const char *hint; /* what the message must contain */
    } cases[] = {
        {"up", STR(".."), ERR_DENIED, "from the vault root"},
        {"up and out", STR("../a.md"), ERR_DENIED, "'..'"},
        {"up inside", STR("a/../b.md"), ERR_DENIED, "'..'"},
        {"up at the end", STR("a/.."), ERR_DENIED, "'..'"},
        {"up after root", STR("/../etc/passwd"), ERR_DENIED, "'..'"},
        {"up with dots", STR("./.././a"), ERR_DENIED, "'..'"},
        {"hidden", STR(".obsidian/app.json"), ERR_DENIED, "'.obsidian'"},
        {"hidden inside", STR("a/.trash/b.md"), ERR_DENIED, "hidden"},
        {"case", STR(".GIT/config"), ERR_DENIED, "hidden"},
        {"trailing dot", STR(".git./config"), ERR_DENIED, "hidden"},
        {"three dots", STR("..."), ERR_DENIED, "hidden"},
        {"dot and space", STR(".. /a"), ERR_DENIED, "hidden"},
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
        CHECK_STR(cases[i].name, str_c(err_name_text(err.name)), "PATH_NOT_ALLOWED");
        CHECK(cases[i].name, str_find(str_c(err.msg), str_c(cases[i].hint)) != STR_NONE);
    }
}

/* head followed by count times unit: valid at the limit, too long with one more byte. */
static void test_SEC_80_lengths(void **state)
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

/* why is what the message must contain; NULL: the name may be used. */
static void test_SEC_90_new(void **state)
{
    (void)state;
    static const struct {
        const char *path, *why;
    } cases[] = {
        {"", NULL},
        {"a.md", NULL},
        {"a/b c/Größe 😀.md", NULL},
        {"v1.2.md", NULL},
        {"a..b.md", NULL},
        {"a .md", NULL},
        {"[x] (y) {z} #1 ^2 %20 & ' ; , = + ~ ! @ $ `.md", NULL},
        {"می\u200cخواهم.md", NULL}, /* joiners belong to letters */
        {"👩\u200d💻.md", NULL},
        {"a*.md", "* ?"},
        {"what?", "* ?"},
        {"\"a\".md", "* ?"},
        {"a<b", "* ?"},
        {"a>b", "* ?"},
        {"a|b", "* ?"},
        {"12:30.md", "'12:30.md'"},
        {"c:/x.md", "'c:'"},
        {"a./b.md", "'a.'"},
        {"a /b.md", "'a '"},
        {"a/b.md ", "space"},
        {"a/b.md.", "dot"},
        {" a.md", "space"},
        {"con", "device"},
        {"a/CON.md", "'CON.md'"},
        {"Nul.tar.gz", "device"},
        {"aux .md", "device"},
        {"com1", "device"},
        {"LPT9.md", "device"},
        {"com\u00b2.md", "device"},
        {"con/a.md", "'con'"},
        {"com0.md", NULL},
        {"com10.md", NULL},
        {"console.md", NULL},
        {"acon.md", NULL},
        {"a con.md", NULL},
        {"a\u202e.md", "invisible"},
        {"a\u2066b.md", "invisible"},
        {"a\u061c.md", "invisible"},
        {"a\u200b.md", "invisible"},
        {"a\u200e.md", "invisible"},
        {"\ufeffa.md", "invisible"},
        {"a\u2028.md", "invisible"},
        {"a\u2060.md", "invisible"},
        {"a\u206f.md", "invisible"},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct err err = {0};
        CHECK_INT(cases[i].path, path_check_new(str_c(cases[i].path), &err),
                  cases[i].why == NULL);
        if (cases[i].why == NULL)
            continue;
        CHECK_INT(cases[i].path, err.code, ERR_INVALID);
        CHECK_STR(cases[i].path, str_c(err_name_text(err.name)), "PATH_NOT_ALLOWED");
        CHECK(cases[i].path, strstr(err.msg, cases[i].why) != NULL);
    }
}

static void test_new_lengths(void **state)
{
    (void)state;
    static const struct {
        size_t head, n; /* bytes of a folder, and of a name in it */
        bool ok;
    } cases[] = {
        {1, PATH_MAX_COMPONENT, true},
        {PATH_MAX_COMPONENT, 1, true},
        {1, PATH_MAX_COMPONENT + 1, false},
        {PATH_MAX_COMPONENT + 1, 1, false},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char text[2 * PATH_MAX_COMPONENT + 4];
        struct err err = {0};
        memset(text, 'a', sizeof(text));
        text[cases[i].head] = '/';
        str path = {text, cases[i].head + 1 + cases[i].n};
        CHECK_INT("length", path_check_new(path, &err), cases[i].ok);
        CHECK("says so", cases[i].ok || strstr(err.msg, "too long") != NULL);
        CHECK("not all of it", strlen(err.msg) < 200);
    }
}

static void test_SEC_91_hidden(void **state)
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

static void test_below(void **state)
{
    static const struct {
        const char *folder, *path;
        bool below, same_or_below;
    } cases[] = {
        {"", "", false, true},      {"", "a", true, true},
        {"a", "a", false, true},    {"a", "a/b", true, true},
        {"a", "ab", false, false},  {"a", "a b/c", false, false},
        {"a/b", "a", false, false}, {"a/b", "a/b/c/d", true, true},
        {"A", "a/b", false, false},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        str folder = str_c(cases[i].folder), path = str_c(cases[i].path);
        CHECK_INT(cases[i].path, path_is_below(folder, path), cases[i].below);
        CHECK_INT(cases[i].path, path_is_or_below(folder, path), cases[i].same_or_below);
    }
}

static void test_order(void **state)
{
    static const char *const sorted[] = {
        "",       "a",  "a/b", "a/b/c",    "a b/c",  "a-b/c",   "a.md",
        "a.md/x", "ab", "b",   "b/a/z.md", "b/a.md", "\xC3\xA9"};
    for (size_t i = 0; i < COUNT_OF(sorted); i++)
        for (size_t k = 0; k < COUNT_OF(sorted); k++)
            CHECK_INT(sorted[i], path_cmp(str_c(sorted[i]), str_c(sorted[k])),
                      (i > k) - (i < k));
}

/* What Windows would take for something else; see path_check_new() for new names. */
static void test_windows_names(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        bool reserved, short_form;
    } rows[] = {
        {"a.md", 0, 0},
        {"Café à Paris.md", 0, 0},
        {" a.md", 0, 0},
        {"a.md:stream", 1, 0},
        {"a.md::$DATA", 1, 0},
        {"a?.md", 1, 0},
        {"*", 1, 0},
        {"\"a\"", 1, 0},
        {"a<b>.md", 1, 0},
        {"a|b", 1, 0},
        {"a.", 1, 0},
        {"a.md ", 1, 0},
        {"...", 1, 0},
        {"CON", 1, 0},
        {"con.md", 1, 0},
        {"nul.tar.gz", 1, 0},
        {"COM1", 1, 0},
        {"lpt9.txt", 1, 0},
        {"com\u00b2.md", 1, 0},
        {"COM0", 0, 0},
        {"console.md", 0, 0},
        {"aux .md", 1, 0},
        {"PROGRA~1", 0, 1},
        {"notes~1.md", 0, 1},
        {"NOTES~12.MD", 0, 1},
        {"longer~name~1.md", 0, 0},
        {"a~1.html", 0, 0},
        {"a~b.md", 0, 0},
        {"a~.md", 0, 0},
        {"~1", 0, 1},
        {"ab~1.x.md", 0, 0},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        str name = str_c(rows[i].name);
        CHECK_INT(rows[i].name, path_is_reserved(name), rows[i].reserved);
        CHECK_INT(rows[i].name, path_is_short_form(name), rows[i].short_form);
    }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_windows_names),
        ARENA_TEST(test_SEC_80_clean),
        ARENA_TEST(test_odd_names),
        ARENA_TEST(test_SEC_80_SEC_91_refused),
        ARENA_TEST(test_SEC_80_lengths),
        cmocka_unit_test(test_SEC_90_new),
        cmocka_unit_test(test_new_lengths),
        cmocka_unit_test(test_SEC_91_hidden),
        ARENA_TEST(test_parts),
        cmocka_unit_test(test_below),
        cmocka_unit_test(test_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
