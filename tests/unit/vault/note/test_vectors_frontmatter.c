/*
 * tests/vectors/frontmatter.json. "parse": where properties are and their values; "edit":
 * the text of a note after an edit of its properties.
 */
#include "vault/note/frontmatter_edit.h"
#include "vault/note/note.h"
#include "vault/note/prop.h"
#include "vectors.h"

static bool same(const struct prop *p, const struct json *j)
{
    double number;
    bool flag;
    switch (p->type) {
    case PROP_NULL:
        return json_is(j, JSON_NULL);
    case PROP_BOOL:
        return json_bool(j, &flag) && flag == p->flag;
    case PROP_INT:
    case PROP_FLOAT:
        return json_num(j, &number) && number >= prop_real(p) && number <= prop_real(p);
    case PROP_TEXT:
        return json_is(j, JSON_STRING) && str_eq(j->text, p->text);
    case PROP_LIST:
    case PROP_MAP:
        break;
    }
    if (!json_is(j, p->type == PROP_MAP ? JSON_OBJECT : JSON_ARRAY) || p->n != j->n)
        return false;
    const struct json *want = j->child;
    for (const struct prop *c = p->child; c != NULL; c = c->next, want = want->next)
        if (!str_eq(c->key, want->key) || !same(c, want))
            return false;
    return want == NULL;
}

static uint32_t line_of(str text, size_t at)
{
    uint32_t line = 1;
    for (size_t i = 0; i < at; i++)
        line += text.p[i] == '\n';
    return line;
}

static void check_case(struct arena *a, const char *id, const struct json *c)
{
    struct note note;
    str text = json_get_str(c, STR("text"));
    int64_t body;
    note_scan(a, text, &note);
    CHECK_INT(id, note.has_frontmatter, json_get_true(c, STR("exists")));
    if (json_int(json_get(c, STR("body_start")), &body))
        CHECK_INT(id, note.body, body);
    if (!note.has_frontmatter)
        return;
    struct frontmatter f;
    frontmatter_read(a, span_of(text, note.frontmatter),
                     line_of(text, note.frontmatter.start), &f);
    CHECK_INT(id, f.broken, json_get_true(c, STR("error")));
    CHECK(id, (f.props == NULL) == f.broken);
    if (!f.broken && !same(f.props, json_get(c, STR("data"))))
        fail_msg("%s: unexpected properties", id);
}

static void test_parse(void **state)
{
    struct arena *a = *state;
    const struct json *cases =
        json_get(vectors_read(a, "frontmatter.json"), STR("parse"));
    CHECK("enough cases", cases != NULL && cases->n >= 54);
    for (const struct json *c = cases->child; c != NULL; c = c->next)
        check_case(a, arena_str(a, json_get_str(c, STR("id"))).p, c);
}

static void check_edit(struct arena *a, const char *id, const struct json *c)
{
    struct frontmatter_edited out;
    struct err err = {0};
    struct prop *value = NULL;
    bool set = str_eq(json_get_str(c, STR("op")), STR("set"));
    if (set && !prop_of_json(a, json_get(c, STR("value")), &value, &err))
        fail_msg("%s: %s", id, err.msg);
    const struct frontmatter_edit edit = {
        .op = set ? FRONTMATTER_SET : FRONTMATTER_UNSET,
        .key = json_get_str(c, STR("key")),
        .value = value,
    };
    bool ok = frontmatter_edit(a, json_get_str(c, STR("text")), &edit, 1, &out, &err);
    CHECK_INT(id, !ok, json_get_true(c, STR("error")));
    if (ok) {
        CHECK_STR(id, out.text, arena_str(a, json_get_str(c, STR("result"))));
    } else {
        CHECK_INT(id, err.code, ERR_INVALID);
        CHECK_INT(id, err.name, E_BROKEN_FRONTMATTER);
    }
}

static void test_edit(void **state)
{
    struct arena *a = *state;
    const struct json *cases = json_get(vectors_read(a, "frontmatter.json"), STR("edit"));
    CHECK("enough cases", cases != NULL && cases->n >= 46);
    for (const struct json *c = cases->child; c != NULL; c = c->next)
        check_edit(a, arena_str(a, json_get_str(c, STR("id"))).p, c);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_parse),
        ARENA_TEST(test_edit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
