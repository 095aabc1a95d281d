/* The thread that makes the vectors of notes: what it embeds, when, and how often. */
#include "vault/meaning/meaning.h"

#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <time.h>

#include "base/clock.h"
#include "vault_place.h"
#include "word_embedder.h"

enum { WAIT_MS = 300000, NOTES = 40 };

static void start_as(struct place *p, struct vault_options options)
{
    struct err err = {0};
    options.state_dir = p->state;
    if (!vault_open(p->folder, &p->vault, &err))
        fail_msg("%s", err.msg);
    vault_start(p->vault, &options);
    if (!vault_wait(p->vault, NULL, NULL, &err))
        fail_msg("%s", err.msg);
}

/* Without watching: the thread of a server runs only when the machine is idle, and a
 * machine that runs tests is not. */
static void start(struct place *p, struct word_embedder *w)
{
    start_as(p, (struct vault_options){.embedder = &w->embedder});
}

static void finish(struct place *p)
{
    if (!vault_wait_embedded(p->vault, WAIT_MS))
        fail_msg("not embedded");
}

static void stop(struct place *p)
{
    vault_close(p->vault);
    p->vault = NULL;
}

static void put_notes(struct place *p)
{
    for (int i = 0; i < NOTES; i++)
        place_put(p, arena_printf(&p->arena, "%d.md", i).p,
                  arena_printf(&p->arena, "note number %d\n", i));
}

static struct meaning_state state_of(struct place *p, struct vault *v)
{
    struct meaning_state s = meaning_state(vault_meaning(v), vault_lock(v), &p->arena);
    vault_unlock(v);
    return s;
}

/* The nearest note to a question. */
static str nearest(struct place *p, struct vault *v, const char *question)
{
    struct meaning_query q;
    struct meaning_near *near;
    vault_embed_query(v, &p->arena, str_c(question), clock_ns() + 2000000000ULL, &q);
    const struct index *x = vault_lock(v);
    size_t n = meaning_near(vault_meaning(v), x, &p->arena, &q, NULL, NULL, 1, &near);
    str path = n > 0 ? arena_str(&p->arena, near[0].file->path) : STR("");
    vault_unlock(v);
    return path;
}

static void test_none(void **state)
{
    struct place *p = *state;
    struct meaning_query q;
    place_put(p, "a.md", STR("x"));
    start_as(p, (struct vault_options){.watch = false});
    CHECK("none", vault_meaning(p->vault) == NULL);
    vault_embed_query(p->vault, &p->arena, STR("x"), 0, &q);
    CHECK("why", q.numbers == 0 && q.why.n > 0);
    CHECK("over", vault_wait_embedded(p->vault, 0));
}

/* Everything once; nothing after a restart; after an edit only what was edited. */
static void test_once(void **state)
{
    struct place *p = *state;
    struct word_embedder w;
    word_embedder_init(&w, "words");
    put_notes(p);
    start(p, &w);
    finish(p);
    CHECK_INT("first", w.texts, NOTES);
    CHECK_STR("near", nearest(p, p->vault, "note number 7"), "7.md");
    stop(p);
    start(p, &w);
    finish(p);
    CHECK_INT("again", w.texts, NOTES);
    CHECK_INT("known", state_of(p, p->vault).embedded, NOTES);
    uint64_t began = clock_ms();
    place_put(p, "7.md", STR("something else entirely\n"));
    vault_refresh(p->vault, NULL, 0);
    while (atomic_load(&w.texts) == NOTES && clock_ms() - began < WAIT_MS)
        usleep(10000);
    CHECK("after a while", clock_ms() - began >= 1500);
    finish(p);
    CHECK_INT("edited", w.texts, NOTES + 1);
    CHECK_STR("near", nearest(p, p->vault, "something else"), "7.md");
    rename(arena_printf(&p->arena, "%s/8.md", p->folder).p,
           arena_printf(&p->arena, "%s/moved", p->folder).p);
    place_put(p, "x/8.md", STR("note number 8\n"));
    vault_refresh(p->vault, NULL, 0);
    finish(p);
    CHECK_INT("moved", w.texts, NOTES + 1);
}

/* A process that is killed: the next one embeds only what is left. */
static void test_killed(void **state)
{
    struct place *p = *state;
    struct word_embedder w;
    word_embedder_init(&w, "words");
    w.embedder.texts_max = 4;
    put_notes(p);
    pid_t child = fork();
    if (child == 0) {
        w.hold_at = NOTES / 2; /* however busy the machine is, the rest is not embedded */
        start(p, &w);
        while (!atomic_load(&w.held))
            usleep(1000);
        kill(getpid(), SIGKILL);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    CHECK("killed", WIFSIGNALED(status));
    start(p, &w);
    finish(p);
    CHECK_INT("complete", state_of(p, p->vault).embedded, NOTES);
    CHECK("only the rest", w.texts <= NOTES / 2 + 4 && w.texts > 0);
}

/* The settings hide a folder from all callers: nothing in it is embedded. */
static void test_denied(void **state)
{
    struct place *p = *state;
    struct word_embedder w;
    struct access access;
    struct err err = {0};
    str deny = STR("secret");
    word_embedder_init(&w, "words");
    w.watched = "treasure";
    place_put(p, "open.md", STR("a map\n"));
    place_put(p, "secret/x.md", STR("the treasure\n"));
    struct access_request request = {.deny = &deny, .n_deny = 1};
    assert_true(access_make(&p->arena, &request, &access, &err));
    start_as(p, (struct vault_options){.embedder = &w.embedder, .access = &access});
    finish(p);
    CHECK_INT("seen", w.seen, 0);
    CHECK_INT("embedded", w.texts, 1);
}

static void test_views(void **state)
{
    struct place *p = *state;
    struct word_embedder w;
    struct access access;
    struct err err = {0};
    str read = STR("mine");
    word_embedder_init(&w, "words");
    place_put(p, "mine/a.md", STR("boats on water\n"));
    place_put(p, "other/b.md", STR("boats boats boats\n"));
    start(p, &w);
    finish(p);
    struct access_request request = {.read = &read, .n_read = 1};
    assert_true(access_make(&p->arena, &request, &access, &err));
    struct vault *as = vault_as(p->vault, &p->arena, &access);
    CHECK_STR("whole", nearest(p, p->vault, "boats boats"), "other/b.md");
    CHECK_STR("view", nearest(p, as, "boats boats"), "mine/a.md");
    CHECK_INT("chunks", state_of(p, as).chunks, 1);
    CHECK_INT("asked", w.queries, 2);
}

static void test_failing(void **state)
{
    struct place *p = *state;
    struct word_embedder w;
    word_embedder_init(&w, "words");
    put_notes(p);
    w.fails = ERR_BUSY;
    start(p, &w);
    while (state_of(p, p->vault).problem.n == 0)
        usleep(10000);
    CHECK("goes on", !vault_wait_embedded(p->vault, 0));
    w.fails = 0;
    finish(p);
    CHECK_INT("texts", w.texts, NOTES);
    CHECK_STR("no problem", state_of(p, p->vault).problem, "");
}

static void test_refusing(void **state)
{
    struct place *p = *state;
    struct word_embedder w;
    word_embedder_init(&w, "words");
    put_notes(p);
    w.fails = ERR_DENIED;
    start(p, &w);
    finish(p);
    CHECK_INT("one attempt", w.calls, 1);
    CHECK_STR("problem", state_of(p, p->vault).problem, "it does not work");
}

/* Closing does not wait for all that is left. */
static void test_closing(void **state)
{
    struct place *p = *state;
    struct word_embedder w;
    word_embedder_init(&w, "words");
    w.slow_ms = 200;
    w.embedder.texts_max = 1;
    put_notes(p);
    start(p, &w);
    while (atomic_load(&w.texts) == 0)
        usleep(1000);
    stop(p);
    CHECK("soon", w.texts < NOTES);
}

/* A vault in which something changes all the time is embedded, too. */
static void test_busy_vault(void **state)
{
    struct place *p = *state;
    struct word_embedder w;
    word_embedder_init(&w, "words");
    w.slow_ms = 20;
    w.embedder.texts_max = 1;
    put_notes(p);
    start(p, &w);
    for (int i = 0;
         i < 10000 && !(i % 50 == 0 && state_of(p, p->vault).embedded >= NOTES); i++) {
        place_put(p, "busy.md", arena_printf(&p->arena, "change %d\n", i));
        vault_refresh(p->vault, &STR("busy.md"), 1);
        usleep(20000);
    }
    CHECK("all of the others", state_of(p, p->vault).embedded >= NOTES);
}

/* Without a place for the file, vectors are in memory, and the state says so. */
static void test_no_state(void **state)
{
    struct place *p = *state;
    struct word_embedder w;
    word_embedder_init(&w, "words");
    put_notes(p);
    start(p, &w);
    finish(p);
    stop(p);
    struct vault_options recall = {.embedder = &w.embedder, .recall = true};
    place_put(p, "new.md", STR("new\n"));
    start_as(p, recall);
    CHECK_STR("recalled", nearest(p, p->vault, "note number 3"), "3.md");
    finish(p);
    CHECK_INT("nothing new", w.texts, NOTES);
    stop(p);
    bool found;
    struct err err;
    assert_true(vault_open(p->folder, &p->vault, &err));
    CHECK("forgotten", vault_forget_meaning(p->vault, p->state, &found, &err) && found);
    CHECK("nothing left",
          vault_forget_meaning(p->vault, p->state, &found, &err) && !found);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_none, place_setup, place_teardown),
        cmocka_unit_test_setup_teardown(test_once, place_setup, place_teardown),
        cmocka_unit_test_setup_teardown(test_killed, place_setup, place_teardown),
        cmocka_unit_test_setup_teardown(test_denied, place_setup, place_teardown),
        cmocka_unit_test_setup_teardown(test_views, place_setup, place_teardown),
        cmocka_unit_test_setup_teardown(test_failing, place_setup, place_teardown),
        cmocka_unit_test_setup_teardown(test_refusing, place_setup, place_teardown),
        cmocka_unit_test_setup_teardown(test_closing, place_setup, place_teardown),
        cmocka_unit_test_setup_teardown(test_busy_vault, place_setup, place_teardown),
        cmocka_unit_test_setup_teardown(test_no_state, place_setup, place_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
