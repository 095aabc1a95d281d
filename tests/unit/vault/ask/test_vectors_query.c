/* tests/vectors/search_query.json: the parsed form of a query. */
#include "json_tree.h"
#include "query_json.h"
#include "vectors.h"

static str as_written(struct arena *a, const struct json *ast)
{
    struct sbuf b = SBUF_ON(a);
    struct jsonw w = JSONW_ON(&b);
    struct json root = *ast;
    root.key = (str){0};
    json_tree_write(&w, &root);
    return arena_str(a, sbuf_str(&b));
}

static bool is_alternative(struct arena *a, const struct json *c, str got)
{
    const struct json *also = json_get(c, STR("also_ok"));
    for (also = also != NULL ? also->child : NULL; also != NULL; also = also->next)
        if (str_eq(as_written(a, also), got))
            return true;
    return false;
}

static void test_queries(void **state)
{
    struct arena *a = *state;
    const struct json *cases = vectors_read(a, "search_query.json");
    CHECK("enough cases", cases->n >= 56);
    for (const struct json *c = cases->child; c != NULL; c = c->next) {
        str id = arena_str(a, json_get_str(c, STR("id")));
        const struct query *q;
        struct err err = {0};
        if (!query_parse(a, json_get_str(c, STR("query")), &q, &err))
            fail_msg("%s: %s", id.p, err.msg);
        str got = query_json(a, q);
        if (!is_alternative(a, c, got))
            CHECK_STR(id.p, got, as_written(a, json_get(c, STR("ast"))));
    }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_queries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
