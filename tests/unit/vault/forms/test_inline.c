#include "vault/forms/inline.h"

#include "base/sbuf.h"
#include "check.h"

/* The fields of text as "key=value@line", followed by "/item" and "t" for tasks. */
static str printed(struct arena *a, str text)
{
    struct note n;
    struct inline_field *fields;
    struct sbuf out = SBUF_ON(a);
    note_scan(a, text, &n);
    uint32_t count = inline_scan(a, &n, &fields);
    for (uint32_t i = 0; i < count; i++) {
        const struct inline_field *f = &fields[i];
        sbuf_printf(&out, "%s" STR_FMT "=" STR_FMT "@%u", i > 0 ? " | " : "",
                    STR_ARG(inline_key(text, f)), STR_ARG(span_of(text, f->value)),
                    f->line);
        if (f->item > 0)
            sbuf_printf(&out, "/%u%s", f->item, f->of_task ? "t" : "");
    }
    return sbuf_str(&out);
}

struct row {
    const char *text, *want;
};

static void check(void **state, const struct row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++)
        CHECK_STR(rows[i].text, printed(*state, str_c(rows[i].text)), rows[i].want);
}

static void test_lines(void **state)
{
    static const struct row rows[] = {
        {"Key:: value", "Key=value@1"},
        {"Key: value", ""},
        {"Key::value", "Key=value@1"},
        {"Key::", "Key=@1"},
        {"## Key:: value", "Key=value@1"},
        {"> Key:: value", "Key=value@1"},
        {"**Bold Field**:: Nice!", "Bold Field=Nice!@1"},
        {"_Field_:: x", "Field=x@1"},
        {"snake_case:: x", "snake_case=x@1"},
        {"~~a/b-c~~ :: x", "a/b-c=x@1"},
        {"Noël:: x", "Noël=x@1"},
        {"a b\nKey:: value\n", "Key=value@2"},
        {"a b\r\nKey:: value\r\n", "Key=value@2"},
        {"a:: 1\r\rb:: 2", "a=1@1 | b=2@3"},
        {"see http://x::y", ""},
        {"a, b:: c", ""},
        {":: x", ""},
        {"🎅:: x", ""},
        {"| a:: b | c |", ""},
        {"a:: b:: c", "a=b:: c@1"},
        {"---\na:: b\n---\nc:: d", "c=d@4"},
        {"\xEF\xBB\xBF"
         "a:: b",
         "a=b@1"},
    };
    check(state, rows, COUNT_OF(rows));
}

static void test_brackets(void **state)
{
    static const struct row rows[] = {
        {"a [b:: c]! (d:: e).", "b=c@1 | d=e@1"},
        {"[b:: c][d:: e]", "b=c@1 | d=e@1"},
        {"[b:: ]", "b=@1"},
        {"[:: c]", ""},
        {"see [key:: a [b] c] there", "key=a [b] c@1"},
        {"see (key:: f(x) + 1) there", "key=f(x) + 1@1"},
        {"see [key:: a \\] b] there", "key=a \\] b@1"},
        {"[a:: (b:: c)]", "a=(b:: c)@1"},
        {"[a:: (b:: c)", "b=c@1"},
        {"[a:: b) c]", "a=b) c@1"},
        {"a) ] [b:: c]", "b=c@1"},
        {"[a [b:: c]", "b=c@1"},
        {"[a] b:: c]", ""},
        {"[a:: b::c]", "a=b::c@1"},
        {"Key:: value [a:: b]", "a=b@1"},
        {"[🎅:: a]", "🎅=a@1"},
        {"x \\[a:: b\\]", ""},
        {"| [a:: b] | (c:: d) |\n|-|-|\n", "a=b@1 | c=d@1"},
    };
    check(state, rows, COUNT_OF(rows));
}

static void test_code(void **state)
{
    static const struct row rows[] = {
        {"```\na:: b\n```\nc:: d", "c=d@4"},
        {"text `[a:: b]` [c:: d]", "c=d@1"},
        {"`std::string` [c:: d]", "c=d@1"},
        {"`a`:: b", ""},
        {"    a:: b\n", ""},
        {"[a:: `]` b]", "a=`]` b@1"},
        {"$a::b$", ""},
        {"%% a:: b %%", "a=b %%@1"},
        {"<!-- a:: b -->", ""},
    };
    check(state, rows, COUNT_OF(rows));
}

static void test_items(void **state)
{
    static const struct row rows[] = {
        {"- a [b:: c]", "b=c@1/1"},
        {"- b:: c", "b=c@1/1"},
        {"1. b:: c", "b=c@1/1"},
        {"> - b:: c", "b=c@1/1"},
        {"- [ ] a [b:: c]", "b=c@1/1t"},
        {"- [ ] b:: c", ""},
        {"x\n\n- [x] a\n  [b:: c]\n  [d:: e]\n", "b=c@4/3t | d=e@5/3t"},
        {"- a\n- [ ] b [c:: d]\n- e [f:: g]", "c=d@2/2t | f=g@3/3"},
        {"- a\n\n[b:: c]", "b=c@3"},
        {"- [ ] a\n# H [b:: c]", "b=c@2"},
        {"- [ ] a [b:: c]\n# H\nd:: e", "b=c@1/1t | d=e@3"},
    };
    check(state, rows, COUNT_OF(rows));
}

static void test_dates_of_tasks(void **state)
{
    static const struct row rows[] = {
        {"- [ ] a 🗓️2021-08-29", "due=2021-08-29@1/1t"},
        {"- [ ] a 📅 2021-08-29 📅 2022-01-01", "due=2021-08-29@1/1t"},
        {"- [x] a ➕ 2021-01-01 ✅2021-08-22 b",
         "created=2021-01-01@1/1t | completion=2021-08-22@1/1t"},
        {"- [ ] a ⏳ 2021-08-01 🛫 2021-08-01",
         "scheduled=2021-08-01@1/1t | start=2021-08-01@1/1t"},
        {"- [ ] a 📅 soon", ""},
        {"- [ ] `📅 2021-08-29`", ""},
        {"- a 📅 2021-08-29", ""},
        {"- [ ] a 📅 2021-08-29\n- [ ] b [c:: d]", "due=2021-08-29@1/1t | c=d@2/2t"},
    };
    check(state, rows, COUNT_OF(rows));
}

static void test_names(void **state)
{
    static const struct row rows[] = {
        {"Basic Field", "basic-field"},   {"a  b / c", "a-b--c"}, {"**Noël**", "noël"},
        {"snake_case-x", "snake_case-x"}, {"🎅 x", "🎅-x"},         {"!?", ""},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        CHECK_STR(rows[i].text, inline_name(*state, str_c(rows[i].text)), rows[i].want);
}

/* Time must not grow faster than the text: each of these was quadratic in a draft. */
static void test_hostile(void **state)
{
    static const char *const pieces[] = {
        "[a:: ", "(",     "[a:: (b:: ", "a:: b\n", "`a:: `", "- [ ] x\n y:: z\n",
        "::",    "[a::]", "\\",         "📅 ",      "✅"};
    struct arena *a = *state;
    for (size_t i = 0; i < COUNT_OF(pieces); i++) {
        struct sbuf text = SBUF_ON(a);
        sbuf_add(&text, STR("- [ ] "));
        while (text.n < 2 << 20)
            sbuf_add(&text, str_c(pieces[i]));
        struct note n;
        struct inline_field *fields;
        note_scan(a, sbuf_str(&text), &n);
        CHECK(pieces[i], inline_scan(a, &n, &fields) <= INLINE_FIELDS_MAX);
    }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_lines),   ARENA_TEST(test_brackets),
        ARENA_TEST(test_code),    ARENA_TEST(test_items),
        ARENA_TEST(test_names),   ARENA_TEST(test_dates_of_tasks),
        ARENA_TEST(test_hostile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
