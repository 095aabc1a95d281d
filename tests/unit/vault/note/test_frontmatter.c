#include "vault/note/frontmatter.h"

#include "base/json_write.h"
#include "check.h"
#include "vault/note/frontmatter_parts.h"

static void put(struct jsonw *w, const struct prop *p)
{
    switch (p->type) {
    case PROP_NULL:
        jsonw_null(w);
        return;
    case PROP_BOOL:
        jsonw_bool(w, p->flag);
        return;
    case PROP_INT:
        jsonw_int(w, p->number);
        return;
    case PROP_FLOAT:
        jsonw_num(w, p->real);
        return;
    case PROP_TEXT:
        jsonw_str(w, p->text);
        return;
    case PROP_LIST:
        jsonw_array(w);
        break;
    case PROP_MAP:
        jsonw_object(w);
        break;
    }
    for (const struct prop *c = p->child; c != NULL; c = c->next) {
        if (p->type == PROP_MAP)
            jsonw_key(w, c->key);
        put(w, c);
    }
    jsonw_end(w);
}

/* The properties as JSON, or the reason why the block is broken. */
static str read_json(struct arena *a, str block)
{
    struct frontmatter f;
    frontmatter_read(a, block, 2, &f);
    if (f.broken)
        return arena_str(a, str_c(f.why.msg));
    struct sbuf out = SBUF_ON(a);
    struct jsonw w = JSONW_ON(&out);
    put(&w, f.props);
    return sbuf_str(&out);
}

static void test_values(void **state)
{
    static const struct {
        const char *block, *json;
    } cases[] = {
        {"", "{}"},
        {"\n\n", "{}"},
        {"# c\n", "{}"},
        {"~\n", "{}"},
        {"a: 1", "{\"a\":1}"},
        {"a: text with: colon", "line 2, column 13: a value with ': ' in it must be in "
                                "quotes, or the indentation is wrong"},
        {"a: x:y\nb: 10:30\n", "{\"a\":\"x:y\",\"b\":\"10:30\"}"},
        {"a: true\nb: TRUE\nc: tRUE\nd: False\n",
         "{\"a\":true,\"b\":true,\"c\":\"tRUE\",\"d\":false}"},
        {"a: null\nb: ~\nc:\nd: nULL\ne: ''\n",
         "{\"a\":null,\"b\":null,\"c\":null,\"d\":\"nULL\",\"e\":\"\"}"},
        {"a: 0x1F\nb: 0o17\nc: 017\nd: -5\ne: +5\nf: 0xg\ng: 0o8\nh: 0x\n",
         "{\"a\":31,\"b\":15,\"c\":17,\"d\":-5,\"e\":5,\"f\":\"0xg\",\"g\":\"0o8\",\"h\":"
         "\"0x\"}"},
        {"a: 1.5\nb: .5\nc: 5.\nd: 1e3\ne: -1.5E-1\nf: .\ng: 1e\nh: e1\ni: 1.2.3\n",
         "{\"a\":1.5,\"b\":0.5,\"c\":5,\"d\":1000,\"e\":-0.15,\"f\":\".\",\"g\":\"1e\","
         "\"h\":\"e1\",\"i\":\"1.2.3\"}"},
        {"a: 9223372036854775807\nb: -9223372036854775808\nc: 9223372036854775808\n",
         "{\"a\":9223372036854775807,\"b\":-9223372036854775808,\"c\":"
         "9.223372036854776e+18}"},
        {"a: .inf\nb: .nan\nc: +\nd: '12'\ne: \"true\"\n",
         "{\"a\":null,\"b\":null,\"c\":\"+\",\"d\":\"12\",\"e\":\"true\"}"},
        {"a: !!str 1\nb: !!int \"3\"\nc: !!int x\nd: !x 12\ne: ! 5\nf: !!float 3\n",
         "{\"a\":\"1\",\"b\":3,\"c\":\"x\",\"d\":\"12\",\"e\":\"5\",\"f\":\"3\"}"},
        {"2024: x\n1.10: y\nTrue: z\n~: n\n0x1F: h\n",
         "{\"2024\":\"x\",\"1.1\":\"y\",\"true\":\"z\",\"\":\"n\",\"31\":\"h\"}"},
        {"date: {{date}}\n? [a, b]\n: 1\n",
         "{\"date\":{\"{ date }\":null},\"[ a, b ]\":1}"},
        {"a: &x [1, &y 2]\nb: *x\nc: *y\n", "{\"a\":[1,2],\"b\":[1,2],\"c\":2}"},
        {"a: &x 1\nb: &x 2\nc: *x\n*x : d\n", "{\"a\":1,\"b\":2,\"c\":2,\"2\":\"d\"}"},
        {"<<: {a: 1}\n", "{\"<<\":{\"a\":1}}"},
        {"a: |\n  x\n   y\n\nb: >-\n  x\n  y", "{\"a\":\"x\\n y\\n\",\"b\":\"x y\"}"},
        {"a: |\n  last", "{\"a\":\"last\\n\"}"},
        {"tags: [\n  a,\n  b\n]\n", "{\"tags\":[\"a\",\"b\"]}"},
        {"a: 1\n...\n", "{\"a\":1}"},
        {"--- {a: 1}\n", "{\"a\":1}"},
        /* what libyaml alone would refuse or misread */
        {"a: x\u2028y\nb: \"\xC2\x85\"\n", "{\"a\":\"x\u2028y\",\"b\":\"\xC2\x85\"}"},
        {"a: \x07x\x7f\n", "{\"a\":\"\\u0007x\x7f\"}"},
        {"a: x\ry\nb: \xEF\xBB\xBFz\n", "{\"a\":\"x\\ry\",\"b\":\"\xEF\xBB\xBFz\"}"},
        {"a: \xFFx\n", "{\"a\":\"\uFFFDx\"}"},
        {"a: 1\n\t\n\t# c\nb:\n  -\tx\n", "{\"a\":1,\"b\":[\"x\"]}"},
        {"a: |\n  \tcode\n", "{\"a\":\"\\tcode\\n\"}"},
        {"a: \"\\ud83d\\ude00\"\nb: \"\\ud83d!\"\n", "{\"a\":\"😀\",\"b\":\"\uFFFD!\"}"},
    };
    struct arena *a = *state;
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_STR(cases[i].block, read_json(a, str_c(cases[i].block)), cases[i].json);
}

/* Places refer to the file; the block begins on its second line. */
static void test_SEC_71_broken(void **state)
{
    static const struct {
        const char *block, *says;
    } cases[] = {
        {"a: 1\nb: @me\n", "line 3, column 4: a value cannot begin with '@'"},
        {"é: \"ü\" x\n", "line 2, column 8: this does not fit"},
        {"a:\n\tb: 1\n", "line 3, column 1: a tab cannot indent"},
        {"a: 1\nb: \"x\nc: 1\n", "line 3, column 4: this quote is never closed"},
        {"a: [x, y\nb: 1\n", "line 2, column 4: this '[' is never closed"},
        {"a: {x: y\n", "line 2, column 4: this '{' is never closed"},
        {"a: 1\ntext\n", "line 3, column 1: this line is not a property"},
        {"text\n", "line 2, column 1: this is not a property"},
        {"- a\n", "line 2, column 1: this is a list"},
        {"a: 1\nb: 2\na: 3\n", "line 4, column 1: duplicate key 'a'"},
        {"a: {ü: 1, b: 2, ü: 3}\n", "line 2, column 17: duplicate key 'ü'"},
        {"true: 1\nTrue: 2\n", "line 3, column 1: duplicate key 'true'"},
        {"a: *x\n", "line 2, column 4: this alias has no anchor"},
        {"a: &x [*x]\n", "line 2, column 8: this alias contains itself"},
        {"a: &x 1\n*x: 2\n", "line 3, column 3: a space is missing before this ':'"},
        {"a: \"\\q\"\n", "line 2, column 5: this is not an escape"},
        {"a: \"x\ny\"\n", "line 3, column 1: this line must be indented further"},
        {"a:\n  - [x,\n  y]\n", "line 4, column 3: this line must be indented further"},
        {"a: 'x'#c\n", "line 2, column 7: a space is missing before this comment"},
        {"a: - x\n", "line 2, column 4: a list item must be on a line of its own"},
        {"a: 1\n...\nb: 2\n", "line 4, column 1: this does not fit"},
        {"a: 1\n--- {b: 2}\n", "line 3, column 1: a second document begins here"},
        {"%YAML 1.1\n--- {a: yes}\n", "line 2, column 1: this is not YAML 1.2"},
        {"a: !e!x 1\n", "line 2, column 4: a value that begins with '!'"},
        {"a: x\n b: 1\n", "line 3, column 3: a value with ': '"},
    };
    struct arena *a = *state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct frontmatter f;
        frontmatter_read(a, str_c(cases[i].block), 2, &f);
        CHECK(cases[i].block, f.broken && f.props == NULL);
        CHECK_INT(cases[i].block, f.why.code, ERR_INVALID);
        str head = str_slice(str_c(f.why.msg), 0, strlen(cases[i].says));
        CHECK_STR(cases[i].block, head, cases[i].says);
        CHECK_INT(cases[i].block, frontmatter_tags(a, &f).n, 0);
        CHECK(cases[i].block, frontmatter_get(&f, STR("a")) == NULL);
    }
}

static str repeat(struct arena *a, const char *head, const char *each, size_t n)
{
    struct sbuf out = SBUF_ON(a);
    sbuf_add(&out, str_c(head));
    for (size_t i = 0; i < n; i++)
        sbuf_add(&out, str_c(each));
    return sbuf_str(&out);
}

/* Lists of ten aliases of the list before: 10^n values. */
static str bomb(struct arena *a, int levels)
{
    struct sbuf out = SBUF_ON(a);
    sbuf_add(&out, STR("l0: &l0 [x,x,x,x,x,x,x,x,x,x]\n"));
    for (int i = 1; i < levels; i++) {
        sbuf_printf(&out, "l%d: &l%d [", i, i);
        for (int k = 0; k < 10; k++)
            sbuf_printf(&out, "*l%d%s", i - 1, k < 9 ? "," : "]\n");
    }
    return sbuf_str(&out);
}

static str distinct_keys(struct arena *a, size_t n, const char *last)
{
    struct sbuf out = SBUF_ON(a);
    for (size_t i = 0; i < n; i++)
        sbuf_printf(&out, "'k%zu': \"\\t\"\n", i);
    sbuf_add(&out, str_c(last));
    return sbuf_str(&out);
}

static void test_SEC_71_limits(void **state)
{
    struct arena *a = *state;
    const struct {
        const char *name;
        str block;
        enum err_code code; /* ERR_NONE: it can be read */
    } cases[] = {
        {"deep enough", repeat(a, "a: ", "[", 31), ERR_INVALID},
        {"too deep", repeat(a, "a: ", "[", 32), ERR_LIMIT},
        {"far too deep", repeat(a, "a: ", "[", 60000), ERR_LIMIT},
        {"deep in block style", repeat(a, "a:\n ", "- ", 40), ERR_LIMIT},
        {"large", repeat(a, "a: ", "x", FRONTMATTER_MAX_BYTES - 3), ERR_NONE},
        {"too large", repeat(a, "a: ", "x", FRONTMATTER_MAX_BYTES - 2), ERR_LIMIT},
        {"many", repeat(a, "a:\n", "- 1\n", 9990), ERR_NONE},
        {"too many", repeat(a, "a:\n", "- 1\n", 10000), ERR_LIMIT},
        {"a small bomb", bomb(a, 3), ERR_NONE},
        {"a bomb", bomb(a, 9), ERR_LIMIT},
        {"many keys", distinct_keys(a, 1000, ""), ERR_NONE},
        {"many keys, one twice", distinct_keys(a, 1000, "k500: x\n"), ERR_INVALID},
        {"many anchors", repeat(a, "a:\n", "- &x 1\n", 300), ERR_LIMIT},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct frontmatter f;
        frontmatter_read(a, cases[i].block, 2, &f);
        CHECK_INT(cases[i].name, f.why.code, cases[i].code);
        CHECK_INT(cases[i].name, f.broken, cases[i].code != ERR_NONE);
    }
}

/* Aliases repeat text, and lists of aliases may nest deeper than anything in the file. */
static void test_SEC_71_alias_limits(void **state)
{
    struct arena *a = *state;
    struct frontmatter f;
    struct sbuf text = SBUF_ON(a), nest = SBUF_ON(a);
    sbuf_add(&text, repeat(a, "a: &x ", "y", 30000));
    sbuf_add(&text, repeat(a, "\nb:\n", "- *x\n", 50));
    frontmatter_read(a, sbuf_str(&text), 2, &f);
    CHECK_INT("text", f.why.code, ERR_LIMIT);
    sbuf_add(&nest, STR("l0: &l0 [x]\n"));
    for (int i = 1; i < 40; i++)
        sbuf_printf(&nest, "l%d: &l%d [*l%d]\n", i, i, i - 1);
    frontmatter_read(a, sbuf_str(&nest), 2, &f);
    CHECK_INT("depth", f.why.code, ERR_LIMIT);
}

static void test_places(void **state)
{
    static const struct {
        const char *key, *value;
        uint32_t line;
    } want[] = {
        {"ä", "\"ü\"", 5},   {"list", "- x # c\n  - 'y'", 7}, {"flow", "[a, b]", 12},
        {"none", "", 13},    {"map", "{c: d}", 14},           {"anchor", "&n 5", 15},
        {"alias", "*n", 16}, {"text", "|\n  l1\n", 17},       {"long", "a\n  b", 19},
    };
    str block =
        STR("\n# é\nä: \"ü\"\n\nlist:\n\n  - x # c\n  - 'y'\n\nflow: [a, b] # c\nnone: \n"
            "map: {c: d}\nanchor: &n 5\nalias: *n\ntext: |\n  l1\nlong: a\n  b\n");
    struct frontmatter f;
    frontmatter_read(*state, block, 3, &f);
    CHECK("read", !f.broken);
    size_t i = 0;
    for (const struct prop *m = f.props->child; m != NULL; m = m->next, i++) {
        CHECK_STR(want[i].key, m->key, want[i].key);
        CHECK_STR(want[i].key, str_slice(block, m->start, m->end), want[i].value);
        CHECK_INT(want[i].key, m->line, want[i].line);
        CHECK(want[i].key, str_starts(str_skip(block, m->key_start), m->key));
    }
    CHECK_INT("all", i, COUNT_OF(want));
    CHECK_INT("item", f.props->child->next->child->next->line, 10);
}

static void test_get(void **state)
{
    struct frontmatter f;
    frontmatter_read(*state, STR("TAGS: a\nTags: b\nÜber: c\nx: d\n"), 2, &f);
    CHECK_STR("exact", frontmatter_get(&f, STR("Tags"))->text, "b");
    CHECK_STR("first", frontmatter_get(&f, STR("tags"))->text, "a");
    CHECK_STR("folded", frontmatter_get(&f, STR("über"))->text, "c");
    CHECK("none", frontmatter_get(&f, STR("y")) == NULL);
    f = (struct frontmatter){0};
    CHECK("no block", frontmatter_get(&f, STR("x")) == NULL);
}

static str joined(struct arena *a, struct str_list list)
{
    struct sbuf out = SBUF_ON(a);
    for (size_t i = 0; i < list.n; i++)
        sbuf_printf(&out, STR_FMT ";", STR_ARG(list.items[i]));
    return sbuf_str(&out);
}

static void test_special_keys(void **state)
{
    static const struct {
        const char *block, *tags, *aliases;
    } cases[] = {
        {"tags: [a, b/c, '#d']\n", "a;b/c;d;", ""},
        {"tags: one\naliases: One name\n", "one;", "One name;"},
        {"Tags:\n- x\nAliases:\n  - A, B\n  - ' c '\n  - ''\n", "x;", "A, B;c;"},
        {"tags: a, b\n", "", ""},
        {"tags: [a b, 'c,d', 1984, '1984', 2024/01, 1990s, true, ~, [x]]\n",
         "2024/01;1990s;", ""},
        {"tags: #work\n", "", ""},
        {"tags: ['#', '##x', '日本語']\naliases: [1, x, ~]\n", "#x;日本語;", "x;"},
        {"tag: a\nalias: b\n", "", ""},
        {"tags: {a: b}\naliases: 5\n", "", ""},
        {"", "", ""},
    };
    struct arena *a = *state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct frontmatter f;
        frontmatter_read(a, str_c(cases[i].block), 2, &f);
        CHECK_STR(cases[i].block, joined(a, frontmatter_tags(a, &f)), cases[i].tags);
        CHECK_STR(cases[i].block, joined(a, frontmatter_aliases(a, &f)),
                  cases[i].aliases);
    }
}

static void note_link_of(void *arg, str link, uint32_t line)
{
    sbuf_printf(arg, "%u:" STR_FMT ";", line, STR_ARG(link));
}

static void test_links(void **state)
{
    static const struct {
        const char *value;
        bool link;
    } cases[] = {
        {"[[Note]]", true},       {"[[a/b#c|d]]", true},
        {"[t](a%20b.md)", true},  {"[t](a (b).md)", true},
        {"[t](<a) b.md>)", true}, {"[t](<a b.md> \"title\")", true},
        {"[a [b] c](d)", true},   {"[t](https://a.b)", true},
        {"see [[Note]]", false},  {"[[Note]] ", false},
        {"[[a]] [[b]]", false},   {"[[a]][[b]]", false},
        {"[[]]", false},          {"[[a\nb]]", false},
        {"[a](b) [c](d)", false}, {"[a](b", false},
        {"[a]", false},           {"[a] (b)", false},
        {"![[a.png]]", false},    {"[t](<a", false},
        {"[t](<a>b)c", false},
    };
    struct arena *a = *state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct prop value = {.type = PROP_TEXT, .text = str_c(cases[i].value), .line = 3};
        struct prop map = {.type = PROP_MAP, .child = &value, .n = 1};
        struct sbuf out = SBUF_ON(a);
        frontmatter_links(&(struct frontmatter){.props = &map}, note_link_of, &out);
        CHECK(cases[i].value, (out.n > 0) == cases[i].link);
    }
    struct frontmatter f;
    struct sbuf out = SBUF_ON(a);
    frontmatter_read(a,
                     STR("up: \"[[A]]\"\n\"[[K]]\": x\nl:\n  - x\n  - '[[B]]'\n"
                         "  - k: \"[c](d)\"\nn: [[E]]\n"),
                     2, &f);
    frontmatter_links(&f, note_link_of, &out);
    CHECK_STR("all", sbuf_str(&out), "2:[[A]];6:[[B]];7:[c](d);");
}

/*
 * Which blocks are read without libyaml; fuzz_frontmatter checks that both readers agree.
 */
static void test_simple(void **state)
{
    static const struct {
        const char *block;
        bool simple;
    } cases[] = {
        {"title: A New Hope\nyear: 1977\npie: 3.14\nfavorite: true\n", true},
        {"a: 1", true},
        {"", true},
        {"a:\r\n\r\n- x\r\n- \"y\"\r\nb:   'z'  \r\n", true},
        {"tags: [a, b c, 'd', -5]\nempty: []\nurl: https://a.b/c?d=e\n", true},
        {"ключ: значение\ndue date: 2024-01-01\n", true},
        {"a:\nb: \nc:\n", true},
        {"a: x # c\n", false},
        {"a: x: y\n", false},
        {"a: x:\n", false},
        {"a: x\n  y\n", false},
        {"a: \"x\\n\"\n", false},
        {"a: 'it''s'\n", false},
        {"a: \"x\" y\n", false},
        {"a: [x: y]\n", false},
        {"a: [x, ]\n", false},
        {"a: [x\n  ]\n", false},
        {"a: [x] y\n", false},
        {"a:\n - x\n  - y\n", false},
        {"a:\n - x\n   y\n", false},
        {"a:\n -\n", false},
        {"a: x\n- y\n", false},
        {"a: |\n  x\n", false},
        {"a: &x y\n", false},
        {"true: x\n", false},
        {"a: x\na: y\n", false},
        {"a : x\n", false},
        {"a:x\n", false},
        {" a: x\n", false},
        {"a: x\n \n", false},
        {"a: x\ty\n", false},
        {"a: \u2028\n", false},
    };
    struct arena *a = *state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct prop *root;
        CHECK(cases[i].block,
              frontmatter_simple(a, str_c(cases[i].block), 2, &root) == cases[i].simple);
    }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_values),        ARENA_TEST(test_SEC_71_broken),
        ARENA_TEST(test_SEC_71_limits), ARENA_TEST(test_SEC_71_alias_limits),
        ARENA_TEST(test_places),        ARENA_TEST(test_get),
        ARENA_TEST(test_special_keys),  ARENA_TEST(test_links),
        ARENA_TEST(test_simple),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
