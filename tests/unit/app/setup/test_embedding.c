/* What is said about search by meaning, and which model serves. */
#include "app/setup/embedding.h"

#include "app/setup/meaning_settings.h"
#include "app/setup/model_file.h"
#include "vault_place.h"

static void test_line(void **state)
{
    static const struct {
        struct meaning_state s;
        const char *line;
    } rows[] = {
        {{.about = {"built in", 8}}, "built in: no notes are read yet"},
        {{.about = {"m", 1}, .chunks = 10}, "m: 0 of 10 chunks of notes so far"},
        {{.about = {"m", 1}, .chunks = 10, .embedded = 9},
         "m: 9 of 10 chunks of notes so far"},
        {{.about = {"m", 1}, .chunks = 10, .embedded = 10}, "m: all 10 chunks of notes"},
        {{.about = {"m", 1}, .chunks = 10, .embedded = 8, .unread = 2},
         "m: all 8 chunks of notes; 2 more are in languages it does not support"},
        {{.about = {"m", 1}, .chunks = 10, .embedded = 3, .unread = 5},
         "m: 3 of 10 chunks of notes so far; 5 more are in languages it does not "
         "support"},
        {{.about = {"m", 1}, .chunks = 10, .embedded = 4, .unread = 6},
         "m: all 4 chunks of notes; it does not support the language of most notes, "
         "which "
         "are found by words only: set an endpoint for them (--embeddings)"},
        {{.about = {"m", 1}, .chunks = 10, .unread = 10},
         "m: none of 10 chunks of notes; it does not support the language of most notes, "
         "which are found by words only: set an endpoint for them (--embeddings)"},
        {{.about = {"m", 1}, .chunks = 2, .embedded = 1, .problem = {"it is away", 10}},
         "m: 1 of 2 chunks of notes so far; it is away"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        CHECK_STR(rows[i].line, embedding_line(*state, &rows[i].s), rows[i].line);
}

/* Where the model is: what is given, else the own one, else that of the machine. */
static void test_find(void **state)
{
    struct place *p = *state;
    struct arena *a = &p->arena;
    str top = str_c(p->state), shared = STR("");
    if (access(MODEL_FILE_SHARED, F_OK) == 0)
        shared = STR(MODEL_FILE_SHARED);
    assert_int_equal(mkdir(p->state, 0700), 0);
    CHECK_STR("none", model_file_find(a, STR(""), top), shared);
    CHECK_STR("given", model_file_find(a, STR("/x/y.model"), top), "/x/y.model");
    place_put(p, "../state/minilm.model", STR("not a model"));
    CHECK_STR("former", model_file_find(a, STR(""), top), model_file_former(a, top));
    place_put(p, "../state/sentence.model", STR("not a model"));
    CHECK_STR("own", model_file_find(a, STR(""), top), model_file_own(a, top));
    CHECK_STR("given, too", model_file_find(a, STR("/x/y.model"), top), "/x/y.model");
}

static struct settings_embeddings set(const char *where, const char *file)
{
    return (struct settings_embeddings){.where = str_c(where), .file = str_c(file)};
}

/* A broken model that was installed is not used, and one that is given is an error. */
static void test_open(void **state)
{
    struct place *p = *state;
    struct arena *a = &p->arena;
    str top = str_c(p->state);
    const char *broken = arena_printf(a, "%s/minilm.model", p->state).p;
    struct embedding e;
    struct vault_options options = {0};
    assert_int_equal(mkdir(p->state, 0700), 0);
    place_put(p, "../state/minilm.model", STR("not a model"));
    static const char *const off[] = {"off", "OFF", "Off"};
    for (size_t i = 0; i < COUNT_OF(off); i++) {
        struct settings_embeddings s = set(off[i], broken);
        OK(embedding_open(&e, a, &s, top, &err));
        CHECK(off[i], !embedding_is_open(&e));
        embedding_close(&e);
    }
    struct settings_embeddings own = set("", ""), given = set("", broken),
                               missing = set("", "/nonexistent/x.model");
    OK(embedding_open(&e, a, &own, top, &err));
    CHECK("not used", !embedding_is_open(&e));
    embedding_set(&e, &options);
    CHECK("no embedder", options.embedder == NULL && options.former == NULL);
    embedding_close(&e);
    FAILS(embedding_open(&e, a, &given, top, &err), ERR_INVALID,
          "it is not a model for vaultd");
    embedding_close(&e);
    FAILS(embedding_open(&e, a, &missing, top, &err), ERR_NOT_FOUND,
          "the model file cannot be opened");
    embedding_close(&e);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_line),
        PLACE_TEST(test_find),
        PLACE_TEST(test_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
