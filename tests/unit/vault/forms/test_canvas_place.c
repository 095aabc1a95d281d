#include "base/array.h"
#include "check.h"
#include "vault/forms/canvas_place.h"

static void add(struct canvas_map *m, enum canvas_type type, struct canvas_rect at)
{
    *ARRAY_ADD(m->arena, m->nodes, m->n_nodes) = (struct canvas_node){
        .type = type, .at = at, .content = STR("G"), .group = CANVAS_NO_NODE};
}

static struct canvas_request wish_of(double width, double height)
{
    return (struct canvas_request){width,           height,         CANVAS_NO_NODE,
                                   CANVAS_ANY_SIDE, CANVAS_NO_NODE, CANVAS_NO_NODE,
                                   CANVAS_NO_NODE};
}

static void check_place(const char *row, const struct canvas_map *m,
                        const struct canvas_request *w, double x, double y)
{
    struct canvas_rect r;
    struct err err;
    size_t group;
    if (!canvas_place(m, w, &r, &group, &err))
        fail_msg("%s: %s", row, err.msg);
    CHECK_INT(row, r.x, x);
    CHECK_INT(row, r.y, y);
}

static void test_next_to_a_node(void **state)
{
    struct canvas_map m = {.arena = *state};
    struct canvas_request w = wish_of(100, 50);
    w.near_node = 0;
    add(&m, CANVAS_IS_TEXT, (struct canvas_rect){0, 0, 100, 50});
    check_place("right", &m, &w, 160, 0);
    w.side = CANVAS_TOP;
    check_place("top", &m, &w, 0, -110);
    w.side = CANVAS_LEFT;
    check_place("left", &m, &w, -160, 0);
    w.side = CANVAS_ANY_SIDE;
    add(&m, CANVAS_IS_TEXT, (struct canvas_rect){160, 0, 100, 50});
    check_place("right is taken", &m, &w, 0, 110);
    w.side = CANVAS_RIGHT;
    check_place("along the side", &m, &w, 160, 70);
    add(&m, CANVAS_IS_TEXT, (struct canvas_rect){160, 130, 100, 50});
    check_place("past both", &m, &w, 160, 200);
}

static void test_anywhere(void **state)
{
    struct canvas_map m = {.arena = *state};
    struct canvas_request w = wish_of(100, 50);
    check_place("empty", &m, &w, 0, 0);
    add(&m, CANVAS_IS_TEXT, (struct canvas_rect){-10, -20, 100, 50});
    check_place("at the right", &m, &w, 150, -20);
    add(&m, CANVAS_IS_TEXT, (struct canvas_rect){150, -20, 100, 50});
    w.above = 1;
    check_place("below the last", &m, &w, 150, 90);
    m.nodes[1].at.height = 1000;
    check_place("the next column", &m, &w, 310, -20);
}

static void test_in_a_group(void **state)
{
    struct canvas_map m = {.arena = *state};
    struct canvas_request w = wish_of(100, 50);
    w.group = 0;
    add(&m, CANVAS_IS_GROUP, (struct canvas_rect){0, 0, 300, 200});
    check_place("empty", &m, &w, 20, 20);
    add(&m, CANVAS_IS_TEXT, (struct canvas_rect){20, 20, 100, 50});
    check_place("beside", &m, &w, 180, 20);
    add(&m, CANVAS_IS_TEXT, (struct canvas_rect){180, 20, 100, 50});
    check_place("below", &m, &w, 180, 130);
    add(&m, CANVAS_IS_TEXT, (struct canvas_rect){180, 130, 100, 50});
    check_place("below the first", &m, &w, 20, 130);
    add(&m, CANVAS_IS_TEXT, (struct canvas_rect){20, 130, 100, 50});
    check_place("it grows down", &m, &w, 20, 240);
    add(&m, CANVAS_IS_TEXT, (struct canvas_rect){0, 250, 1000, 50});
    check_place("it grows to the right", &m, &w, 340, 20);
    add(&m, CANVAS_IS_TEXT, (struct canvas_rect){350, -50, 50, 250});
    check_place("it grows up", &m, &w, 20, -90);
    add(&m, CANVAS_IS_TEXT, (struct canvas_rect){-500, -70, 1000, 20});
    add(&m, CANVAS_IS_TEXT, (struct canvas_rect){-100, 0, 50, 50});
    struct canvas_rect r;
    struct err err;
    size_t group;
    assert_false(canvas_place(&m, &w, &r, &group, &err));
    assert_int_equal(err.name, E_INVALID_ARGUMENT);
}

static void test_groups_around_grow_too(void **state)
{
    struct canvas_map m = {.arena = *state};
    struct canvas_request w = wish_of(100, 50);
    add(&m, CANVAS_IS_GROUP, (struct canvas_rect){-20, -20, 180, 130});
    add(&m, CANVAS_IS_GROUP, (struct canvas_rect){0, 0, 140, 90});
    add(&m, CANVAS_IS_TEXT, (struct canvas_rect){20, 20, 100, 50});
    w.near_node = 2;
    check_place("in the group of the node", &m, &w, 180, 20);
    add(&m, CANVAS_IS_TEXT, (struct canvas_rect){310, 0, 50, 50});
    check_place("the outer one cannot", &m, &w, 20, 130);
}

/* Whatever is there, a new node overlaps nothing, and groups cover nothing new. */
static void test_random(void **state)
{
    unsigned seed = 7;
    for (int round = 0; round < 300; round++) {
        struct canvas_map m = {.arena = *state};
        struct canvas_rect r;
        struct err err;
        size_t group;
        for (int i = 0; i < 12; i++) {
            struct canvas_rect at = {rand_r(&seed) % 900, rand_r(&seed) % 900,
                                     40 + rand_r(&seed) % 300, 40 + rand_r(&seed) % 300};
            add(&m, rand_r(&seed) % 3 == 0 ? CANVAS_IS_GROUP : CANVAS_IS_TEXT, at);
        }
        struct canvas_request w =
            wish_of(20 + rand_r(&seed) % 300, 20 + rand_r(&seed) % 200);
        if (rand_r(&seed) % 3 > 0)
            w.near_node = rand_r(&seed) % m.n_nodes;
        w.side = (enum canvas_side)(rand_r(&seed) % (CANVAS_ANY_SIDE + 1));
        if (!canvas_place(&m, &w, &r, &group, &err))
            continue;
        for (size_t i = 0; i < m.n_nodes; i++) {
            const struct canvas_node *n = &m.nodes[i];
            bool around = group != CANVAS_NO_NODE && n->type == CANVAS_IS_GROUP &&
                          canvas_contains(&n->at, &m.nodes[group].at);
            if (!around && canvas_overlaps(&n->at, &r))
                fail_msg("round %d: node %zu", round, i);
            struct canvas_rect grown =
                group != CANVAS_NO_NODE ? canvas_grown(&m.nodes[group].at, &r) : r;
            if (!around && canvas_overlaps(&n->at, &grown) && group != CANVAS_NO_NODE &&
                !canvas_overlaps(&n->at, &m.nodes[group].at))
                fail_msg("round %d: the group covers node %zu", round, i);
        }
        arena_reset(*state);
    }
}

static void test_sides(void **state)
{
    static const struct {
        struct canvas_rect to;
        enum canvas_side leaves, arrives;
    } cases[] = {
        {{200, 0, 50, 50}, CANVAS_RIGHT, CANVAS_LEFT},
        {{-200, 0, 50, 50}, CANVAS_LEFT, CANVAS_RIGHT},
        {{0, 200, 50, 50}, CANVAS_BOTTOM, CANVAS_TOP},
        {{0, -200, 50, 50}, CANVAS_TOP, CANVAS_BOTTOM},
        {{150, 400, 50, 50}, CANVAS_BOTTOM, CANVAS_TOP},
        {{400, 150, 50, 50}, CANVAS_RIGHT, CANVAS_LEFT},
    };
    const struct canvas_rect from = {0, 0, 100, 50};

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        enum canvas_side leaves, arrives;
        canvas_choose_sides(&from, &cases[i].to, &leaves, &arrives);
        CHECK_INT("leaves", leaves, cases[i].leaves);
        CHECK_INT("arrives", arrives, cases[i].arrives);
    }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_next_to_a_node), ARENA_TEST(test_anywhere),
        ARENA_TEST(test_in_a_group),     ARENA_TEST(test_groups_around_grow_too),
        ARENA_TEST(test_random),         ARENA_TEST(test_sides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
