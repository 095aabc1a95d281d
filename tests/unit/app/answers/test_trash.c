/* The list of the trash: as JSON, for a model and for a terminal. */
#include "app/answers/trash.h"

#include "app/answers/model_text.h"
#include "check.h"

static struct ops_trashed items[] = {
    {.path = STR("a.md"), .from = STR("Work/a.md"), .when = 1000000000},
    {.path = STR("b.md"), .when = 900000000},
};

static void test_json(void **state)
{
    struct arena a = {0};
    struct trash t = {items, COUNT_OF(items)};
    struct sbuf b = SBUF_ON(&a);
    struct jsonw w = JSONW_ON(&b);
    trash_shape.json(&(struct answer_out){&w, SIZE_MAX}, &t);
    CHECK_STR("json", sbuf_str(&b),
              "{\"trash\":[{\"path\":\"a.md\",\"from\":\"Work/a.md\",\"deleted\":"
              "\"2001-09-09T01:46:40Z\"},{\"path\":\"b.md\",\"deleted\":"
              "\"1998-07-09T16:00:00Z\"}],\"total\":2}");
    arena_release(&a);
}

static void test_text(void **state)
{
    struct arena a = {0};
    struct trash t = {items, COUNT_OF(items)};
    struct sbuf b = SBUF_ON(&a);
    trash_shape.text(&(struct model_text){&b, SIZE_MAX}, &t);
    CHECK_STR("text", sbuf_str(&b),
              "trash: 2 files\na.md  2001-09-09T01:46:40Z  from Work/a.md\n"
              "b.md  1998-07-09T16:00:00Z\n");
    arena_release(&a);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
