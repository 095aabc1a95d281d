#include "vault/text/regex.h"

#include <stdio.h>

#include "base/clock.h"
#include "base/sbuf.h"
#include "check.h"
#include "until.h"
#include "vault/text/regex_rust.h"

#define W "[0-9A-Z_a-z\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\x{200c}\\x{200d}]"

static bool knows_all(const char *name)
{
    (void)name;
    return true;
}

/* The PCRE2 pattern that a Rust pattern becomes. */
static bool translate(struct arena *a, str pattern, str *out, struct err *err)
{
    struct rust_options options = {.is_property = knows_all};
    struct rust_program program;
    if (!rust_translate(a, pattern, &options, &program, err))
        return false;
    options.target = RUST_BYTES;
    if (program.bytes && !rust_translate(a, pattern, &options, &program, err))
        return false;
    *out = program.text;
    return true;
}

static void test_translations(void **state)
{
    struct arena *a = *state;
    static const struct {
        const char *rust, *pcre2;
    } cases[] = {
        {"", ""},
        {"abc", "abc"},
        {"a.c", "a.c"},
        {"(?s)a.c", "a.c"},
        {"a|b|", "a|b|"},
        {"(a)(?P<n>b)(?:c)", "(?:a)(?:b)(?:c)"},
        {"a*b+c?", "(?<!a)a*b+c?"},
        {"xa*b+c?", "xa*b+c?"},
        {"a*|b{2,}|.*", "(?<!a)a*|(?<!b)b{2,}|.*"},
        {"a*?b+?c??", "(?<!a)a*?b+?c??"},
        {"a**", "(?:a*)*"},
        {"a+?+", "(?:a+?)+"},
        {"(?U)a*b*?", "(?<!a)a*?b*"},
        {"a{2}b{2,}c{2,3}?", "a{2}b{2,}c{2,3}?"},
        {"a{ 2 , 3 }", "a{2,3}"},
        {"x{2,}{3}", "(?:x{2,}){3}"},
        {"^*", "(?:^)*"},
        {"\\Aa\\z", "^a$"},
        {"(?-m)^a$", "^a$"},
        {"\\d", "\\p{Nd}"},
        {"\\D", "[^\\p{Nd}\\n]"},
        {"\\w", W},
        {"(?-u)\\w\\d\\s", "[0-9A-Z_a-z][0-9][\\t\\x0b-\\r\\x20]"},
        {"\\bfoo", "(?<!" W ")foo"},
        {"foo\\b", "foo(?!" W ")"},
        {"(?-u)\\b.",
         "(?:(?<=[0-9A-Z_a-z])(?![0-9A-Z_a-z])|(?<![0-9A-Z_a-z])(?=[0-9A-Z_a-z]"
         "))."},
        {"[[:alpha:]]", "[A-Za-z]"},
        {"[[:^alpha:]x]", "(?:[x]|[^A-Za-z\\n])"},
        {"[^a]", "[^a\\n]"},
        {"[\\t-\\r]", "[\\x09\\x0b-\\x0d]"},
        {"[]a]", "[a\\]]"},
        {"[a-c[d-f]]", "[d-fa-c]"},
        {"[[:alpha:]--[aeiou]]", "(?:(?![uoiea])[A-Za-z])"},
        {"[a-d&&b-e]", "(?:(?=[a-d])[b-e])"},
        {"[a-d~~b-e]", "(?:(?![b-e])[a-d]|(?![a-d])[b-e])"},
        {"[^a-d&&b-e]", "(?:(?!(?=[a-d])[b-e]).)"},
        {"\\pL\\p{Letter}\\p{gc=L}", "\\p{L}\\p{L}\\p{L}"},
        {"\\p{Greek}\\p{sc=Grek}", "\\p{sc:greek}\\p{sc:grek}"},
        {"\\p{scx=Greek}", "\\p{scx:greek}"},
        {"\\P{L}", "[^\\p{L}\\n]"},
        {"\\p{Cc}", "(?:(?!\\n)[\\p{Cc}])"},
        {"\\u{e9}\\x{e9}\\u00e9\\U000000e9\\xe9", "ééééé"},
        {"(?i)a(?-i)b", "(?i)a(?-i)b"},
        {"(a|b)c", "(?:a|b)(?=)c"},
        {"(?i:a)b", "(?:(?i)a)b"},
        {"a(?i)1(?-i)b", "a1b"},
        {"(?i-u)k", "[kK]"},
        {"(?-u)\\xff", "\\xff"},
        {"(?-u:\\xff)é", "(?:\\xff)(?:\\xc3\\xa9)"},
        {"(?x) a  b # c", "ab"},
        {"(?x) a\\ b [ c ]", "a b[c]"},
        {"\\a\\f\\t\\r\\v", "\\x07\\x0c\\x09\\x0d\\x0b"},
        {"\\.\\#\\-\\~\\&", "\\.\\#\\-\\~\\&"},
        {"a}]", "a\\}\\]"},
        {"[:a]", "[a\\:]"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct err err = {0};
        str out = {0};
        if (!translate(a, str_c(cases[i].rust), &out, &err))
            fail_msg("%s: %s", cases[i].rust, err.msg);
        CHECK_STR(cases[i].rust, out, cases[i].pcre2);
    }
}

static void test_refused(void **state)
{
    static const struct {
        const char *rust;
        int at; /* -1: a limit */
        const char *hint;
    } cases[] = {
        {"a(?=b)", 1, "look-around"},
        {"(?!b)", 0, "look-around"},
        {"x(?<=b)", 1, "look-around"},
        {"(?<!b)", 0, "look-around"},
        {"(a)\\1", 3, "backreferences"},
        {"\\0", 0, "backreferences"},
        {"(?<n>a)", 2, "unrecognized flag"},
        {"(?>a)", 2, "unrecognized flag"},
        {"(?R)", 2, "unrecognized flag"},
        {"(?#c)", 2, "unrecognized flag"},
        {"(?P=n)", 2, "unrecognized flag"},
        {"(?ii)", 3, "duplicate flag"},
        {"(?i-i)", 4, "duplicate flag"},
        {"(?i-)", 3, "dangling flag negation"},
        {"(?--i)", 3, "negation operator repeated"},
        {"(?", 0, "unclosed group"},
        {"(?i", 3, "end of regex"},
        {"(?)", 1, "missing expression"},
        {"ab(c", 2, "unclosed group"},
        {"ab)c", 2, "unopened group"},
        {"(?P<>a)", 4, "empty capture group name"},
        {"(?P<1>a)", 4, "invalid capture group character"},
        {"(?P<a", 5, "unclosed capture group name"},
        {"(?P<a>x)(?P<a>y)", 12, "duplicate capture group name"},
        {"*", 0, "missing expression"},
        {"a|*", 2, "missing expression"},
        {"(?i)*", 4, "missing expression"},
        {"a{,2}", 2, "valid decimal"},
        {"a{2", 1, "unclosed counted"},
        {"a{2,1}", 1, "must be <="},
        {"a{99999999999}", 2, "decimal literal"},
        {"a{70000}", -1, "65535"},
        {"\\_", 0, "unrecognized escape"},
        {"a\\Q", 1, "unrecognized escape"},
        {"\\K", 0, "unrecognized escape"},
        {"\\", 0, "incomplete escape"},
        {"\\xZZ", 2, "hexadecimal digit"},
        {"\\x{}", 2, "literal empty"},
        {"\\u{110000}", 3, "scalar value"},
        {"\\uD800", 2, "scalar value"},
        {"\\p{foo}", 0, "property not found"},
        {"a\\p{Xan}", 1, "property not found"},
        {"\\p{age=3.0}", 0, "property not found"},
        {"\\p{L", 4, "incomplete escape"},
        {"(?-u)\\pL", 5, "Unicode not allowed"},
        {"(?-u)é", 5, "Unicode not allowed"},
        {"(?-u:\\xff)\\w", 10, "cannot be mixed"},
        {"[a", 0, "unclosed character class"},
        {"[a[b]", 0, "unclosed character class"},
        {"x[[b", 2, "unclosed character class"},
        {"[z-a]", 1, "must be <="},
        {"[a-\\d]", 3, "must be a literal"},
        {"[\\b]", 1, "in character class"},
        {"x[a&&b]", 1, "empty character class"},
        {"[^\\s\\S]", 0, "empty character class"},
        {"\\P{any}", 0, "empty character class"},
        {"a\\nb", 1, "line break"},
        {"a\nb", 1, "line break"},
        {"x[\\n]", 1, "line break"},
        {"é\\x0A", 2, "line break"},
        {"((a{1,1000}){1,1000}){1,1000}", -1, "too large"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct err err = {0};
        struct regex *r;
        char at[32];
        if (regex_compile(str_c(cases[i].rust), 0, &r, &err))
            fail_msg("%s: accepted", cases[i].rust);
        CHECK_INT(cases[i].rust, err.code, cases[i].at < 0 ? ERR_LIMIT : ERR_INVALID);
        snprintf(at, sizeof(at), "at byte %d:", cases[i].at);
        if ((cases[i].at >= 0 && strstr(err.msg, at) == NULL) ||
            strstr(err.msg, cases[i].hint) == NULL)
            fail_msg("%s: '%s' without '%s' and '%s'", cases[i].rust, err.msg, at,
                     cases[i].hint);
    }
}

struct hits {
    struct sbuf text;
    size_t n, max;
};

static bool on_hit(void *arg, const struct regex_hit *hit)
{
    struct hits *h = arg;
    sbuf_printf(&h->text, "%u:%u-%u:%u-%u ", hit->line, hit->line_start, hit->line_end,
                hit->start, hit->end);
    return ++h->n != h->max;
}

/* Compile and search; whether all of the text was searched. */
static bool search(struct hits *h, const char *pattern, unsigned flags, str text)
{
    struct err err = {0};
    struct regex *r;
    if (!regex_compile(str_c(pattern), flags, &r, &err))
        fail_msg("%s: %s", pattern, err.msg);
    struct regex_scratch *s = regex_scratch_create();
    bool all = regex_lines(r, s, text, on_hit, h, NULL, NULL);
    regex_scratch_free(s);
    regex_free(r);
    return all;
}

static void test_hits(void **state)
{
    static const struct {
        const char *pattern;
        unsigned flags;
        const char *text, *hits;
    } cases[] = {
        {"b", 0, "abc\nxyz\nb\n", "1:0-3:1-2 3:8-9:8-9 "},
        {"b.", 0, "abc\nb\nbb", "1:0-3:1-3 3:6-8:6-8 "},
        {"^$", 0, "\na\n\n", "1:0-0:0-0 3:3-3:3-3 "},
        {"^", 0, "", ""},
        {"$", 0, "a", "1:0-1:1-1 "},
        {"x*", 0, "a\nb\n", "1:0-1:0-0 2:2-3:2-2 "},
        {"foo|foobar", 0, "a foobar", "1:0-8:2-5 "},
        {"(1|)b*1", 0, "1", "1:0-1:0-1 "}, /* PCRE2 issue 336 */
        {"(?:ab|a){1}\\d*bc", 0, "abc", "1:0-3:0-3 "},
        {"(x|)(a|)\\d*?a{2}b", 0, "aabc", "1:0-4:0-3 "},
        {"x$|(?-u:\\b)$", REGEX_NOCASE, "a\u017F\nb", "2:4-5:5-5 "},
        {"bar|foo", 0, "foo bar", "1:0-7:0-3 "},
        {"bar|fok", REGEX_NOCASE, "FO\u212A bar", "1:0-9:0-5 "},
        {"task", REGEX_NOCASE, "ta\u017F\u212A", "1:0-7:0-7 "},
        {"sss", REGEX_NOCASE, "aS\u017Fs", "1:0-5:1-5 "},
        {"straße", REGEX_NOCASE, "STRASSE STRAßE", "1:0-15:8-15 "},
        {"\\s", 0, "a\nb c\n", "2:2-5:3-4 "},
        {"[^a]", 0, "a\na\nab", "3:4-6:5-6 "},
        {"a$", 0, "a\r\na\n", "2:3-4:3-4 "},
        {"a\\r$", 0, "a\r\na\n", "1:0-2:0-2 "},
        {"\\w+", 0, "\xff\xfe x\xc3", "1:0-5:3-4 "},
        {".", 0, "\xff\n\xc3\xa9", "2:2-4:2-4 "},
        {"(?-u).", 0, "\xff\n", "1:0-1:0-1 "},
        {"a.c", REGEX_LITERAL, "abc a.c", "1:0-7:4-7 "},
        {"(é", REGEX_LITERAL | REGEX_NOCASE, "(É", "1:0-3:0-3 "},
        {"", REGEX_LITERAL, "a\n\n", "1:0-1:0-0 2:2-2:2-2 "},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct hits h = {.text = SBUF_ON(*state)};
        CHECK(cases[i].pattern,
              search(&h, cases[i].pattern, cases[i].flags, str_c(cases[i].text)));
        CHECK_STR(cases[i].pattern, sbuf_str(&h.text), cases[i].hits);
    }
}

static void test_callback_ends_search(void **state)
{
    static const char *const patterns[] = {"a", "[ab]", "a\\b", "a|b"};
    for (size_t i = 0; i < COUNT_OF(patterns); i++) {
        struct hits h = {.text = SBUF_ON(*state), .max = 2};
        CHECK(patterns[i], search(&h, patterns[i], 0, STR("a\na\na\na\n")));
        CHECK_INT(patterns[i], h.n, 2);
    }
}

static str repeated(struct arena *a, const char *text, size_t times)
{
    struct sbuf b = SBUF_ON(a);
    for (size_t i = 0; i < times; i++)
        sbuf_add(&b, str_c(text));
    return sbuf_str(&b);
}

/*
 * No pattern runs for long, whatever the line. None of these has a literal to search for
 * first.
 */
static void test_SEC_71_limits(void **state)
{
    struct arena *a = *state;
    static const struct {
        const char *pattern, *line;
    } cases[] = {
        {"(a+)+$", "a"},
        {"(a|aa)+$", "a"},
        {"(a|a|b)*[cd]", "a"},
        {"[^=]*[^=]*=[yz]", "a"},
        {"[^=]*[^=]*[=;]y?", "ay"},
        {"[^=]*[^=]*[^=]*[=;]y?", "ay"},
        {"[^=]*[^=]*[^=]*[^=]*[^=]*[=;]y?", "ay"},
        {"a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a{30}[bc]", "a"},
        {"(a|b|ab)(a|b|ab)(a|b|ab)(a|b|ab)(a|b|ab)(a|b|ab)(a|b|ab)(a|b|ab)\\d", "ab"},
        {"(?:a{1,60}){1,60}[bc]", "a"},
        {"(x+x+)+[yz]", "x"},
        {"(.*)(.*)(.*)(.*)(.*)(.*)[xz]$", "ab"},
        {"\\w+\\s*\\w+\\s*\\w+\\s*[!?]", "a"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        for (size_t times = 40; times <= 40000; times *= 10) {
            struct hits h = {.text = SBUF_ON(a)};
            str line = repeated(a, cases[i].line, times);
            line = arena_printf(a, STR_FMT "=xz", STR_ARG(line));
            uint64_t start = cpu_ms();
            search(&h, cases[i].pattern, 0, line);
            uint64_t took = cpu_ms() - start;
            if (took > 3000 * (1 + 4 * VAULTD_SANITIZED))
                fail_msg("%s on %zu: %d ms", cases[i].pattern, times, (int)took);
        }
    }
    struct hits h = {.text = SBUF_ON(a)};
    str text = repeated(a, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab\nac\n", 3);
    CHECK("limited", !search(&h, "(a|aa)+[cd]", 0, text));
    CHECK_INT("the others are found", h.n, 3);
}

static bool stop_immediately(void *arg)
{
    ++*(unsigned *)arg;
    return true;
}

static void test_SEC_71_stop(void **state)
{
    struct err err = {0};
    struct regex *r;
    unsigned polled = 0;
    struct hits h = {.text = SBUF_ON(*state)};
    assert_true(regex_compile(STR("[^=]*[^=]*[^=]*[=;]"), 0, &r, &err));
    struct regex_scratch *s = regex_scratch_create();
    str text = repeated(*state, "ay", 5000);
    assert_false(regex_lines(r, s, text, on_hit, &h, stop_immediately, &polled));
    assert_int_equal(polled, 1);
    regex_scratch_free(s);
    regex_free(r);
}

/* A match is found wherever it is in a line that is cut into many pieces. */
static void test_long_lines(void **state)
{
    struct arena *a = *state;
    static const char *const patterns[] = {"\\bz+é", "z+é$|z+é ", "[^q]z+é", "zzé"};
    for (size_t before = REGEX_LINE_MAX - 8; before < REGEX_LINE_MAX + 8; before++) {
        struct sbuf b = SBUF_ON(a);
        sbuf_add(&b, repeated(a, " ", before));
        sbuf_add(&b, STR("zzé"));
        sbuf_add(&b, repeated(a, " ö", 5000));
        for (size_t i = 0; i < COUNT_OF(patterns); i++) {
            struct hits h = {.text = SBUF_ON(a)};
            CHECK(patterns[i], search(&h, patterns[i], 0, sbuf_str(&b)));
            CHECK_INT(patterns[i], h.n, 1);
        }
        struct hits h = {.text = SBUF_ON(a)};
        CHECK("no end inside", search(&h, "(?:zz?|é)$|zz?\\b", 0, sbuf_str(&b)));
        CHECK_INT("no end inside", h.n, 0);
    }
}

/* All of a long line is searched, and if that takes too long, the result says so. */
static void test_long_matches(void **state)
{
    struct arena *a = *state;
    struct hits h = {.text = SBUF_ON(a)};
    str line = arena_printf(a, "(" STR_FMT ")", STR_ARG(repeated(a, "q", 30000)));
    CHECK("searched", search(&h, "\\(q+\\)", 0, line));
    CHECK_INT("found", h.n, 1);
    h.n = 0;
    CHECK("partial", !search(&h, "\\((q|q)*(qq|q)*[yz]", 0, line));
}

static void test_find(void **state)
{
    struct err err = {0};
    struct regex *r;
    uint32_t start = 0, end = 0;
    assert_true(regex_compile(STR("b+c?"), 0, &r, &err));
    struct regex_scratch *s = regex_scratch_create();
    assert_true(regex_find(r, s, STR("abbcd"), &start, &end));
    assert_int_equal(start, 1);
    assert_int_equal(end, 4);
    assert_false(regex_find(r, s, STR("xyz"), &start, &end));
    assert_false(regex_find(r, s, (str){0}, &start, &end));
    regex_scratch_free(s);
    regex_free(r);
}

static void test_captures(void **state)
{
    static const struct {
        const char *pattern, *line, *want; /* start-end of the match and of each group */
        size_t from;
        unsigned flags;
    } cases[] = {
        {"a", "bab", "1-2 ", 0, 0},
        {"(a)(b)?", "xac", "1-2 1-2 - ", 0, 0},
        {"(?P<y>\\d+)-(?:x)(z)", "12-xz", "0-5 0-2 4-5 ", 0, 0},
        {"((a)|b)+", "ab", "0-2 1-2 0-1 ", 0, 0},
        {"(foo)", "foo foo", "4-7 4-7 ", 1, 0},
        {"^(a)", "aa", "", 1, 0},
        {"\\b(a)", "aa a", "3-4 3-4 ", 1, 0},
        {"(a+?)", "aaa", "1-2 1-2 ", 1, 0},
        {"x+", "xxx", "2-3 ", 2, 0},
        {"a.c", "abca.c", "3-6 ", 0, REGEX_LITERAL},
        {"\u00C9(?i)(\u00C9)", "\u00C9\u00E9", "0-4 2-4 ", 0, 0},
        {"(a", "", NULL, 0, 0},
    };
    struct regex_scratch *s = regex_scratch_create();
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct regex *r;
        struct err err = {0};
        struct regex_group g[REGEX_GROUPS_MAX + 1];
        struct sbuf b = SBUF_ON(*state);
        bool limited;
        bool ok = regex_compile(str_c(cases[i].pattern), REGEX_GROUPS | cases[i].flags,
                                &r, &err);
        CHECK(cases[i].pattern, ok == (cases[i].want != NULL));
        if (!ok)
            continue;
        bool found =
            regex_captures(r, s, str_c(cases[i].line), cases[i].from, g, &limited);
        for (unsigned k = 0; found && k <= regex_n_groups(r); k++) {
            if (g[k].start == REGEX_NO_GROUP)
                sbuf_add(&b, STR("- "));
            else
                sbuf_printf(&b, "%u-%u ", g[k].start, g[k].end);
        }
        CHECK(cases[i].pattern, !limited);
        CHECK_STR(cases[i].pattern, sbuf_str(&b), cases[i].want);
        CHECK_INT(cases[i].pattern, regex_group_named(r, STR("y")), i == 2);
        CHECK_INT(cases[i].pattern, regex_group_named(r, STR("")), 0);
        regex_free(r);
    }
    regex_scratch_free(s);
}

static void test_too_long(void **state)
{
    struct err err = {0};
    struct regex *r;
    assert_false(regex_compile(repeated(*state, "a", 4097), 0, &r, &err));
    assert_int_equal(err.code, ERR_LIMIT);
    assert_false(regex_compile(repeated(*state, "(", 300), 0, &r, &err));
    assert_int_equal(err.code, ERR_LIMIT);
    assert_false(regex_compile(repeated(*state, "[", 300), 0, &r, &err));
    assert_int_equal(err.code, ERR_LIMIT);
    assert_false(regex_compile(STR("\xff"), 0, &r, &err));
    assert_int_equal(err.code, ERR_INVALID);
}

static void test_javascript(void **state)
{
    static const struct {
        const char *pattern;
        unsigned flags;
        const char *text;
        int start, end; /* -1: no match */
    } cases[] = {
        {"(?<=a)b", 0, "ab", 1, 2},
        {"(.)\\1", 0, "abb", 1, 3},
        {"^b", 0, "a\nb", -1, -1},
        {"^b", REGEX_MULTILINE, "a\nb", 2, 3},
        {"a$", 0, "a\n", -1, -1},
        {"a.b", 0, "a\nb", -1, -1},
        {"a.b", REGEX_DOTALL, "a\nb", 0, 3},
        {"É", REGEX_NOCASE, "é", 0, 2},
        {"\\u00e9", 0, "é", 0, 2},
        {"[^]", 0, "\n", 0, 1},
        {"\\d", 0, "٣", -1, -1},
        {"^(a+)+$", 0, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", -1, -1},
    };
    struct regex_scratch *s = regex_scratch_create();
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct regex_group groups[REGEX_GROUPS_MAX + 1];
        struct regex *r;
        struct err err = {0};
        bool limited;
        CHECK(cases[i].pattern,
              regex_compile(str_c(cases[i].pattern), REGEX_JAVASCRIPT | cases[i].flags,
                            &r, &err));
        bool found = regex_captures_text(r, s, str_c(cases[i].text), 0, groups, &limited);
        CHECK_INT(cases[i].pattern, found ? (int)groups[0].start : -1, cases[i].start);
        CHECK_INT(cases[i].pattern, found ? (int)groups[0].end : -1, cases[i].end);
        regex_free(r);
    }
    regex_scratch_free(s);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_translations),  ARENA_TEST(test_refused),
        ARENA_TEST(test_hits),          ARENA_TEST(test_callback_ends_search),
        ARENA_TEST(test_SEC_71_limits), ARENA_TEST(test_SEC_71_stop),
        ARENA_TEST(test_long_lines),    ARENA_TEST(test_long_matches),
        ARENA_TEST(test_find),          ARENA_TEST(test_captures),
        ARENA_TEST(test_too_long),      ARENA_TEST(test_javascript),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
