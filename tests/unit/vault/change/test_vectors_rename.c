/* tests/vectors/rename.json: the whole vault after a rename or move. */
#include "rename_vault.h"
#include "vectors.h"

static enum obsidian_link_format format_of(const struct json *c)
{
    str name = json_get_str(json_get(c, STR("settings")), STR("newLinkFormat"));
    if (str_eq(name, STR("relative")))
        return LINKS_RELATIVE;
    return str_eq(name, STR("absolute")) ? LINKS_ABSOLUTE : LINKS_SHORTEST;
}

static bool is_one_of(const struct json *also_ok, str path, str text)
{
    const struct json *others = json_get(also_ok, path);
    for (const struct json *o = others != NULL ? others->child : NULL; o; o = o->next)
        if (str_eq(o->text, text))
            return true;
    return false;
}

static void check_case(struct arena *a, const struct json *c)
{
    str id = arena_str(a, json_get_str(c, STR("id")));
    struct index *x = index_create();
    const struct json *files = json_get(c, STR("files")), *op = json_get(c, STR("op"));
    for (const struct json *f = files->child; f != NULL; f = f->next)
        vault_put(x, f->key, f->text);
    struct rename_move move = {json_get_str(op, STR("from")),
                               json_get_str(op, STR("to"))};
    struct rename_plan plan;
    struct err err = {0};
    bool folder = str_eq(json_get_str(op, STR("kind")), STR("folder"));
    bool ok =
        folder ? rename_folder(x, format_of(c), a, move.from, move.to, NULL, &plan, &err)
               : rename_files(x, format_of(c), a, &move, 1, NULL, &plan, &err);
    if (!ok)
        fail_msg("%s: %s", id.p, err.msg);
    struct index *after = vault_apply(x, &plan);
    const struct json *expect = json_get(c, STR("expect"));
    CHECK_INT(id.p, after->count, expect->n);
    for (const struct json *e = expect->child; e != NULL; e = e->next) {
        const struct file *f = index_find(after, e->key);
        CHECK(id.p, f != NULL);
        if (!is_one_of(json_get(c, STR("also_ok")), e->key, f->text))
            CHECK_STR(id.p, f->text, arena_str(a, e->text));
    }
    index_free(after);
    index_free(x);
}

static void test_renames(void **state)
{
    const struct json *cases = vectors_read(*state, "rename.json");
    CHECK("enough cases", cases->n >= 41);
    for (const struct json *c = cases->child; c != NULL; c = c->next)
        check_case(*state, c);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_renames),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
