/* Questions that look at all files end when they are told to, at whichever time they ask. */
#include "base/stop.h"

#include "check.h"
#include "vault/ask/check.h"
#include "vault/ask/duplicates.h"
#include "vault/ask/mentions.h"
#include "vault/ask/near_names.h"
#include "vault/ask/related.h"
#include "vault/ask/search.h"
#include "vault/eval/catalogue.h"
#include "vault/eval/select.h"
#include "vault/index/file.h"

enum {
    FILES = 300,
    ASKED_AGAIN = 6, /* at most, after the first yes */
};

/* Whether a question was answered completely. */
typedef bool ask_fn(const struct index *x, struct arena *a, const struct stop *stop);

static bool ask_check(const struct index *x, struct arena *a, const struct stop *stop)
{
    struct check_result r;
    check_vault(x, a,
                &(struct check_limits){
                    .kinds = (1u << CHECK_KINDS) - 1, .max = 1000, .stop = stop},
                &r);
    return !r.partial;
}

static bool ask_duplicates(const struct index *x, struct arena *a,
                           const struct stop *stop)
{
    struct duplicate *all;
    return duplicates_find(x, a, stop, &all);
}

static bool ask_mentions(const struct index *x, struct arena *a, const struct stop *stop)
{
    struct mentions m;
    mentions_of(x, a, index_find(x, STR("Hub.md"))->id,
                &(struct mentions_limits){.max = 10, .stop = stop}, &m);
    return !m.partial;
}

static bool ask_related(const struct index *x, struct arena *a, const struct stop *stop)
{
    struct related_notes found;
    struct err err = {0};
    bool ok =
        related_find(x, NULL, a, index_find(x, STR("Hub.md")), false, stop, &found, &err);
    CHECK("says why", ok || err.code != ERR_NONE);
    return ok;
}

static bool ask_catalogue(const struct index *x, struct arena *a, const struct stop *stop)
{
    struct catalogue c;
    return catalogue_make(x, NULL, a, STR(""), 3, stop, &c);
}

static bool ask_select(const struct index *x, struct arena *a, const struct stop *stop)
{
    struct select_result r;
    struct err err;
    struct select s = {.where = STR("colour != 1"), .limit = 10, .stop = stop};
    return select_run(x, a, &s, &r, &err) && r.limit == NULL;
}

static bool ask_search(const struct index *x, struct arena *a, const struct stop *stop)
{
    struct search_result r;
    struct err err = {0};
    struct search s = {
        .mode = SEARCH_AUTO, .query = STR("colour c1"), .limit = 10, .stop = *stop};
    bool ok = search_run(x, a, &s, &r, &err);
    CHECK("says why", ok || err.code == ERR_LIMIT);
    return ok && !r.partial;
}

static const struct {
    const char *name;
    ask_fn *ask;
} rows[] = {
    {"check", ask_check},     {"duplicates", ask_duplicates}, {"mentions", ask_mentions},
    {"related", ask_related}, {"catalogue", ask_catalogue},   {"select", ask_select},
    {"search", ask_search},
};

struct asks {
    size_t n, yes_from;
    size_t after; /* asked when it had said yes */
};

static bool say_yes_at(void *arg)
{
    struct asks *s = arg;
    bool yes = ++s->n >= s->yes_from;
    s->after += yes;
    return yes;
}

static void put(struct index *x, const char *path, str text)
{
    struct arena scratch = {0};
    struct fs_info info = {0};
    index_put(x, file_make(&scratch, str_c(path), &info, text), false);
    arena_release(&scratch);
}

static struct index *many_notes(struct arena *a)
{
    struct index *x = index_create();
    put(x, "Hub.md", STR("Hub\n"));
    for (int i = 0; i < FILES; i++)
        put(x, arena_printf(a, "n%03d.md", i).p,
            arena_printf(a,
                         "---\ncolour: c%d\n---\nThe Hub and [[n%03d]] and [[Hub]] "
                         "and [[missing %d]] are here, with words number %d enough.\n",
                         i % 7, (i * 7) % FILES, i, i));
    return x;
}

static void test_each_time(void **state)
{
    struct arena a = {0}, keep = {0};
    struct index *x = many_notes(&keep);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        size_t times = 0;
        for (bool done = false; !done; times++) {
            struct asks asks = {.yes_from = times + 1};
            struct stop stop = {.asked = say_yes_at, .arg = &asks};
            done = rows[i].ask(x, &a, &stop);
            CHECK(rows[i].name, done == (asks.after == 0));
            CHECK(rows[i].name, asks.after <= ASKED_AGAIN);
            arena_reset(&a);
        }
        CHECK(rows[i].name, times > FILES / INDEX_ASKS);
    }
    index_free(x);
    arena_release(&a);
    arena_release(&keep);
}

static void test_memory(void **state)
{
    struct arena a = {0}, keep = {0};
    struct index *x = many_notes(&keep);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        (void)arena_alloc(&a, 1);
        struct stop stop = {.arena = &a, .max = 0};
        CHECK(rows[i].name, !rows[i].ask(x, &a, &stop));
        arena_reset(&a);
    }
    index_free(x);
    arena_release(&a);
    arena_release(&keep);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_time),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
