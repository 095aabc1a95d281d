/* Every operator on a few files; each row says which of them match, and where. */
#include "vault/ask/query_match.h"

#include <stdio.h>

#include "base/sbuf.h"

#include "check.h"

static const struct {
    const char *path, *text;
} sources[] = {
    /* 0 */
    {"Projects/Happy Cat.md", "---\n"
                              "status: Draft\n"
                              "aliases: [Kitty, Tom Cat]\n"
                              "duration: 7\n"
                              "due: 2024-03-01\n"
                              "empty:\n"
                              "quoted: \"\"\n"
                              "none: []\n"
                              "up: \"[[Index]]\"\n"
                              "tags: [work/urgent]\n"
                              "---\n"
                              "# Dogs\n"
                              "A dog and a HappyCat.\n"
                              "\n"
                              "mix the flour\n"
                              "## Food\n"
                              "- [ ] call Anna #home\n"
                              "- [x] email Bob\n"
                              "- [/] call Carl\n"
                              "# Birds\n"
                              "one bird\n"
                              "one fish, star\n"
                              "wars\n"},
    /* 1 */
    {"Daily notes/2022-07-01.md", "Meeting at 10:30 about the Stra\u00DFe. #Work\n"
                                  "\n"
                                  "```\n"
                                  "code #nottag\n"
                                  "\n"
                                  "in code\n"
                                  "```\n"
                                  "> quoted dog\n"
                                  "> and cat\n"
                                  "\n"
                                  "1. first item cat\n"
                                  "   more of it\n"
                                  "2. second dog\n"},
    /* 2 */
    {"Archive/starwars.md",
     "---\nstatus: published\nduration: 3\ndue: 2023-01-01\n---\n"
     "The Empire. \u4F1A\u8BAE\u8BB0\u5F55 \u0412\u0441\u0442\u0440\u0435\u0447\u0430 "
     "#work #myjob/work\n"
     "Star Wars, they said \"hello\" to each other.\n"},
    /* 3 */
    {"Pictures/cat.jpg", ""},
    /* 4 */
    {"Board.canvas", "{\"nodes\":[{\"text\":\"canvas dog\"}]}"},
};

struct world {
    struct arena arena;
    struct regex_scratch *scratch;
    struct query_file files[COUNT_OF(sources)];
};

static struct str_list all_tags(struct arena *a, const struct note *note,
                                const struct frontmatter *f)
{
    struct str_list front = frontmatter_tags(a, f), all = {0};
    all.items = ARENA_ARRAY(a, str, front.n + note->n_tags);
    for (size_t i = 0; i < front.n; i++)
        all.items[all.n++] = front.items[i];
    for (uint32_t i = 0; i < note->n_tags; i++)
        all.items[all.n++] = span_of(note->text, note->tags[i].name);
    return all;
}

static int setup(void **state)
{
    struct world *w = mem_zero(sizeof(*w));
    w->scratch = regex_scratch_create();
    for (size_t i = 0; i < COUNT_OF(sources); i++) {
        struct query_file *f = &w->files[i];
        f->path = str_c(sources[i].path);
        f->text = str_c(sources[i].text);
        if (!str_ends(f->path, STR(".md")))
            continue;
        struct note *note = ARENA_NEW(&w->arena, struct note);
        struct frontmatter *front = ARENA_NEW(&w->arena, struct frontmatter);
        note_scan(&w->arena, f->text, note);
        if (note->has_frontmatter)
            frontmatter_read(&w->arena, span_of(f->text, note->frontmatter), 2, front);
        f->note = note;
        f->frontmatter = front;
        f->tags = all_tags(&w->arena, note, front);
    }
    *state = w;
    return 0;
}

static int teardown(void **state)
{
    struct world *w = *state;
    regex_scratch_free(w->scratch);
    arena_release(&w->arena);
    free(w);
    return 0;
}

static struct query_matcher *compile(struct world *w, const char *text)
{
    const struct query *q;
    struct query_matcher *m = NULL;
    struct err err = {0};
    if (!query_parse(&w->arena, str_c(text), &q, &err) || !query_compile(q, &m, &err))
        fail_msg("%s: %s", text, err.msg);
    return m;
}

/* "013": the files that match. */
static str matching(struct world *w, const char *text)
{
    struct query_matcher *m = compile(w, text);
    struct sbuf b = SBUF_ON(&w->arena);
    for (size_t i = 0; i < COUNT_OF(sources); i++) {
        struct query_hits hits;
        bool found = query_match(m, w->scratch, &w->arena, &w->files[i], &hits);
        CHECK_INT(text, query_match(m, w->scratch, &w->arena, &w->files[i], NULL), found);
        CHECK(text, found || (hits.n == 0 && !hits.in_name));
        CHECK(text, !hits.limited);
        if (found)
            sbuf_char(&b, (char)('0' + i));
    }
    query_matcher_free(m);
    return sbuf_str(&b);
}

static void test_matches(void **state)
{
    static const struct {
        const char *query, *files;
    } cases[] = {
        {"", "01234"},
        /* words: anywhere in content and name, ignoring case */
        {"dog", "014"},
        {"DOG cat", "01"},
        {"dog OR empire", "0124"},
        {"ppyca", "0"},
        {"board", "4"},
        {"jpg", ""},
        {"canvas", "4"}, /* by its content, not its extension */
        {"2022-07", "1"},
        {"\u0432\u0441\u0442\u0440\u0435\u0447\u0410", "2"},
        {"stra\u00DFe", "1"},
        {"10:30", "1"},
        {"-dog", "23"},
        {"dog -bird", "14"},
        {"dog -(bird fish)", "14"},
        {"-(dog cat)", "234"},
        /* phrases: whole words in a row */
        {"\"star wars\"", "02"}, /* a line break counts as a space */
        {"\"tar wars\"", ""},
        {"\"star war\"", ""},
        {"\"Happy\"", "0"}, /* the name; HappyCat is one word */
        {"content:\"Happy\"", ""},
        {"\"they said \\\"hello\\\" to\"", "2"},
        {"\"- [ ]\"", "0"},
        {"\"\u8BAE\u8BB0\"", "2"},
        {"\"\"", "01234"},
        {"-\"star wars\"", "134"},
        /* regular expressions */
        {"/^one (bird|fish)/", "0"},
        {"/DOG$/", "1"},
        {"/\\d{4}-\\d{2}-\\d{2}/", "012"},
        {"match-case:/DOG$/", ""},
        {"/\\/[a-z]/", "02"},
        {"/(?<year>\\d{4})-07/", "1"},
        /* file, path, content */
        {"file:.jpg", "3"},
        {"file:md", "012"},
        {"file:(cat OR star) -file:jpg", "02"},
        {"file:-cat", "124"},
        {"path:\"Daily notes/2022-07\"", "1"},
        {"path:-\"Daily notes\"", "0234"},
        {"path:/^\\w+\\/\\d|canvas$/", "4"},
        {"path:archive", "2"},
        {"content:board", ""},
        {"content:(dog -bird)", "14"},
        /* case */
        {"match-case:HappyCat", "0"},
        {"match-case:happycat", ""},
        {"match-case:\u0412\u0441\u0442", "2"},
        {"match-case:\u0432\u0441\u0442", ""},
        {"match-case:(Dog OR ignore-case:Dog)", "014"},
        {"match-case:\"Star Wars\"", "2"},
        {"ignore-case:HAPPYCAT", "0"},
        /* tags */
        {"tag:#work", "012"},
        {"tag:work", "012"},
        {"tag:#WORK/urgent", "0"},
        {"tag:#wor", ""},
        {"tag:#nottag", ""},
        {"tag:#urgent", ""},
        {"tag:#myjob", "2"},
        {"tag:(#work -#home)", "12"},
        {"-tag:#work", "34"},
        {"match-case:tag:#WORK", "012"},
        {"tag:/^my/", "2"},
        /* lines */
        {"line:(mix flour)", "0"},
        {"line:(dog flour)", ""},
        {"-line:(mix flour)", "1234"},
        {"line:(dog -cat)", "014"},
        {"line:\"star wars\"", "2"},
        {"line:/^wars$/", "0"},
        {"line:(tag:#home call)", "0"},
        {"line:(tag:#home bob)", ""},
        {"line:\"\"", "0124"},
        /* blocks */
        {"block:(dog cat)", "01"},
        {"block:(dog flour)", ""},
        {"block:(item second)", ""},
        {"block:(first more)", "1"},
        {"block:(code \"in code\")", "1"},
        {"block:(meeting code)", ""},
        {"block:(anna bob)", ""},
        {"block:(bird wars)", "0"},
        {"block:(status duration)", "02"},
        {"block:(line:mix line:flour)", "0"},
        /* sections */
        {"section:(dogs flour)", "0"},
        {"section:(dogs anna)", ""}, /* below another heading */
        {"section:(dogs section:anna)", "0"},
        {"section:(food section:flour)", ""},
        {"section:(birds section:anna)", ""},
        {"section:(status dogs)", ""},
        {"section:(status draft)", "0"},
        {"section:(line:(one bird) line:(one fish))", "0"},
        /* tasks */
        {"task:call", "0"},
        {"task:dog", ""},
        {"task:\"\"", "0"},
        {"-task:\"\"", "1234"},
        {"task-todo:anna", "0"},
        {"task-todo:bob", ""},
        {"task-done:(bob OR anna)", "0"},
        {"task-done:carl", "0"},
        {"task-done:anna", ""},
        {"task:(call -anna)", "0"},
        {"section:(food task-done:bob)", "0"},
        {"section:(birds task-done:bob)", ""},
        {"task:tag:#home", "0"},
        /* properties */
        {"[status]", "02"},
        {"[STATUS]", "02"},
        {"[stat]", ""},
        {"[/^sta/]", "02"},
        {"[-status]", "02"}, /* some other property */
        {"-[status]", "134"},
        {"[status:draft]", "0"},
        {"[status:raf]", "0"},
        {"[status:\"raf\"]", ""},
        {"[status:\"DRAFT\"]", "0"},
        {"[status:Draft OR Published]", "02"},
        {"[status:/^pub/]", "2"},
        {"[status:-draft]", "2"},
        {"-[status:draft]", "1234"},
        {"[aliases:kitty]", "0"},
        {"[aliases:\"Tom Cat\"]", "0"},
        {"[aliases:kitty \"tom cat\"]", "0"},
        {"[aliases:kitty bird]", ""},
        {"[empty:null]", "0"},
        {"[empty]", "0"},
        {"[quoted:null]", ""},
        {"[none:null]", ""},
        {"[status:null]", ""},
        {"[duration:<5]", "2"},
        {"[duration:>5]", "0"},
        {"[duration:>7]", ""},
        {"[duration:>-1e3]", "02"},
        {"[due:>2023-06-01]", "0"},
        {"[due:<\"2023-06-01\"]", "2"},
        {"[status:>5]", ""},
        {"[up:[[Index]]]", "0"},
        {"[(status OR due):2024]", "0"},
        {"[\"status\":\"draft\"] dog", "0"},
        /* together */
        {"tag:#work -path:Archive dog OR [duration:<5]", "012"},
        {"--dog", "014"},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_STR(cases[i].query, matching(*state, cases[i].query), cases[i].files);
}

/* "dog|cat": the spans of one file, after '@' if its name matched. */
static str spans_of(struct world *w, const char *text, const struct query_file *file)
{
    struct query_matcher *m = compile(w, text);
    struct sbuf b = SBUF_ON(&w->arena);
    struct query_hits hits;
    query_match(m, w->scratch, &w->arena, file, &hits);
    if (hits.in_name)
        sbuf_char(&b, '@');
    for (size_t i = 0; i < hits.n; i++) {
        str s = span_of(file->text, hits.spans[i]);
        sbuf_printf(&b, "%s" STR_FMT, i > 0 ? "|" : "", STR_ARG(s));
    }
    query_matcher_free(m);
    return sbuf_str(&b);
}

static void test_spans(void **state)
{
    struct world *w = *state;
    static const struct {
        const char *query;
        size_t file;
        const char *spans;
    } cases[] = {
        {"dog", 0, "Dog|dog"},
        {"cat -nothing", 0, "@Cat|Cat"},
        {"file:cat", 0, "@"},
        {"\"star wars\"", 0, "star\nwars"},
        {"dog nowhere", 0, ""},
        {"dog OR bird", 0, "Dog|dog|Bird|bird"},
        {"(dog nowhere) OR bird", 0, "Bird|bird"}, /* no spans of a failed group */
        {"-nothing", 0, ""},
        {"line:(one fish)", 0, "one|fish"},
        {"line:(one -fish)", 0, "one|one"},
        {"/^o.e/", 0, "one|one"},
        {"one \"one fish\"", 0, "one|one|one fish"}, /* no nested spans */
        {"tag:#home", 0, "#home"},
        {"task:\"\"", 0, "call Anna #home|email Bob|call Carl"},
        {"task-done:call", 0, "call"},
        {"[status:draft]", 0, "status: Draft"},
        {"[aliases]", 0, "aliases: [Kitty, Tom Cat]"},
        {"tag:work", 2, "#work"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_STR(cases[i].query, spans_of(w, cases[i].query, &w->files[cases[i].file]),
                  cases[i].spans);
}

static void test_many_spans(void **state)
{
    struct world *w = *state;
    struct sbuf b = SBUF_ON(&w->arena);
    for (int i = 0; i < QUERY_SPANS_MAX * 3; i++)
        sbuf_add(&b, STR("a b\n"));
    struct query_file file = {.path = STR("many.md"), .text = sbuf_str(&b)};
    static const char *const queries[] = {"a", "line:a", "/a/", "a OR b",
                                          "block:\"a b\""};
    for (size_t i = 0; i < COUNT_OF(queries); i++) {
        struct query_matcher *m = compile(w, queries[i]);
        struct query_hits hits;
        CHECK(queries[i], query_match(m, w->scratch, &w->arena, &file, &hits));
        CHECK_INT(queries[i], hits.n, QUERY_SPANS_MAX);
        query_matcher_free(m);
    }
}

static void test_bad_regex(void **state)
{
    struct world *w = *state;
    static const char *const queries[] = {"a /(/", "line:(a OR /*/)", "[a:/(?=x)/]"};
    for (size_t i = 0; i < COUNT_OF(queries); i++) {
        const struct query *q;
        struct query_matcher *m;
        struct err err = {0};
        assert_true(query_parse(&w->arena, str_c(queries[i]), &q, &err));
        CHECK(queries[i], !query_compile(q, &m, &err));
        CHECK_INT(queries[i], err.code, ERR_INVALID);
    }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_matches),
        cmocka_unit_test(test_spans),
        cmocka_unit_test(test_many_spans),
        cmocka_unit_test(test_bad_regex),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
