/* Lines for people: what is cut at which width, what is coloured, and what a note cannot do to a terminal. */
#include "app/answers/term.h"

#include <stdlib.h>
#include <time.h>

#include "app/answers/term_fold.h"
#include "app/answers/term_progress.h"
#include "app/answers/term_table.h"
#include "base/clock.h"
#include "check.h"

static struct term term_of(struct arena *a, size_t width, bool colour)
{
    return (struct term){.fd = -1, .colour = colour, .width = width, .out = SBUF_ON(a)};
}

static void test_found(void **state)
{
    static const struct {
        const char *line;
        size_t start, end, width;
        const char *want;
    } rows[] = {
        {"alpha beta", 0, 5, 0, "alpha beta"},
        {"alpha beta", 0, 5, 10, "alpha beta"},
        {"alpha beta", 0, 5, 9, "alpha b…"},
        {"one two three four five six", 24, 27, 12, "…r five six"},
        {"one two three four five six", 8, 13, 12, "…wo three f…"},
        {"", 0, 0, 10, ""},
        {"ääääääääääää", 0, 0, 8, "ääääää…"},
        {"日本語日本語日本語", 0, 0, 8, "日本語…"},
        {"a\x1b[31mb\a\r", 0, 0, 0, "a\xEF\xBF\xBD[31mb\xEF\xBF\xBD\xEF\xBF\xBD"},
        {"tab\there", 0, 0, 0, "tab here"},
        {"right \xE2\x80\xAEto left", 0, 0, 0, "right \xEF\xBF\xBDto left"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct term t = term_of(*state, 0, false);
        struct textscan_mark mark = {rows[i].start, rows[i].end};
        term_found(&t, str_c(rows[i].line), &mark, rows[i].end > 0, rows[i].width);
        CHECK_STR(rows[i].line, sbuf_str(&t.out), rows[i].want);
        CHECK("within the width",
              rows[i].width == 0 || term_width(sbuf_str(&t.out)) <= rows[i].width);
    }
}

/* Between words, below the text of a list, and anywhere in a word that is too long. */
static void test_fold(void **state)
{
    static const struct {
        const char *line;
        size_t width;
        const char *want;
    } rows[] = {
        {"", 10, ""},
        {"fits in it", 10, "fits in it"},
        {"does not fit", 10, "does not\nfit"},
        {"   23  [ ] Tomato plants with blight", 24,
         "   23  [ ] Tomato plants\n       with blight"},
        {"  indented words that go on", 20, "  indented words\n    that go on"},
        {"Projects/Plan.md  why it is listed here", 24,
         "Projects/Plan.md  why it\n  is listed here"},
        {"a  b  c and a longer text", 12, "a  b  c and\n   a longer\n   text"},
        {"one-word-that-is-longer-than-a-line", 12,
         "one-word-tha\nt-is-longer-\nthan-a-line"},
        {"see one-word-that-is-long", 12, "see\none-word-tha\nt-is-long"},
        {"日本語 日本語 日本語", 14, "日本語 日本語\n日本語"},
        {"\x1b[31mred words\x1b[0m and plain ones", 12,
         "\x1b[31mred words\x1b[0m\nand plain\nones"},
        {"  1  x", 4, "  1\nx"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct sbuf out = SBUF_ON(*state);
        term_fold(str_c(rows[i].line), rows[i].width, &out);
        CHECK_STR(rows[i].line, sbuf_str(&out), rows[i].want);
        str rest = sbuf_str(&out), line;
        while (rest.n > 0 && str_next(&rest, '\n', &line))
            CHECK(rows[i].line, term_fold_width(line) <= rows[i].width);
    }
}

/* Only on a terminal, and not what may be copied. */
static void test_folded_lines(void **state)
{
    struct term t = term_of(*state, 12, false), pipe = term_of(*state, 0, false);
    term_put(&t, TERM_PLAIN, STR("a line "));
    term_put(&t, TERM_BAD, STR("in parts\n"));
    term_put(&t, TERM_PLAIN, STR("of our own text\n"));
    term_text(&t, STR("the text of a note\n"));
    term_diff(&t, STR("+a line of a diff\n"));
    term_json(&t, STR("{\"json\": \"as it is\"}\n"));
    CHECK_STR("terminal", sbuf_str(&t.out),
              "a line in\nparts\nof our own\ntext\nthe text of a note\n"
              "+a line of a diff\n{\"json\": \"as it is\"}\n");
    term_put(&pipe, TERM_PLAIN, STR("of our own text\n"));
    CHECK_STR("pipe", sbuf_str(&pipe.out), "of our own text\n");
}

/* The widest columns give way, and what does not fit is cut. */
static void test_table(void **state)
{
    static const str cells[] = {STR("Books/Walden.md"), STR("reading"),
                                STR("a text that is longer")};
    static const struct {
        size_t width;
        const char *want;
    } rows[] = {
        {0, "Books/Walden.md  reading  a text that is longer\n"},
        {80, "Books/Walden.md  reading  a text that is longer\n"},
        {40, "Books/Walden.md  reading  a text that i…\n"},
        {24, "Books/…  reading  a tex…\n"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct term t = term_of(*state, rows[i].width, false);
        size_t widths[3] = {0};
        for (size_t k = 0; k < 3; k++)
            term_table_widen(&t, &widths[k], cells[k]);
        term_table_fit(&t, widths, 3);
        term_table_line(&t, cells, widths, 3, TERM_PATH, TERM_PLAIN);
        CHECK_STR(rows[i].want, sbuf_str(&t.out), rows[i].want);
    }
}

static void test_colours(void **state)
{
    static const struct {
        enum term_style style;
        const char *text, *want;
    } rows[] = {
        {TERM_PLAIN, "x\n", "x\n"},
        {TERM_BAD, "x\n", "\x1b[31mx\x1b[0m\n"},
        {TERM_MATCH, "x", "\x1b[1;31mx\x1b[0m"},
        {TERM_GOOD, "", ""},
        {TERM_GOOD, "\n", "\n"},
        {TERM_PATH, "a\nb\n", "\x1b[35ma b\x1b[0m\n"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct term t = term_of(*state, 80, true), plain = term_of(*state, 80, false);
        term_put(&t, rows[i].style, str_c(rows[i].text));
        CHECK_STR(rows[i].text, sbuf_str(&t.out), rows[i].want);
        term_put(&plain, rows[i].style, str_c(rows[i].text));
        CHECK("no colour", str_find_char(sbuf_str(&plain.out), '\x1b') == STR_NONE);
    }
}

static void test_diff(void **state)
{
    struct term t = term_of(*state, 80, true);
    term_diff(&t, STR("--- a\n+++ a\n@@ -1 +1 @@\n-x\n+y\n z\nrename to b\n"));
    CHECK_STR("diff", sbuf_str(&t.out),
              "\x1b[1m--- a\x1b[0m\n\x1b[1m+++ a\x1b[0m\n\x1b[32m@@ -1 +1 "
              "@@\x1b[0m\n\x1b[31m-x\x1b[0m\n"
              "\x1b[32m+y\x1b[0m\n z\n\x1b[1mrename to b\x1b[0m\n");
}

/* Several lines keep their line breaks and tabs, and nothing else that moves the cursor. */
static void test_texts(void **state)
{
    struct term t = term_of(*state, 80, false), pipe = term_of(*state, 0, false);
    term_text(&t, STR("a\tb\r\nc\rd\x1b\n"));
    CHECK_STR("text", sbuf_str(&t.out),
              "a\tb\r\nc\xEF\xBF\xBD"
              "d\xEF\xBF\xBD\n");
    t.out.n = 0;
    term_json(&t, STR("{\"a\":\"\x7F\xC2\x9B\"}\n"));
    CHECK_STR("json", sbuf_str(&t.out), "{\"a\":\"\\u007f\\u009b\"}\n");
    term_json(&pipe, STR("{\"a\":\"\x7F\"}\n"));
    CHECK_STR("json in a pipe", sbuf_str(&pipe.out), "{\"a\":\"\x7F\"}\n");
}

static void test_places(void **state)
{
    static const struct {
        size_t width;
        uint32_t line;
        bool new_path;
        size_t left;
        const char *want;
    } rows[] = {
        {0, 12, true, 0, "a.md:12:"},         {0, 0, true, 0, "a.md:"},
        {80, 12, true, 72, "a.md\n    12  "}, {80, 12, false, 72, "    12  "},
        {80, 0, false, 72, "        "},       {10, 12, false, 20, "    12  "},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct term t = term_of(*state, rows[i].width, false);
        CHECK_INT(rows[i].want,
                  term_place(&t, STR("a.md"), rows[i].line, rows[i].new_path),
                  rows[i].left);
        CHECK_STR(rows[i].want, sbuf_str(&t.out), rows[i].want);
    }
}

static void test_columns(void **state)
{
    struct term t = term_of(*state, 80, false);
    term_left(&t, TERM_PLAIN, STR("日本"), 6);
    term_right(&t, TERM_PLAIN, STR("ä"), 3);
    term_number(&t, TERM_PLAIN, 42);
    term_number(&t, TERM_PLAIN, -1);
    term_left(&t, TERM_PLAIN, STR("too wide"), 3);
    CHECK_STR("columns", sbuf_str(&t.out), "日本    ä   42     too wide");
    CHECK_STR("one", term_count(&t, 1, "note", "notes"), "1 note");
    CHECK_STR("several", term_count(&t, 0, "note", "notes"), "0 notes");
}

static void test_sizes(void **state)
{
    static const struct {
        int64_t bytes;
        const char *want;
    } rows[] = {
        {0, "0 B"},
        {999, "999 B"},
        {1000, "1.0 KB"},
        {1536, "1.5 KB"},
        {12345, "12 KB"},
        {9000000, "9.0 MB"},
        {123456789, "123 MB"},
        {5000000000, "5.0 GB"},
        {7000000000000, "7.0 TB"},
        {7000000000000000, "7000 TB"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        CHECK_STR(rows[i].want, term_size(*state, rows[i].bytes), rows[i].want);
    CHECK("unset", term_is_dumb_on(MACHINE_LINUX, NULL));
    CHECK("dumb", term_is_dumb_on(MACHINE_WINDOWS, "dumb"));
    CHECK("Windows", !term_is_dumb_on(MACHINE_WINDOWS, NULL));
    CHECK("xterm", !term_is_dumb_on(MACHINE_LINUX, "xterm"));
    setenv("TZ", "UTC", 1);
    tzset();
    CHECK_STR("time", term_time(*state, 1767323045), "2026-01-02 03:04");
    setenv("TZ", "XXX-5:30", 1);
    tzset();
    CHECK_STR("local time", term_time(*state, 1767323045), "2026-01-02 08:34");
}

static void test_ago(void **state)
{
    setenv("TZ", "XXX-1", 1);
    tzset();
    struct clock_date noon = {.year = 2026, .month = 11, .day = 16, .hour = 12};
    int64_t now = clock_from_local(&noon), minute = 60, hour = 3600, day = 86400;
    struct {
        int64_t then;
        const char *want;
    } rows[] = {
        {now, "just now"},
        {now - minute + 1, "just now"},
        {now + minute, "just now"},
        {now + 2 * minute, "2026-11-16 12:02"},
        {now - minute, "1 minute ago"},
        {now - 59 * minute, "59 minutes ago"},
        {now - hour, "1 hour ago"},
        {now - 23 * hour, "23 hours ago"},
        {now - day, "yesterday 12:00"},
        {now - 36 * hour + minute, "yesterday 00:01"},
        {now - 2 * day, "2 days ago"},
        {now - 6 * day, "6 days ago"},
        {now - 7 * day, "2026-11-09 12:00"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        str got = term_ago(*state, rows[i].then, now);
        CHECK_STR(rows[i].want, got, rows[i].want);
        CHECK("it fits its column", got.n <= TERM_WHEN);
    }
    struct term pipe = term_of(*state, 0, false), screen = term_of(*state, 80, false);
    CHECK_STR("a pipe", term_when(&pipe, now), "2026-11-16 12:00");
    CHECK_STR("an old time", term_when(&screen, now - 4000 * day), "2015-12-04 12:00");
    CHECK_STR("no time", term_when_iso(&pipe, STR("2026-11-16")), "2026-11-16");
    CHECK_STR("of JSON", term_when_iso(&pipe, STR("1970-01-02T00:00:00.123Z")),
              "1970-01-02 01:00");
}

static void test_progress(void **state)
{
    static const struct {
        size_t first, done, all, width;
        uint64_t ms;
        const char *want;
    } rows[] = {
        {0, 5, 20, 80, 400, "Reading [#######                       ] 5 of 20 files"},
        {0, 5, 20, 80, 5000,
         "Reading [#######                       ] 5 of 20 files, 1/s, 16 s left"},
        {1000, 3000, 20000, 100, 2000,
         "Reading [####                          ] 3000 of 20000 files, 1000/s, 18 s "
         "left"},
        {0, 1, 1000000, 60, 20000,
         "Reading [             ] 1 of 1000000 files, 231 d 11 h left"},
        {0, 20, 20, 80, 5000,
         "Reading [##############################] 20 of 20 files, 4/s"},
        {0, 5, 20, 30, 400, "Reading: 5 of 20 files"},
        {0, 5, 20, 12, 400, "Reading: 5 "},
        {0, 0, 0, 80, 9000, "Reading: 9 s"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct term_progress p = {
            .what = "Reading", .unit = "files", .first = rows[i].first};
        str got = term_progress_line(*state, &p, rows[i].done, rows[i].all, rows[i].ms,
                                     rows[i].width);
        CHECK_STR(rows[i].want, got, rows[i].want);
        CHECK("it fits", got.n < rows[i].width);
    }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_found), ARENA_TEST(test_colours), ARENA_TEST(test_diff),
        ARENA_TEST(test_texts), ARENA_TEST(test_places),  ARENA_TEST(test_columns),
        ARENA_TEST(test_sizes), ARENA_TEST(test_fold),    ARENA_TEST(test_folded_lines),
        ARENA_TEST(test_table), ARENA_TEST(test_ago),     ARENA_TEST(test_progress),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
