/* What the vectors leave open: decisions of ours, messages, limits. */
#include <time.h>

#include "base/clock.h"
#include "eval_world.h"

/* Processor time: the machine may be busy. */
static time_t thread_cpu_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec;
}

static void test_decisions(void **state)
{
    static const struct {
        const char *text, *value;
    } cases[] = {
        /* null */
        {"missing + 1", ""},
        {"\"a\" + missing", ""},
        {"missing < 1", "false"},
        {"missing > 1", "false"},
        {"missing.a.b", ""},
        {"missing.contains(\"x\")", "false"},
        {"date(missing)", ""},
        /* comparing */
        {"5 == \"5\"", "true"},
        {"\"abc\".contains(\"B\")", "true"},
        {"\"abc\".startsWith(\"A\")", "false"},
        {"[1] == [1]", "true"},
        {"{\"a\": 1, \"b\": 2} == {\"b\": 2, \"a\": 1}", "true"},
        {"duration(\"1d\") == \"24h\"", "true"},
        {"duration(\"1d\") > 1000", "true"},
        {"true > false", "true"},
        {"[] || {}", "false"},
        {"[0] && duration(\"0s\")", "true"},
        {"up == \"Beta\"", "true"},
        /* texts */
        {"\"a\\u00e9\\ud83d\\ude00\".length", "3"},
        {"\"größe\".title()", "Größe"},
        {"\"o'neil d'ARC\".title()", "O'neil D'arc"},
        {"\"abc\"[1]", "b"},
        {"\"abc\"[7]", ""},
        {"\"aXbX\".replace(/x/gi, \"[$&]\")", "a[X]b[X]"},
        {"\"a1b2\".split(/([0-9])/).join(\"|\")", "a|1|b|2|"},
        {"\"\".split(\"\").length", "0"},
        {"\"ab\".replace(/(?<=a)b/, \"c\")", "ac"},
        {"1e21.toString()", "1e+21"},
        {"(1/3).toString()", "0.3333333333333333"},
        {"(0.0000001).toString()", "1e-7"},
        {"(-1.5).toFixed(0)", "-2"},
        {"(-0.0001).toFixed(2)", "0.00"},
        {"(1e21).toFixed(2)", "1e+21"},
        {"[1, null, \"x\"].join()", "1,,x"},
        {"[1, [2, 3]].toString()", "1, 2, 3"},
        {"{\"a\": [1]}.toString()", "{\"a\":[1]}"},
        /* dates */
        {"date(\"2026-01-31\") + \"1M\"", "2026-02-28"},
        {"today() + \"24h\"", "2026-11-17T00:00:00"},
        {"today() + (date(\"2026-01-03\") - date(\"2026-01-01\"))", "2026-11-18"},
        {"date(\"2026-01-01 10:00:00.250\").millisecond", "250"},
        {"duration(\"1y 2M\").months", "14"},
        {"duration(\"P1DT12H\").hours", "36"},
        {"duration(\"-1.5 h\").minutes", "-90"},
        {"date(\"20261116\") == today()", "true"},
        /* lists */
        {"n.contains(2)", "true"},
        {"list(missing).length", "0"},
        {"[3, null, \"b\", 1, \"A\"].sort().join()", "1,3,A,b,"},
        {"[1, 2].reduce(acc, 5)", "5"},
        {"[1, 2].reduce(acc)", ""},
        {"max([1, 5, 2])", "5"},
        {"[1, 2, 3, 4].median()", "2.5"},
        {"[1].slice(-5, 9).length", "1"},
        {"tags.contains(\"WORK\")", "true"},
        /* files */
        {"file.inFolder(\"\")", "true"},
        {"file.inFolder(\"projects\")", "false"},
        {"file.hasProperty(\"STATUS\")", "true"},
        {"up.asFile().folder", "Projects/Old"},
        {"file(\"Ann\").backlinks.join()", "[[Projects/Alpha.md]]"},
        {"link(\"Ann\", icon(\"x\")).toString()", "[[Ann|x]]"},
    };
    struct world *w = *state;
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_STR(cases[i].text, world_text(w, "Projects/Alpha.md", cases[i].text),
                  cases[i].value);
}

static void test_messages(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"nub(1)", "Cannot find function \"nub\": did you mean now()?"},
        {"contains(file.name, \"x\")",
         "Cannot find function \"contains\": write value.contains(...)"},
        {"status.lowr()",
         "Cannot find function \"lowr\" on type String: did you mean lower()?"},
        {"missing.lower()", "Cannot find function \"lower\" on type Null: the value is "
                            "missing, so guard it with if()"},
        {"duration(\"1d\").round()", "Cannot find function \"round\" on type Duration: "
                                     "take .days, .hours or another unit first"},
        {"up.path", "Cannot find \"path\" on type Link: use asFile() to get its file"},
        {"file.nam", "Cannot find \"nam\" on type File"},
        {"2 * duration(\"1h\")", "Invalid operator between Number and Duration"},
        {"-status", "Invalid operator - before String"},
        {"number(\"x\")", "Unable to parse \"x\" as a number."},
        {"number(missing)", "Unable to parse \"\" as a number."},
        {"date(\"2026-02-30\")", "Unable to parse \"2026-02-30\" as a date"},
        {"status.split()", "split() needs at least 1 argument"},
        {"link(\"No\").linksTo(file)", "the link \"No\" leads to no file"},
        {"\"x\".repeat(0.5)", "repeat() needs a whole number from 0"},
        {"[1, status.lowr()]",
         "Cannot find function \"lowr\" on type String: did you mean lower()?"},
    };
    struct world *w = *state;
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_STR(cases[i].text, world_value(w, "Projects/Alpha.md", cases[i].text).text,
                  cases[i].message);
}

static void test_formulas(void **state)
{
    static const char *const formulas[] = {
        "a",     "formula.b",
        "b",     "formula.a",
        "lazy",  "if(true, 1, formula.lazy)",
        "nest",  "[1, 2].map(formula.inner + value).join()",
        "inner", "[10, 20].map(value).sum()",
    };
    static const struct {
        const char *text, *value;
    } cases[] = {
        {"formula.a", "error: formula \"a\" uses itself"},
        {"formula.b", "error: formula \"b\" uses itself"},
        {"if(false, formula.a, 7)", "7"},
        {"formula.lazy", "1"},
        {"formula.nest", "31,32"},
    };
    struct world *w = *state;
    world_formulas(w, formulas, COUNT_OF(formulas) / 2);
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_STR(cases[i].text, world_text(w, "Ann.md", cases[i].text), cases[i].value);
}

/* What could go on for ever, or fill the memory, ends with an error. */
static void test_limits(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"\"x\".repeat(1000001 * 2)", "the text is longer than 1048576 bytes"},
        {"\"xxxxxxxxxx\".repeat(100000).split(\"\").map(\"x\".repeat(1000)).join()",
         "the list has more than 100000 items"},
        {"\"x\".repeat(100000).split(\"\").reduce([acc], 0)",
         "lists are nested deeper than 64 levels"},
        {"\"x\".repeat(50).split(\"\").reduce([acc, acc], 0)",
         "the list has more than 100000 items"},
        {"\"x\".repeat(50).split(\"\").reduce(acc + acc, \"x\")",
         "the text is longer than 1048576 bytes"},
        {"/^(a+)+$/.matches(\"a\".repeat(60) + \"b\")",
         "the regular expression needs more than 1000000 steps"},
        {"/[^=]*[^=]*[^=]*[^=]*x=/.matches(\"a\".repeat(5000) + \"x\" + \"y=\")",
         "the regular expression needs more than 1000000 steps"},
    };
    struct world *w = *state;
    time_t start = thread_cpu_s();
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_STR(cases[i].text, world_value(w, "Ann.md", cases[i].text).text,
                  cases[i].message);
    CHECK("time", thread_cpu_s() - start < 20);
    CHECK("not stopped", w->eval.stopped == EVAL_GOES_ON);
}

static bool soon(void *arg)
{
    return clock_ms() > *(const uint64_t *)arg;
}

static void test_stop(void **state)
{
    struct world *w = *state;
    uint64_t until = clock_ms() + 50;
    time_t start = thread_cpu_s();
    struct stop stop = {.asked = soon, .arg = &until};
    const char *loops = "\"x\".repeat(90000).split(\"\").map(\"x\".repeat(90000)"
                        ".split(\"\").map(value + index).length)";
    w->eval.stop = &stop;
    CHECK_STR("time", world_value(w, "Ann.md", loops).text,
              "stopped: the query needs more than 5 seconds");
    CHECK("stopped", w->eval.stopped == EVAL_TIME);
    CHECK("soon", thread_cpu_s() - start < 5);
    w->eval.stopped = EVAL_GOES_ON;
    w->eval.stop = NULL;
    w->eval.steps = 0;
    CHECK_STR("memory",
              world_value(w, "Ann.md",
                          "\"x\".repeat(1000).split(\"\").map(value.repeat(1000000))")
                  .text,
              "stopped: the query needs more than 256 MB of memory");
    w->eval.stopped = EVAL_GOES_ON;
    arena_reset(&w->arena);
    eval_open(&w->eval, &w->arena);
    w->eval.steps = EVAL_STEPS_MAX - 10000;
    CHECK_STR("steps", world_value(w, "Ann.md", loops).text,
              "stopped: the query needs more than 50 million steps");
}

static void test_random(void **state)
{
    struct world *w = *state;
    struct value a = world_value(w, "Ann.md", "random()");
    struct value same = world_value(w, "Ann.md", "random()");
    struct value other = world_value(w, "zero.md", "random()");
    CHECK("again", a.real == same.real);
    CHECK("other row", a.real != other.real);
    CHECK_STR("calls", world_text(w, "Ann.md", "random() == random()"), "false");
    w->eval.seed = 1;
    CHECK("seed", a.real != world_value(w, "Ann.md", "random()").real);
}

static void test_json(void **state)
{
    static const struct {
        const char *text, *json;
    } cases[] = {
        {"duration(\"5d\")", "{\"duration\":\"5 days\",\"days\":5}"},
        {"1 / 0", "\"Infinity\""},
        {"number(\"x\")", "{\"error\":\"Unable to parse \\\"x\\\" as a number.\"}"},
        {"[1, 2.5, null, true, due]", "[1,2.5,null,true,\"2026-11-20\"]"},
        {"{\"a\": {\"b\": up}}", "{\"a\":{\"b\":\"[[Beta]]\"}}"},
        {"file", "\"Projects/Alpha.md\""},
        {"n", "[1,2]"},
    };
    struct world *w = *state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct value v = world_value(w, "Projects/Alpha.md", cases[i].text);
        struct sbuf b = SBUF_ON(&w->arena);
        struct jsonw j = JSONW_ON(&b);
        value_json(&j, &v);
        CHECK_STR(cases[i].text, sbuf_str(&b), cases[i].json);
    }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(test_decisions), WORLD_TEST(test_messages), WORLD_TEST(test_formulas),
        WORLD_TEST(test_limits),    WORLD_TEST(test_stop),     WORLD_TEST(test_random),
        WORLD_TEST(test_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
