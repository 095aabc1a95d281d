/* Matches across lines are those of rg --multiline, for the same patterns. */
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/encode.h"
#include "base/json.h"
#include "base/sbuf.h"
#include "edited.h"
#include "random.h"
#include "rounds.h"
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

/* --- random patterns and texts --- */

enum { TRIALS = 500 };

static const char *const atoms[] = {
    "a",   "b",   "é",      ".",      "\\w",  "\\W",   "\\s",  "\\S",
    "\\b", "\\B", "\\d",    "[a-c]",  "[^a]", "[é-ü]", "^",    "$",
    "\\A", "\\z", "(?i:A)", "\\p{L}", "x",    "\\n",   "ab|é",
};
static const char *const repeats[] = {"", "", "", "*", "+", "?", "{2}", "+?", "*?"};

static const char *random_pattern(struct arena *a, struct random *r, unsigned most)
{
    struct sbuf b = SBUF_ON(a);
    unsigned n = 1 + random_below(r, most);
    for (unsigned i = 0; i < n; i++) {
        const char *atom = atoms[random_below(r, COUNT_OF(atoms))];
        sbuf_printf(&b, "%s(?:%s)%s", i > 0 && random_one_in(r, 6) ? "|" : "", atom,
                    repeats[random_below(r, COUNT_OF(repeats))]);
    }
    sbuf_char(&b, '\0');
    return b.p;
}

/* A few lines; now and then one that is longer than what the engine gets at a time. */
static str random_text(struct arena *a, struct random *r)
{
    static const char *const pieces[] = {"a", "b",  "é", "ab", "x ",
                                         " ", "AB", "7", "ü.", "-"};
    struct sbuf b = SBUF_ON(a);
    unsigned lines = 1 + random_below(r, 4);
    for (unsigned i = 0; i < lines; i++) {
        unsigned n = random_below(r, 8), times = random_one_in(r, 200) ? 9000 : 1;
        for (unsigned k = 0; k < n; k++) {
            const char *piece = pieces[random_below(r, COUNT_OF(pieces))];
            for (unsigned again = random_one_in(r, 3) ? times : 1; again > 0; again--)
                sbuf_add(&b, str_c(piece));
        }
        if (i + 1 < lines || random_one_in(r, 2))
            sbuf_char(&b, '\n');
    }
    return b.n > 0 ? sbuf_str(&b) : STR("b"); /* an empty text has no line */
}

static str with_returns(struct arena *a, str text)
{
    struct sbuf b = SBUF_ON(a);
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] == '\n')
            sbuf_char(&b, '\r');
        sbuf_char(&b, text.p[i]);
    }
    return sbuf_str(&b);
}

/*
 * Perl's engine is not ours, and has the same meaning for these patterns. The loop is that of
 * Rust: an empty match directly after another does not count.
 */
static const char perl[] =
    "use strict; no warnings; use Encode; while (<>) {"
    " my ($p, $t) = map { decode_utf8(pack 'H*', $_ // '') } split / /, $_ =~ s/\\n//r;"
    " $p =~ s/\\(\\?:\\^\\)/(?:\\\\A|(?<=\\\\n))/g;" /* Perl's ^ is not at the end */
    " my ($o, $done, $last, $from) = ('', 0, -1, 0); my $re = qr/$p/m;"
    " while ($from <= length $t) {"
    "  pos($t) = $from; last unless $t =~ /$re/g; my ($s, $e) = ($-[0], $+[0]);"
    "  if ($e > $s || ($s != $last && !($s == length $t && $t =~ /\\n\\z/))) {"
    "   $o .= substr($t, $done, $s - $done) . '<' . substr($t, $s, $e - $s) . '>';"
    "   $done = $last = $e; }"
    "  $from = $e > $s ? $e : $e + 1; }"
    " print unpack('H*', encode_utf8($o . substr $t, $done)), \"\\n\"; }";

struct random_edit {
    const char *pattern;
    str text, given, bom;
    bool returns;
};

static void make_random_edit(struct arena *a, struct random *r, struct random_edit *out)
{
    out->text = random_text(a, r);
    out->pattern = random_pattern(a, r, out->text.n > 1000 ? 2 : 4); /* Perl is slow */
    out->bom = random_one_in(r, 4) ? STR("\xEF\xBB\xBF") : STR("");
    out->returns = random_one_in(r, 4);
    out->given =
        arena_printf(a, STR_FMT STR_FMT, STR_ARG(out->bom),
                     STR_ARG(out->returns ? with_returns(a, out->text) : out->text));
}

/* The edit gives what Perl has for the text with LF and without a byte order mark. */
static bool check_random(struct arena *a, const struct random_edit *e, str perls)
{
    struct edit_pattern p = {.pattern = str_c(e->pattern), .replacement = STR("<$0>")};
    struct edit_result out;
    struct err err = {0};
    bool ok = edit_regex(a, e->given, &p, &out, &err);
    if (!ok && err.name != E_TEXT_NOT_FOUND)
        return false; /* a limit */
    str got = ok ? out.text : e->given;
    str want = arena_printf(a, STR_FMT STR_FMT, STR_ARG(e->bom),
                            STR_ARG(e->returns ? with_returns(a, perls) : perls));
    size_t at = 0;
    while (at < got.n && at < want.n && got.p[at] == want.p[at])
        at++;
    at = at > 20 ? at - 20 : 0;
    if (!str_eq(got, want))
        fail_msg("'%s' in '" STR_FMT "' of %zu bytes\ngives '" STR_FMT
                 "'\nPerl has '" STR_FMT "'",
                 e->pattern, STR_ARG(str_slice(e->given, at, at + 60)), e->given.n,
                 STR_ARG(str_slice(got, at, at + 60)),
                 STR_ARG(str_slice(want, at, at + 60)));
    return true;
}

/* Perl's answers for the edits, one after another. */
static FILE *ask_perl(struct arena *a, const char *file, const struct random_edit *edits,
                      size_t n)
{
    struct sbuf b = SBUF_ON(a);
    for (size_t i = 0; i < n; i++)
        sbuf_printf(&b, STR_FMT " " STR_FMT "\n",
                    STR_ARG(encode_hex(a, str_c(edits[i].pattern))),
                    STR_ARG(encode_hex(a, edits[i].text)));
    put_file(file, sbuf_str(&b));
    const char *script = arena_printf(a, "%s.pl", file).p;
    put_file(script, str_c(perl));
    FILE *f = popen(arena_printf(a, "perl %s %s; rm %s", script, file, script).p, "r");
    assert_non_null(f);
    return f;
}

static void test_random_as_perl(void **state)
{
    enum { AT_ONCE = 50 };
    char file[] = "/tmp/test_edit_regex.XXXXXX";
    struct random r = {20261118};
    struct random_edit edits[AT_ONCE];
    unsigned done = 0, n = (unsigned)rounds(TRIALS);
    if (system("perl -e 1 >/dev/null 2>&1") != 0)
        SKIP("Perl is missing");
    close(mkstemp(file));
    for (unsigned i = 0; i < n; i += AT_ONCE) {
        struct arena a = {0};
        char *line = NULL;
        size_t size = 0;
        for (size_t k = 0; k < AT_ONCE; k++)
            make_random_edit(&a, &r, &edits[k]);
        FILE *f = ask_perl(&a, file, edits, AT_ONCE);
        for (size_t k = 0; k < AT_ONCE; k++) {
            str perls = {0};
            ssize_t got = getline(&line, &size, f);
            assert_true(got > 0 && decode_hex(&a, (str){line, (size_t)got - 1}, &perls));
            done += check_random(&a, &edits[k], perls);
        }
        free(line);
        pclose(f);
        arena_release(&a);
    }
    unlink(file);
    print_message("# %u edits, %u of them within the limits\n", n, done);
    CHECK("most edits are possible", done > n / 2);
}

/* Of a long line the whole match is replaced, or nothing. */
static void test_long_lines(void **state)
{
    enum { DATA = 44000, LONG = 4 << 20 };
    static const char *const whole[] = {"data:[A-Za-z0-9+/=]+", "q+", "^.*$", "^.+",
                                        "(?:qq)+"};
    struct sbuf b = SBUF_ON(*state);
    for (size_t i = 0; i < DATA; i++)
        sbuf_char(&b, 'q');
    str data = sbuf_str(&b);
    for (size_t i = 0; i < COUNT_OF(whole); i++) {
        struct edit_pattern p = {.pattern = str_c(whole[i]), .replacement = STR("X")};
        struct edit_result r;
        struct err err = {0};
        str text = arena_printf(*state, "one\n%s" STR_FMT "\nthree\n",
                                i == 0 ? "data:" : "", STR_ARG(data));
        if (!edit_regex(*state, text, &p, &r, &err))
            fail_msg("%s: %s", whole[i], err.msg);
        CHECK(whole[i], str_find(r.text, STR("\nX\n")) != STR_NONE);
    }
    char *all = arena_alloc(*state, LONG);
    memset(all, 'q', LONG);
    struct edit_pattern slow = {.pattern = STR("(q|q)*(qq|q)*z"),
                                .replacement = STR("X")};
    struct edit_result r;
    struct err err = {0};
    CHECK("too long", !edit_regex(*state, (str){all, LONG}, &slow, &r, &err));
    CHECK_INT("too long", err.code, ERR_LIMIT);
    /* lines are counted as everywhere else, and from the start of the note */
    memcpy(all, "# A\nlog 1\rlog 2\n## B\n", 21);
    slow.section = STR("B");
    CHECK("line", !edit_regex(*state, (str){all, LONG}, &slow, &r, &err));
    CHECK("line", strstr(err.msg, "on line 5") != NULL);
}

/* What precedes a match counts for \\b, and a byte order mark is no text. */
static void test_beyond_ascii(void **state)
{
    static const struct {
        const char *text, *pattern, *want;
    } cases[] = {
        {"éAB\n", "é|\\bAB", "_AB\n"},
        {"éA\n", "\\b", "_éA_\n"},
        {"é A\n", "é|\\bA", "_ _\n"},
        {"\xEF\xBB\xBF# Title\n", "^# Title", "\xEF\xBB\xBF_\n"},
        {"\xEF\xBB\xBF# Title\n", "^", "\xEF\xBB\xBF_# Title\n"},
        {"\xEF\xBB\xBF# Title\n", "\\A.", "\xEF\xBB\xBF_ Title\n"},
        {"\xEF\xBB\xBF# Title\n", "(?s)\\A.", "\xEF\xBB\xBF_ Title\n"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct edit_pattern p = {.pattern = str_c(cases[i].pattern),
                                 .replacement = STR("_")};
        struct edit_result r;
        struct err err = {0};
        if (!edit_regex(*state, str_c(cases[i].text), &p, &r, &err))
            fail_msg("%s: %s", cases[i].pattern, err.msg);
        CHECK_STR(cases[i].pattern, r.text, cases[i].want);
    }
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

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_as_rg),        ARENA_TEST(test_random_as_perl),
        ARENA_TEST(test_spans),        ARENA_TEST(test_long_lines),
        ARENA_TEST(test_beyond_ascii), ARENA_TEST(test_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
