/* What the index says about filters: never too few files, and few where it can. */
#include "eval_world.h"
#include "vault/eval/prefilter.h"
#include "vault/eval/select_parser.h"

/* The files that may match, by name; "all" if the index does not know. */
static str names_in(struct world *w, struct prefilter_files may)
{
    struct sbuf b = SBUF_ON(&w->arena);
    if (may.all)
        return STR("all");
    for (file_id id = 0; id < w->index->n; id++)
        for (size_t i = 0; i < may.n; i++)
            if (may.ids[i] == id && !w->index->files[id]->excluded)
                sbuf_printf(&b, "%s" STR_FMT, b.n > 0 ? " " : "",
                            STR_ARG(file_title(w->index->files[id]->path)));
    return sbuf_str(&b);
}

static void check_never_too_few(struct world *w, const char *text, const struct expr *x,
                                struct prefilter_files may)
{
    for (file_id id = 0; id < w->index->n; id++) {
        struct row row = {.file = w->index->files[id]};
        bool in = may.all;
        for (size_t i = 0; i < may.n; i++)
            in = in || may.ids[i] == id;
        eval_row(&w->eval, &row, &w->arena);
        if (!row.file->excluded && eval_holds(&w->eval, x, NULL))
            CHECK(text, in);
    }
}

static void test_bases(void **state)
{
    static const struct {
        const char *filter, *files;
    } cases[] = {
        {"status == \"active\"", "Alpha Ann"},
        {"\"active\" == status", "Alpha Ann"},
        {"status == \"Active\"", "Alpha Ann"}, /* checked afterwards */
        {"note[\"price\"] > 3", "Alpha Beta Ann"},
        {"3 < price", "Alpha Beta Ann"},
        {"price + 1 > 3", "Alpha Beta Ann"},
        {"price == null", "all"},
        {"status != \"active\"", "all"},
        {"!status", "all"},
        {"status", "Alpha Beta Ann"},
        {"status.contains(\"act\")", "Alpha Beta Ann"},
        {"status.isEmpty()", "all"},
        {"due < today() + \"1M\"", "Alpha"},
        {"file.hasTag(\"work\")", "Alpha Beta"},
        {"file.hasTag(\"none\", \"#home\")", "Beta"},
        {"file.tags.contains(\"home\")", "Beta"},
        {"file.inFolder(\"Projects\")", "Alpha Beta"},
        {"file.inFolder(\"Projects/Old/\")", "Beta"},
        {"file.inFolder(\"projects\")", ""},
        {"file.inFolder(\"/\")", "all"},
        {"file.mtime > now() - \"30d\"", "Alpha Ann zero picture.png"},
        {"file.mtime < now() - \"30d\"", "Beta"},
        {"now() - \"30d\" > file.mtime", "Beta"},
        {"file.hasLink(\"Ann\")", "Alpha Ann"},
        {"file.hasLink(file)", "all"},
        {"status == \"active\" && file.hasTag(\"home\")", "Beta"},
        {"status == \"active\" || file.hasTag(\"home\")", "Alpha Beta Ann"},
        {"status == \"active\" || file.name == \"zero\"", "all"},
        {"up == \"Beta\"", "Alpha Ann"},
    };
    struct world *w = *state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct expr *x = world_parse(w, cases[i].filter);
        eval_fold(&w->eval, x);
        struct prefilter_files may = prefilter(&w->eval, x);
        CHECK_STR(cases[i].filter, names_in(w, may), cases[i].files);
        check_never_too_few(w, cases[i].filter, x, may);
    }
}

static void test_query(void **state)
{
    static const struct {
        const char *filter, *files;
    } cases[] = {
        {"status = active", "Alpha Ann"},
        {"status in (active, done)", "Alpha Beta Ann"},
        {"price > 3", "Alpha Beta Ann"},
        {"5 < price", "Alpha Beta Ann"},
        {"tag = #work", "Alpha Beta"},
        {"file.hasTag(\"home\")", "Beta"},
        {"file.inFolder(\"projects/OLD\")", "Beta"},
        {"file.modified > today - 7d", "Alpha Ann zero picture.png"},
        {"file.hasLink(\"Ann\")", "Alpha Ann"},
        {"NOT status = active", "all"},
        {"status is empty", "all"},
        {"price = null", "all"},
    };
    struct world *w = *state;
    struct select_query q = {
        .arena = &w->arena,
        .reader = {.arena = &w->arena, .names = w->index->names, .source_id = NO_FILE},
        .now = w->eval.now,
        .fields = {.arena = &w->arena}};
    w->eval.dialect = w->eval.reader.dialect = &dialect_query;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct expr *x;
        CHECK(cases[i].filter,
              select_parse_where(&q, str_c(cases[i].filter), &x, &w->err));
        struct prefilter_files may = prefilter(&w->eval, x);
        CHECK_STR(cases[i].filter, names_in(w, may), cases[i].files);
        check_never_too_few(w, cases[i].filter, x, may);
    }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(test_bases),
        WORLD_TEST(test_query),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
