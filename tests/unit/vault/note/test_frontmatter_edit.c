#include "vault/note/frontmatter_edit.h"

#include "base/sbuf.h"
#include "check.h"
#include "vault/note/prop.h"

enum { SET, ADD, TAKE, UNSET, RENAME }; /* short names for frontmatter_op */

static struct frontmatter_edit edit_of(struct arena *a, int op, const char *key,
                                       const char *value)
{
    struct frontmatter_edit e = {.op = (enum frontmatter_op)op, .key = str_c(key)};
    const struct json *j;
    struct prop *p = NULL;
    struct err err = {0};
    if (op == RENAME) {
        e.to = str_c(value);
    } else if (value != NULL) {
        if (!json_parse(a, str_c(value), &j, &err) || !prop_of_json(a, j, &p, &err))
            fail_msg("%s: %s", value, err.msg);
        e.value = p;
    }
    return e;
}

static struct frontmatter_edited edited(struct arena *a, const char *text, int op,
                                        const char *key, const char *value)
{
    struct frontmatter_edited out = {0};
    struct err err = {0};
    const struct frontmatter_edit e = edit_of(a, op, key, value);
    if (!frontmatter_edit(a, str_c(text), &e, 1, &out, &err))
        fail_msg("%s in '%s': %s", key, text, err.msg);
    return out;
}

/* A block, an edit, and the resulting block. */
struct row {
    const char *block;
    int op;
    const char *key, *value, *want;
};

static void check_rows(struct arena *a, const struct row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct row *r = &rows[i];
        str text = arena_printf(a, "---\n%s---\nBody\n", r->block);
        str want = arena_printf(a, "---\n%s---\nBody\n", r->want);
        str got = edited(a, text.p, r->op, r->key, r->value).text;
        CHECK_STR(r->block, got, want);
    }
}

/* How values are written; the edit itself checks that they read back. */
static void test_emission(void **state)
{
    static const struct {
        const char *json, *yaml;
    } cases[] = {
        {"\"x\"", " x\n"},
        {"\"2024-01-01\"", " 2024-01-01\n"},
        {"\"2024-01-01T10:30:00\"", " 2024-01-01T10:30:00\n"},
        {"\"12:30\"", " 12:30\n"},
        {"\"https://a.b/c#d?e=[f]\"", " https://a.b/c#d?e=[f]\n"},
        {"\"yes\"", " yes\n"},
        {"\"1_000\"", " 1_000\n"},
        {"\"C#\"", " C#\n"},
        {"\"a & b | c > d\"", " a & b | c > d\n"},
        {"\"-x\"", " -x\n"},
        {"\"?x\"", " ?x\n"},
        {"\":x\"", " :x\n"},
        {"\"<% x %>\"", " <% x %>\n"},
        {"\"日本語 😀\"", " 日本語 😀\n"},
        {"\"\"", " \"\"\n"},
        {"\" x\"", " \" x\"\n"},
        {"\"x \"", " \"x \"\n"},
        {"\"x:\"", " \"x:\"\n"},
        {"\"a: b\"", " \"a: b\"\n"},
        {"\"a #b\"", " \"a #b\"\n"},
        {"\"-\"", " \"-\"\n"},
        {"\"- x\"", " \"- x\"\n"},
        {"\"? x\"", " \"? x\"\n"},
        {"\"[[A]]\"", " \"[[A]]\"\n"},
        {"\"{{date}}\"", " \"{{date}}\"\n"},
        {"\"#tag\"", " \"#tag\"\n"},
        {"\"@me\"", " \"@me\"\n"},
        {"\"`x`\"", " \"`x`\"\n"},
        {"\"%x\"", " \"%x\"\n"},
        {"\"!x\"", " \"!x\"\n"},
        {"\"&x\"", " \"&x\"\n"},
        {"\"*x*\"", " \"*x*\"\n"},
        {"\"'x'\"", " \"'x'\"\n"},
        {"\"\\\"x\\\\\"", " \"\\\"x\\\\\"\n"},
        {"\"null\"", " \"null\"\n"},
        {"\"~\"", " \"~\"\n"},
        {"\"True\"", " \"True\"\n"},
        {"\"1e3\"", " \"1e3\"\n"},
        {"\"0x1F\"", " \"0x1F\"\n"},
        {"\".inf\"", " \".inf\"\n"},
        {"\"a\\tb\"", " \"a\\tb\"\n"},
        {"\"a\\rb\"", " \"a\\rb\"\n"},
        {"\"\\u0000\\u0007\\u0085\\u2028\\ufeff\"",
         " \"\\u0000\\u0007\\u0085\\u2028\\uFEFF\"\n"},
        {"\"l1\\nl2\"", " |-\n  l1\n  l2\n"},
        {"\"l1\\n\\n  l2\\n\"", " |\n  l1\n\n    l2\n"},
        {"\"# a\\n---\\n: b\"", " |-\n  # a\n  ---\n  : b\n"},
        {"\"l1\\n\\n\"", " \"l1\\n\\n\"\n"},
        {"\" l1\\nl2\"", " \" l1\\nl2\"\n"},
        {"\"\\nl2\"", " \"\\nl2\"\n"},
        {"\"l1\\n  \\nl2\"", " \"l1\\n  \\nl2\"\n"},
        {"\"l1\\r\\nl2\"", " \"l1\\r\\nl2\"\n"},
        {"null", "\n"},
        {"true", " true\n"},
        {"-5", " -5\n"},
        {"1.50", " 1.50\n"},
        {"1E3", " 1E3\n"},
        {"123456789012345678901234567890", " 123456789012345678901234567890\n"},
        {"[]", " []\n"},
        {"{}", " {}\n"},
        {"[\"a\",1,null,\"b: c\",[],\"l1\\nl2\"]",
         "\n  - a\n  - 1\n  -\n  - \"b: c\"\n  - []\n  - |-\n    l1\n    l2\n"},
        {"[[\"a\",\"b\"],{\"c\":1,\"d\":[2]}]",
         "\n  - - a\n    - b\n  - c: 1\n    d:\n      - 2\n"},
        {"{\"a\":null,\"b c\":{\"d\":\"l1\\nl2\"},\"e: f\":\"x\",\"1\":[]}",
         "\n  a:\n  b c:\n    d: |-\n      l1\n      l2\n  \"e: f\": x\n  \"1\": []\n"},
    };
    struct arena *a = *state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        str want = arena_printf(a, "---\na: 1\nk:%s---\n", cases[i].yaml);
        CHECK_STR(cases[i].json,
                  edited(a, "---\na: 1\n---\n", SET, "k", cases[i].json).text, want);
        want = arena_printf(a, "---\nk:%sz: 1\n---\n", cases[i].yaml);
        CHECK_STR(cases[i].json,
                  edited(a, "---\nk: old\nz: 1\n---\n", SET, "k", cases[i].json).text,
                  want);
    }
}

static void test_set(void **state)
{
    static const struct row rows[] = {
        {"a: x  # c\nb: 1\n", SET, "a", "\"y z\"", "a: y z  # c\nb: 1\n"},
        {"a: 'x' # c\n", SET, "a", "true", "a: true # c\n"},
        {"a: x # c\n", SET, "a", "null", "a: # c\n"},
        {"a: # c\nb:\n", SET, "a", "1", "a: 1 # c\nb:\n"},
        {"a: # c\nb:\n", SET, "b", "1", "a: # c\nb: 1\n"},
        {"a: x # c\nb: 1\n", SET, "a", "[\"x\"]", "a: # c\n  - x\nb: 1\n"},
        {"a: x # c\n", SET, "a", "\"l1\\nl2\"", "a: |- # c\n  l1\n  l2\n"},
        {"a: ~\n", SET, "a", "null", "a: ~\n"},
        {"a: 0x10\n", SET, "a", "16", "a: 0x10\n"},
        {"a: '1'\n", SET, "a", "1", "a: 1\n"},
        /* values on lines of their own, and of several lines */
        {"a:\n  x\nb: 1\n", SET, "a", "2", "a: 2\nb: 1\n"},
        {"a: # c\n  - x # d\n\nb: 1\n", SET, "a", "2", "a: 2 # c\n\nb: 1\n"},
        {"a:\n  # own\n  - x\nb: 1\n", SET, "a", "2", "a: 2\n  # own\nb: 1\n"},
        {"a:\n  # own\n  - x\n", SET, "a", "[1]", "a:\n  # own\n  - 1\n"},
        {"a:\n  # own\n  - x\n", SET, "a", "\"l1\\nl2\"", "a: |-\n  l1\n  l2\n"},
        {"a: one\n  two # c\nb: 1\n", SET, "a", "3", "a: 3 # c\nb: 1\n"},
        {"a: \"one\n  two\" # c\n", SET, "a", "3", "a: 3 # c\n"},
        {"a: [x,\n  y] # c\nb: 1\n", SET, "a", "3", "a: 3 # c\nb: 1\n"},
        {"a: |\n  x\n\n\nb: 1\n", SET, "a", "3", "a: 3\n\n\nb: 1\n"},
        {"a: >+\n  x\n\nb: 1\n", SET, "a", "\"l1\\nl2\"", "a: |-\n  l1\n  l2\n\nb: 1\n"},
        {"a: 1\n  # c\n", SET, "a", "\"l1\\nl2\"", "a: \"l1\\nl2\"\n  # c\n"},
        {"a:\n  b: 1\n  c: 2 # c\nd: 1\n", SET, "a", "{\"b\":1}", "a:\n  b: 1\nd: 1\n"},
        {"a:\n- x\nb: 1\n", SET, "a", "[\"y\"]", "a:\n  - y\nb: 1\n"},
        {"a:\n- x\n\n# c\nb: 1\n", SET, "a", "\"y\"", "a: y\n\n# c\nb: 1\n"},
        {"a: &x 1\nb: 2\n", SET, "a", "3", "a: 3\nb: 2\n"},
        {"a: &x 1\nb: *x\n", SET, "b", "3", "a: &x 1\nb: 3\n"},
        /* keys of all kinds */
        {"\"a: b\" : 1\n", SET, "a: b", "2", "\"a: b\" : 2\n"},
        {"'it''s':   1\n", SET, "it's", "2", "'it''s':   2\n"},
        {"a:b: 1\n", SET, "a:b", "2", "a:b: 2\n"},
        {"? a\n: 1\nb: 2\n", SET, "a", "3", "? a\n: 3\nb: 2\n"},
        {"STATUS: a\n", SET, "status", "1", "STATUS: 1\n"},
        {"Status: a\nstatus: b\n", SET, "status", "1", "Status: a\nstatus: 1\n"},
        {"a: 1\n", SET, "b: c", "2", "a: 1\n\"b: c\": 2\n"},
        {"a: 1\n", SET, "2024", "2", "a: 1\n\"2024\": 2\n"},
        {"a: 1\n", SET, "--- x", "2", "a: 1\n\"--- x\": 2\n"},
        /* where new keys go */
        {"a: 1\n\n# end\n", SET, "b", "2", "a: 1\n\n# end\nb: 2\n"},
        {"a: 1\n...\n", SET, "b", "2", "a: 1\nb: 2\n...\n"},
        {"# c\n", SET, "b", "2", "# c\nb: 2\n"},
        {"  a: 1\n", SET, "b", "[2]", "  a: 1\n  b:\n    - 2\n"},
        {"a: |+\n  x\n\n", SET, "b", "2", "a: |+\n  x\n\nb: 2\n"},
        {"{\"a\": 1}\n", SET, "b", "[\"x\",null]", "{\"a\": 1, \"b\": [\"x\", null]}\n"},
        {"{\n  \"a\": 1\n}\n", SET, "b", "\"x\"", "{\n  \"a\": 1, \"b\": \"x\"\n}\n"},
        {"{\"a\": 1, \"b\": 2}\n", SET, "a", "{\"c\":1}",
         "{\"a\": {\"c\": 1}, \"b\": 2}\n"},
        {"{}\n", SET, "a", "1", "{\"a\": 1}\n"},
    };
    check_rows(*state, rows, COUNT_OF(rows));
}

static void test_lists(void **state)
{
    static const struct row rows[] = {
        /* items that stay keep their bytes */
        {"a:\n- 'x' # c\n# own\n-   y\nb: 1\n", ADD, "a", "\"z\"",
         "a:\n- 'x' # c\n# own\n-   y\n- z\nb: 1\n"},
        {"a:\n    - x\n    - y # c\n\n    - z\n", TAKE, "a", "\"y\"",
         "a:\n    - x\n\n    - z\n"},
        {"a:\n  - x\n  - y\n  - z\n", SET, "a", "[\"y\",\"z\",\"w\"]",
         "a:\n  - y\n  - z\n  - w\n"},
        {"a:\n  - b: 1\n    c: 2\n  - |\n    x\n\n", ADD, "a",
         "[\"y\",{\"d\":1,\"e\":2}]",
         "a:\n  - b: 1\n    c: 2\n  - |\n    x\n\n  - y\n  - d: 1\n    e: 2\n"},
        {"a:\n  -\n  - - x\n    - y\n  - z\n", TAKE, "a", "[[\"x\",\"y\"]]",
         "a:\n  -\n  - z\n"},
        {"a:\n- |\n  x\n- y\n  # c\n- z\n  # d\n", TAKE, "a", "\"y\"",
         "a:\n- |\n  x\n- z\n  # d\n"},
        {"a:\n- z\n  # d\n", ADD, "a", "\"l1\\nl2\"", "a:\n- z\n- \"l1\\nl2\"\n  # d\n"},
        {"a: [x, 'y',  z] # c\n", ADD, "a", "[\"w\",\"b, c\"]",
         "a: [x, 'y',  z, w, \"b, c\"] # c\n"},
        {"a: [\"x\", \"y\"]\n", ADD, "a", "\"z\"", "a: [\"x\", \"y\", \"z\"]\n"},
        {"a: [x, y, z]\n", TAKE, "a", "[\"x\",\"z\"]", "a: [y]\n"},
        {"a: [ x,\n  y, # c\n  z\n]\n", TAKE, "a", "\"x\"", "a: [ y, # c\n  z\n]\n"},
        {"a: [x, y, ]\n", ADD, "a", "\"z\"", "a: [x, y, z, ]\n"},
        {"a: &l [x]\nb: 1\n", ADD, "a", "\"y\"", "a:\n  - x\n  - y\nb: 1\n"},
        {"a: &l [x]\nb: *l\n", ADD, "b", "\"y\"", "a: &l [x]\nb:\n  - x\n  - y\n"},
        {"{\"a\": [1, 2]}\n", TAKE, "a", "1", "{\"a\": [2]}\n"},
        /* from nothing, from a single value, to nothing */
        {"b: 1\n", ADD, "a", "\"x\"", "b: 1\na:\n  - x\n"},
        {"a:\nb: 1\n", ADD, "a", "[\"x\"]", "a:\n  - x\nb: 1\n"},
        {"a: \"\"\n", ADD, "a", "\"x\"", "a:\n  - x\n"},
        {"a: []\nb: 1\n", ADD, "a", "[\"x\",\"x\"]", "a:\n  - x\nb: 1\n"},
        {"a: 'x' # c\n", ADD, "a", "\"y\"", "a: # c\n  - x\n  - y\n"},
        {"a: x\n", ADD, "a", "\"x\"", "a: x\n"},
        {"a: x\n", TAKE, "a", "\"x\"", "a: []\n"},
        {"a:\n  - x\nb: 1\n", TAKE, "a", "[\"x\",\"y\"]", "a: []\nb: 1\n"},
        {"a: [x]\n", TAKE, "a", "\"y\"", "a: [x]\n"},
        {"a: [x]\n", TAKE, "b", "\"y\"", "a: [x]\n"},
        {"a: [1]\n", ADD, "a", "[1.0,\"1\"]", "a: [1, \"1\"]\n"},
        {"a: [x]\n", ADD, "a", "\"X\"", "a: [x, X]\n"},
        /* tags */
        {"tags: [a]\n", ADD, "tags", "[\"#A\",\"#b/c\",\"B/C\"]", "tags: [a, b/c]\n"},
        {"Tags:\n  - '#a'\n", ADD, "tags", "[\"A\",\"É\",\"#é\"]",
         "Tags:\n  - '#a'\n  - É\n"},
        {"tags:\n  - A\n  - b\n", TAKE, "tags", "\"#a\"", "tags:\n  - b\n"},
        {"tags: a\n", ADD, "tags", "\"b\"", "tags:\n  - a\n  - b\n"},
    };
    check_rows(*state, rows, COUNT_OF(rows));
}

static void test_unset_and_rename(void **state)
{
    static const struct row rows[] = {
        {"# c\na: 1 # d\n\nb: 2\n", UNSET, "A", NULL, "# c\n\nb: 2\n"},
        {"a:\n- x\n- y # c\n# d\nb: 2\n", UNSET, "a", NULL, "# d\nb: 2\n"},
        {"b: 2\na: |\n  x\n\n", UNSET, "a", NULL, "b: 2\n\n"},
        {"a:\nb:\n", UNSET, "a", NULL, "b:\n"},
        {"a: [x,\n  y]\nb: 1\n", UNSET, "a", NULL, "b: 1\n"},
        {"a: |\n  x\nb: 2\n\n  # c\nc: 3\n", UNSET, "b", NULL, "a: |\n  x\nc: 3\n"},
        {"? a\n: 1\nb: 2\n", UNSET, "a", NULL, "b: 2\n"},
        {"{\"a\": 1, \"b\": 2, \"c\": 3}\n", UNSET, "b", NULL, "{\"a\": 1, \"c\": 3}\n"},
        {"{\"a\": 1, \"b\": 2}\n", UNSET, "b", NULL, "{\"a\": 1}\n"},
        {"# kept\na: 1\n", UNSET, "a", NULL, "# kept\n"},
        {"a : 1 # c\nb: 2\n", RENAME, "a", "x", "x : 1 # c\nb: 2\n"},
        {"'a': [1]\n", RENAME, "a", "b: c", "\"b: c\": [1]\n"},
        {"status: 1\n", RENAME, "status", "Status", "Status: 1\n"},
        {"a: 1\n", RENAME, "a", "a", "a: 1\n"},
        {"{\"a\": 1}\n", RENAME, "a", "b", "{\"b\": 1}\n"},
    };
    check_rows(*state, rows, COUNT_OF(rows));
}

/* The note around the block: no block yet, no block left, other line endings. */
static void test_notes(void **state)
{
    static const struct row cases[] = {
        {"x", SET, "a", "[1]", "---\na:\n  - 1\n---\nx"},
        {"---\nnever closed", SET, "a", "1", "---\na: 1\n---\n---\nnever closed"},
        {"\xEF\xBB\xBFx\r\n", SET, "a", "[1]",
         "\xEF\xBB\xBF---\r\na:\r\n  - 1\r\n---\r\nx\r\n"},
        {"\xEF\xBB\xBF---\na: 1\n---\nx", UNSET, "a", NULL, "\xEF\xBB\xBFx"},
        {"---\r\na: 1\r\n---\r\n", UNSET, "a", NULL, ""},
        {"---\r\n---\r\nx", SET, "a", "\"l1\\nl2\"",
         "---\r\na: |-\r\n  l1\r\n  l2\r\n---\r\nx"},
        {"---\r\na:\r\n  - x\r\n---\r\n", ADD, "a", "\"y\"",
         "---\r\na:\r\n  - x\r\n  - y\r\n---\r\n"},
        {"---\r\na:\r\n  - x # c\r\nb: 1\r\n---", SET, "a", "1",
         "---\r\na: 1\r\nb: 1\r\n---"},
        {"---\n---\nx", UNSET, "a", NULL, "---\n---\nx"},
        /* without the block, what is below it would be properties */
        {"---\na: 1\n---\n---\nb: 2\n---\nx", UNSET, "a", NULL,
         "---\n---\n---\nb: 2\n---\nx"},
        {"x", UNSET, "a", NULL, "x"},
        {"x", TAKE, "a", "1", "x"},
        {"---\n{\"a\": 1}\n---\nx", UNSET, "a", NULL, "x"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct row *c = &cases[i];
        CHECK_STR(c->block, edited(*state, c->block, c->op, c->key, c->value).text,
                  c->want);
    }
}

static void test_refused(void **state)
{
    static const struct {
        struct row r;
        enum err_code code;
        const char *says;
    } cases[] = {
        {{"a: 1\nb: [x\n", SET, "a", "2", ""}, ERR_INVALID, "line 3, column 4: "},
        {{"a: 1\na: 2\n", UNSET, "b", NULL, ""}, ERR_INVALID, "line 3, column 1: "},
        {{"a: 1\n", SET, "", "2", ""}, ERR_INVALID, "a property's name"},
        {{"a: 1\n", SET, "b\nc", "2", ""}, ERR_INVALID, "a property's name"},
        {{"a: {b: 1}\n", ADD, "a", "2", ""}, ERR_INVALID, "'a' is not a list"},
        {{"a: &x 1\nb: *x\n", SET, "a", "2", ""}, ERR_INVALID, "line 2: 'a' is repeated"},
        {{"a: &x 1\nb: *x\n", UNSET, "a", NULL, ""}, ERR_INVALID, "line 2: 'a' is rep"},
        {{"b: 1\n? [a]\n: 1\n", SET, "[ a ]", "2", ""}, ERR_INVALID, "line 3: the key"},
        {{"a: 1\n", RENAME, "b", "c", ""}, ERR_NOT_FOUND, "no such property 'b'"},
        {{"a: 1\nB: 2\n", RENAME, "a", "b", ""},
         ERR_EXISTS,
         "the property 'B' exists already"},
    };
    struct arena *a = *state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct row *r = &cases[i].r;
        struct frontmatter_edited out;
        struct err err = {0};
        const struct frontmatter_edit e = edit_of(a, r->op, r->key, r->value);
        str text = arena_printf(a, "---\n%s---\n", r->block);
        CHECK(r->block, !frontmatter_edit(a, text, &e, 1, &out, &err));
        CHECK_INT(r->block, err.code, cases[i].code);
        if (!str_starts(str_c(err.msg), str_c(cases[i].says)))
            fail_msg("%s: %s", r->block, err.msg);
    }
    struct frontmatter_edited out;
    struct err err = {0};
    const struct frontmatter_edit e = edit_of(a, SET, "a", "1");
    CHECK("lone CR", !frontmatter_edit(a, STR("---\ra: 2\r---\r"), &e, 1, &out, &err));
    CHECK_INT("lone CR", err.name, E_BROKEN_FRONTMATTER);
}

static void test_limits(void **state)
{
    struct arena *a = *state;
    struct frontmatter_edited out;
    struct err err = {0};
    char *big = arena_zero(a, FRONTMATTER_MAX_BYTES + 1);
    memset(big, 'x', FRONTMATTER_MAX_BYTES);
    struct frontmatter_edit e = edit_of(a, SET, "a", "1");
    e.value = prop_of_text(a, str_c(big));
    CHECK("block", !frontmatter_edit(a, STR("---\nb: 1\n---\n"), &e, 1, &out, &err));
    CHECK_INT("block", err.code, ERR_LIMIT);
    e.key = str_slice(str_c(big), 0, PROP_KEY_MAX + 1);
    CHECK("key", !frontmatter_edit(a, STR(""), &e, 1, &out, &err));
    CHECK_INT("key", err.code, ERR_LIMIT);
    struct sbuf deep = SBUF_ON(a);
    for (int i = 0; i < FRONTMATTER_MAX_DEPTH; i++)
        sbuf_char(&deep, '[');
    for (int i = 0; i < FRONTMATTER_MAX_DEPTH; i++)
        sbuf_char(&deep, ']');
    const struct json *j;
    struct prop *p;
    CHECK("parse", json_parse(a, sbuf_str(&deep), &j, &err));
    CHECK("depth", !prop_of_json(a, j, &p, &err));
    CHECK_INT("depth", err.code, ERR_LIMIT);
    CHECK("one less", prop_of_json(a, j->child, &p, &err));
    e = (struct frontmatter_edit){.op = FRONTMATTER_SET, .key = STR("a"), .value = p};
    CHECK("one less", frontmatter_edit(a, STR(""), &e, 1, &out, &err));
}

static void test_report(void **state)
{
    struct arena *a = *state;
    const char *text = "---\na: 1\nb:\n  - x\nc: 3\n---\nBody\n";
    const struct frontmatter_edit edits[] = {
        edit_of(a, SET, "A", "2"),      edit_of(a, ADD, "b", "[\"y\",\"z\"]"),
        edit_of(a, UNSET, "c", NULL),   edit_of(a, RENAME, "a", "first"),
        edit_of(a, SET, "new", "null"), edit_of(a, SET, "b", "[\"x\",\"y\",\"z\"]"),
    };
    struct frontmatter_edited out;
    struct err err = {0};
    if (!frontmatter_edit(a, str_c(text), edits, COUNT_OF(edits), &out, &err))
        fail_msg("%s", err.msg);
    CHECK_STR("text", out.text,
              "---\nfirst: 2\nb:\n  - x\n  - y\n  - z\nnew:\n---\nBody\n");
    CHECK_INT("changes", out.n_changes, 5);
    CHECK_STR("a", out.changes[0].key, "a");
    CHECK("a", out.changes[0].before->number == 1 && out.changes[0].after == NULL);
    CHECK("b", out.changes[1].before->n == 1 && out.changes[1].after->n == 3);
    CHECK("c", out.changes[2].before->number == 3 && out.changes[2].after == NULL);
    CHECK_STR("first", out.changes[3].key, "first");
    CHECK("new",
          out.changes[4].before == NULL && out.changes[4].after->type == PROP_NULL);
    CHECK_INT("from", out.line_start, 2);
    CHECK_INT("to", out.line_end, 7);
    out = edited(a, text, UNSET, "c", NULL);
    CHECK_INT("gone", out.line_start, 5);
    CHECK_INT("gone", out.line_end, 5);
    out = edited(a, text, ADD, "b", "\"x\"");
    CHECK("the same text", out.text.p == text && out.n_changes == 0);
    CHECK_INT("no line", out.line_start, 0);
    out = edited(a, "Body\n", SET, "a", "1");
    CHECK_INT("new block", out.line_start, 1);
    CHECK_INT("new block", out.line_end, 3);
    out = edited(a, "---\na: 1\n---\nlog 1\rlog 2\rlog 3\n", SET, "a", "2");
    CHECK_INT("above lone returns", out.line_start, 2);
    CHECK_INT("above lone returns", out.line_end, 2);
    out = edited(a, "one\rtwo\r", SET, "a", "1");
    CHECK_INT("lone returns", out.line_start, 1);
    CHECK_INT("lone returns", out.line_end, 3);
}

/* All edits or none; intermediate states do not matter. */
static void test_many(void **state)
{
    struct arena *a = *state;
    struct frontmatter_edited out;
    struct err err = {0};
    const struct frontmatter_edit swap[] = {
        edit_of(a, UNSET, "a", NULL),
        edit_of(a, SET, "b", "1"),
    };
    CHECK("swap", frontmatter_edit(a, STR("---\na: 1\n---  \nx"), swap, 2, &out, &err));
    CHECK_STR("the closing line stays", out.text, "---\nb: 1\n---  \nx");
    const struct frontmatter_edit bad[] = {
        edit_of(a, SET, "b", "1"),
        edit_of(a, RENAME, "z", "y"),
    };
    CHECK("bad", !frontmatter_edit(a, STR("x"), bad, 2, &out, &err));
    struct frontmatter_edit *many = ARENA_ARRAY(a, struct frontmatter_edit, 300);
    CHECK("none", frontmatter_edit(a, STR("x"), many, 0, &out, &err));
    CHECK("too many", !frontmatter_edit(a, STR("x"), many, 300, &out, &err));
    CHECK_INT("too many", err.code, ERR_LIMIT);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_emission), ARENA_TEST(test_set),
        ARENA_TEST(test_lists),    ARENA_TEST(test_unset_and_rename),
        ARENA_TEST(test_notes),    ARENA_TEST(test_refused),
        ARENA_TEST(test_limits),   ARENA_TEST(test_report),
        ARENA_TEST(test_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
