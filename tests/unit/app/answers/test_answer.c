#include "app/answers/answer.h"

#include "check.h"

enum { ITEM = 10 }; /* bytes of an item, with its comma */

struct fixture {
    struct arena arena;
    struct sbuf text;
    struct jsonw w;
    struct answer_out out;
};

static void open_answer(struct fixture *f, size_t max)
{
    *f = (struct fixture){0};
    f->text = SBUF_ON(&f->arena);
    f->w = JSONW_ON(&f->text);
    f->out = (struct answer_out){&f->w, max};
    jsonw_object(&f->w);
}

static void put_item(struct answer_out *out, const void *result, size_t i)
{
    assert_string_equal(result, "items");
    jsonw_printf(out->w, "item %02zu", i); /* "item 07", */
}

static void ends_as(struct fixture *f, const char *expected)
{
    jsonw_end(&f->w);
    CHECK_STR("the answer", sbuf_str(&f->text), expected);
    arena_release(&f->arena);
}

static void test_all_fit(void **state)
{
    struct fixture f;
    (void)state;
    open_answer(&f, SIZE_MAX);
    assert_int_equal(answer_items(&f.out, STR("a"), "items", 3, put_item), 3);
    answer_next(&f.out, 3, 3);
    ends_as(&f, "{\"a\":[\"item 00\",\"item 01\",\"item 02\"]}");
}

static void test_items_that_do_not_fit_are_removed(void **state)
{
    struct fixture f;
    (void)state;
    open_answer(&f, ANSWER_REST + sizeof("{\"a\":[") + 2 * ITEM);
    size_t shown = answer_items(&f.out, STR("a"), "items", 9, put_item);
    assert_int_equal(shown, 2);
    answer_next(&f.out, 5 + shown, 5 + 9);
    ends_as(&f, "{\"a\":[\"item 00\",\"item 01\"],\"truncated\":true,"
                "\"next\":{\"offset\":7}}");
}

static void test_the_first_item_is_always_written(void **state)
{
    struct fixture f;
    (void)state;
    open_answer(&f, 1);
    assert_int_equal(answer_room(&f.out), 0);
    assert_int_equal(answer_items(&f.out, STR("a"), "items", 9, put_item), 1);
    ends_as(&f, "{\"a\":[\"item 00\"]}");
}

static void test_what_does_not_fit_leaves_no_trace(void **state)
{
    struct fixture f;
    (void)state;
    open_answer(&f, ANSWER_REST + 20);
    jsonw_put_str(&f.w, STR("a"), STR("b"));
    struct answer_mark mark = answer_mark(&f.out);
    jsonw_put_str(&f.w, STR("long"), STR("more than there is room for"));
    assert_false(answer_keep(&f.out, &mark));
    jsonw_put_int(&f.w, STR("c"), 1);
    assert_true(answer_keep(&f.out, &mark));
    ends_as(&f, "{\"a\":\"b\",\"c\":1}");
}

static void test_parts_are_cut_only_with_a_limit(void **state)
{
    struct fixture f;
    (void)state;
    open_answer(&f, SIZE_MAX);
    assert_int_equal(answer_some(&f.out, 30, 10), 30);
    f.out.max = 4000;
    assert_int_equal(answer_some(&f.out, 30, 10), 10);
    assert_int_equal(answer_some(&f.out, 3, 10), 3);
    jsonw_put_strs(&f.w, STR("n"), (const str[]){STR("x"), STR("y")}, 2);
    answer_more(&f.out);
    jsonw_put_str(&f.w, STR("path"), STR("p"));
    jsonw_end(&f.w);
    ends_as(&f, "{\"n\":[\"x\",\"y\"],\"truncated\":true,\"next\":{\"path\":\"p\"}}");
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_fit),
        cmocka_unit_test(test_items_that_do_not_fit_are_removed),
        cmocka_unit_test(test_the_first_item_is_always_written),
        cmocka_unit_test(test_what_does_not_fit_leaves_no_trace),
        cmocka_unit_test(test_parts_are_cut_only_with_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
