#include "base/sbuf.h"
#include "check.h"
#include "vault/forms/canvas_map.h"

/* Nodes as "id x y width height" or, for groups, "id! ...", separated by ";". */
static struct canvas_map make(struct arena *a, const char *nodes)
{
    struct sbuf json = SBUF_ON(a);
    struct canvas_map m;
    struct err err;
    str rest = str_c(nodes), one;
    sbuf_add(&json, STR("{\"nodes\":["));
    while (str_next(&rest, ';', &one)) {
        str id, x, y, w, h;
        one = str_trim(one);
        (void)(str_next(&one, ' ', &id) && str_next(&one, ' ', &x) &&
               str_next(&one, ' ', &y) && str_next(&one, ' ', &w) &&
               str_next(&one, ' ', &h));
        bool group = str_ends(id, STR("!"));
        id = str_slice(id, 0, id.n - group);
        sbuf_printf(&json,
                    "%s{\"id\":\"" STR_FMT
                    "\",\"type\":\"%s\",\"text\":\"\",\"x\":" STR_FMT ",\"y\":" STR_FMT
                    ",\"width\":" STR_FMT ",\"height\":" STR_FMT "}",
                    json.n > 10 ? "," : "", STR_ARG(id), group ? "group" : "text",
                    STR_ARG(x), STR_ARG(y), STR_ARG(w), STR_ARG(h));
    }
    sbuf_add(&json, STR("]}"));
    if (!canvas_map_read(a, sbuf_str(&json), &m, &err))
        fail_msg("%s: %s", nodes, err.msg);
    return m;
}

/* "g(a,b)" and so on, in reading order. */
static void test_nesting_and_order(void **state)
{
    static const struct {
        const char *nodes, *outline;
    } cases[] = {
        {"a 0 0 10 10; b 20 0 10 10; c 0 20 10 10", "a b c"},
        {"c 0 20 10 10; b 20 0 10 10; a 0 0 10 10", "a b c"},
        {"b 500 0 10 10; g! 0 0 100 100; a 10 10 10 10", "g .a b"},
        /* not all of it is inside */
        {"g! 0 0 100 100; a 95 10 10 10", "g a"},
        /* groups in groups; the file's order does not matter */
        {"a 20 20 10 10; inner! 10 10 50 50; outer! 0 0 100 100; b 70 70 10 10",
         "outer .inner ..a .b"},
        /* the same rectangle: the first is outside */
        {"g! 0 0 50 50; h! 0 0 50 50; a 0 0 50 50", "g .h ..a"},
        /* two groups overlap: the first has what is in both */
        {"g! 0 0 60 60; h! 40 40 60 60; a 45 45 10 10", "g .a h"},
        {"g! 0 100 60 60; h! 0 0 60 60; a 5 105 10 10; b 5 5 10 10", "h .b g .a"},
        {"x! 1e300 -1e300 5 5; a 1e300 -1e300 5 5", "x .a"},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct canvas_map m = make(*state, cases[i].nodes);
        struct sbuf out = SBUF_ON(*state);
        canvas_nest(&m);
        size_t *order = canvas_order(&m);
        for (size_t k = 0; k < m.n_nodes; k++)
            sbuf_printf(&out, "%s%.*s" STR_FMT, k > 0 ? " " : "",
                        (int)m.nodes[order[k]].depth, ".....",
                        STR_ARG(m.nodes[order[k]].id));
        CHECK_STR(cases[i].nodes, sbuf_str(&out), cases[i].outline);
    }
}

static void test_titles(void **state)
{
    static const struct {
        struct canvas_node node;
        const char *title;
    } cases[] = {
        {{.type = CANVAS_IS_TEXT, .content = STR("\n\n## An idea \nmore")}, "An idea"},
        {{.type = CANVAS_IS_TEXT, .content = STR("#tag first")}, "#tag first"},
        {{.type = CANVAS_IS_TEXT, .content = STR("##")}, "##"},
        {{.type = CANVAS_IS_TEXT, .content = STR(" \n ")}, ""},
        {{.type = CANVAS_IS_FILE, .content = STR("A/B.md")}, "B"},
        {{.type = CANVAS_IS_FILE, .content = STR("A/B.png")}, "B.png"},
        {{.type = CANVAS_IS_LINK, .content = STR("https://x.y")}, "https://x.y"},
        {{.type = CANVAS_IS_GROUP, .content = STR("# Now")}, "# Now"},
        {{.type = CANVAS_IS_OTHER}, ""},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_STR(cases[i].title, canvas_title(&cases[i].node), cases[i].title);
}

static void test_edges(void **state)
{
    struct canvas_map m;
    struct err err;
    assert_true(canvas_map_read(
        *state,
        STR("{\"edges\":[{\"id\":\"e\",\"fromNode\":\"a\",\"toNode\":\"b\",\"label\":"
            "\"x\"},"
            "{\"id\":\"f\",\"fromNode\":\"a\",\"toNode\":\"b\",\"fromEnd\":\"arrow\","
            "\"toEnd\":\"none\"}]}"),
        &m, &err));
    assert_int_equal(m.n_edges, 2);
    CHECK_STR("label", m.edges[0].label, "x");
    CHECK("usual ends", m.edges[0].arrow && !m.edges[0].arrow_back);
    CHECK("other ends", !m.edges[1].arrow && m.edges[1].arrow_back);
    CHECK_INT("by id", canvas_edge_with_id(&m, STR("f")), 1);
    CHECK_INT("no such", canvas_edge_with_id(&m, STR("x")), 2);
}

static void test_limits(void **state)
{
    struct canvas_map m;
    struct err err;
    struct sbuf json = SBUF_ON(*state);
    sbuf_add(&json, STR("{\"nodes\":["));
    for (int i = 0; i <= CANVAS_NODES_MAX; i++)
        sbuf_printf(&json,
                    "%s{\"id\":\"%d\",\"type\":\"group\",\"x\":0,\"y\":0,\"width\":%d,"
                    "\"height\":9}",
                    i > 0 ? "," : "", i, i);
    sbuf_add(&json, STR("]}"));
    assert_false(canvas_map_read(*state, sbuf_str(&json), &m, &err));
    assert_int_equal(err.code, ERR_LIMIT);
    assert_true(canvas_map_read(*state, STR(""), &m, &err));
    assert_int_equal(m.n_nodes, 0);
    assert_false(canvas_map_read(*state, STR("[]"), &m, &err));
    assert_int_equal(err.name, E_INVALID_CONTENT);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_nesting_and_order),
        ARENA_TEST(test_titles),
        ARENA_TEST(test_edges),
        ARENA_TEST(test_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
