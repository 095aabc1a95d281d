/* Matches across lines are those of rg --multiline, for the same patterns. */
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/sbuf.h"
#include "edited.h"
#include "vault/note/edit.h"

static const char *const texts[] = {
    "# Plan\n\nfirst line\nsecond line\n\n%% hidden\nmore %%\n\nlast\n",
    "a\nb\nc\n",
    "a\n\n\n\nb\n",
    "key: value\n  more\n  and more\nother: x\n",
    "<!-- one\ntwo -->\ntext <!-- three -->\n",
    "```\ncode\n```\ntext\n```\nmore\n```\n",
    "trailing  \nspaces\t\n\nend  \n",
    "\n\nstarts with blank lines\n",
    "x\xC3\xA4\n\xE2\x80\x9Cquoted\xE2\x80\x9D\nx\n",
    "no final line break\nhere",
};

static const char *const patterns[] = {
    "first[\\s\\S]*second",
    "(?s)%%.*?%%",
    "(?s)%%(.*)%%",
    "%%.*%%",
    "a\\nb",
    "\\n\\n+",
    "\\n{3,}",
    "(\\w+)\\s+(\\w+)",
    "[^\\n]+\\n",
    "[^a]b",
    "(?m)^(\\w+):\\s*(\\w+)",
    "^  (.*)$",
    "(?s)<!--.*?-->",
    "<!--[^>]*>",
    "(?s)```\\n(.*?)```",
    "line\\s",
    "\\s+\\S",
    "c\\n",
    "(?s)a.b",
    "a.b",
    "\\A.",
    "(?s)\\A.*",
    "[[:space:]]+x",
    "\\W\\n",
    "\xE2\x80\x9D\\s*x",
    "(?i)PLAN\\n",
    "(?x) line \\n # comment",
    "\\p{Cc}b",
    "[\\s\\S]b",
    "e\\n(?P<rest>.*)",
    "\\s+$",
    "^\\s+\\w",
    "\\s*\\n",
    "$\\s",
    "(?-m:^)#",
    "[^\\S\\n]+",
    "\\n\\z",
    "(?s:.)b",
};

static int64_t number(const struct json *j, str key)
{
    int64_t n = -1;
    const struct json *member = json_get(j, key);
    if (member == NULL || !str_to_int(member->raw, &n))
        fail_msg("rg's answer has no " STR_FMT, STR_ARG(key));
    return n;
}

/* Write text with every match of one line of rg's answer in angle brackets. */
static void mark_matches(struct arena *a, str line, str text, size_t *done,
                         struct sbuf *b)
{
    const struct json *j;
    struct err err;
    if (!json_parse(a, line, &j, &err))
        fail_msg("%s", err.msg);
    if (!str_eq(json_get_str(j, STR("type")), STR("match")))
        return;
    const struct json *data = json_get(j, STR("data"));
    int64_t at = number(data, STR("absolute_offset"));
    for (const struct json *m = json_get(data, STR("submatches"))->child; m != NULL;
         m = m->next) {
        size_t start = (size_t)(at + number(m, STR("start")));
        size_t end = (size_t)(at + number(m, STR("end")));
        sbuf_printf(b, STR_FMT "<" STR_FMT ">", STR_ARG(str_slice(text, *done, start)),
                    STR_ARG(str_slice(text, start, end)));
        *done = end;
    }
}

static str ask_rg(struct arena *a, const char *file, const char *pattern, str text)
{
    char command[1024];
    struct sbuf answer = SBUF_ON(a), b = SBUF_ON(a);
    size_t done = 0;
    snprintf(command, sizeof(command), "rg --no-config -U --json -e '%s' %s", pattern,
             file);
    FILE *f = popen(command, "r");
    assert_non_null(f);
    for (int c; (c = fgetc(f)) != EOF;)
        sbuf_char(&answer, (char)c);
    pclose(f);
    for (str rest = sbuf_str(&answer), line; rest.n > 0 && str_next(&rest, '\n', &line);)
        mark_matches(a, line, text, &done, &b);
    sbuf_add(&b, str_skip(text, done));
    return sbuf_str(&b);
}

static void put_file(const char *file, str text)
{
    FILE *f = fopen(file, "wb");
    assert_non_null(f);
    fwrite(text.p, 1, text.n, f);
    fclose(f);
}

static void compare(struct arena *a, const char *file, str text, const char *pattern)
{
    struct edit_pattern p = {.pattern = str_c(pattern), .replacement = STR("<$0>")};
    struct edit_result r;
    struct err err = {0};
    bool ok = edit_regex(a, text, &p, &r, &err);
    if (!ok && err.name != E_TEXT_NOT_FOUND)
        fail_msg("%s: %s", pattern, err.msg);
    str got = ok ? r.text : text, want = ask_rg(a, file, pattern, text);
    if (!str_eq(got, want))
        fail_msg("'%s'\ngives '" STR_FMT "'\nrg has '" STR_FMT "'", pattern, STR_ARG(got),
                 STR_ARG(want));
}

static void test_as_rg(void **state)
{
    char file[] = "/tmp/test_edit_regex.XXXXXX";
    if (system("rg --version >/dev/null 2>&1") != 0)
        SKIP("ripgrep is missing");
    close(mkstemp(file));
    for (size_t k = 0; k < COUNT_OF(texts); k++) {
        put_file(file, str_c(texts[k]));
        for (size_t i = 0; i < COUNT_OF(patterns); i++)
            compare(*state, file, str_c(texts[k]), patterns[i]);
    }
    unlink(file);
}

/* Line breaks of the file are kept, a section limits the search, lines are counted. */
static void test_spans(void **state)
{
    static const struct {
        const char *text, *section, *pattern, *replacement, *want;
        unsigned count, lines;
    } cases[] = {
        {"a\r\nb\r\nc\r\n", "", "a\\nb", "x\ny", "x\r\ny\r\nc\r\n", 1, 2},
        {"a\r\nb\r\nc\r\n", "", "(?s)(a.)(b)", "$2$1", "ba\r\n\r\nc\r\n", 1, 2},
        {"a\nb\r\nc\nd\r\n", "", "b\\sc", "x", "a\nx\nd\r\n", 1, 2},
        {"# A\nx\ny\n# B\nx\ny\n", "B", "x\\ny", "z", "# A\nx\ny\n# B\nz\n", 1, 2},
        {"# A\nx\n# B\nx x\n", "B", "x", "z", "# A\nx\n# B\nz z\n", 2, 1},
        {"a\n\n\nb\nc\n\nd\n", "", "\\n{2,}", "\n", "a\nb\nc\nd\n", 2, 5},
        {"x x\nx\ny\n", "", "x", "z", "z z\nz\ny\n", 3, 2},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct edit_pattern p = {.pattern = str_c(cases[i].pattern),
                                 .replacement = str_c(cases[i].replacement),
                                 .section = str_c(cases[i].section)};
        struct edit_result r;
        struct err err = {0};
        const char *row = arena_printf(*state, "%zu: %s", i, cases[i].pattern).p;
        if (!edit_regex(*state, str_c(cases[i].text), &p, &r, &err))
            fail_msg("%s: %s", row, err.msg);
        CHECK_STR(row, r.text, cases[i].want);
        CHECK_INT(row, r.replacements, cases[i].count);
        CHECK_INT(row, r.lines, cases[i].lines);
        check_untouched(row, str_c(cases[i].text), &r);
    }
}

/* SEC-71: patterns that take long on a large text end. */
static void test_bounded(void **state)
{
    enum { BYTES = 1 << 20 };
    static const char *const slow[] = {
        "[\\s\\S]*q", "(?s)(a+)+q", "([^q]*)*q", "(\\s|\\S)*[\\s\\S]*q", "(?s).*.*.*q",
    };
    char *p = arena_alloc(*state, BYTES);
    memset(p, 'a', BYTES);
    for (size_t i = 79; i < BYTES; i += 80)
        p[i] = '\n';
    for (size_t i = 0; i < COUNT_OF(slow); i++) {
        struct stop stop = stop_within(NULL, 5000);
        struct edit_pattern e = {
            .pattern = str_c(slow[i]), .replacement = STR("x"), .stop = &stop};
        struct edit_result r;
        struct err err = {0};
        uint64_t start = clock_ms();
        CHECK(slow[i], !edit_regex(*state, (str){p, BYTES}, &e, &r, &err));
        CHECK(slow[i], clock_ms() - start < 60000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {ARENA_TEST(test_as_rg), ARENA_TEST(test_spans),
                                       ARENA_TEST(test_bounded)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
