#include "vault/meaning/meaning.h"

#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/sbuf.h"
#include "check.h"
#include "vault/meaning/meaning_fill.h"
#include "word_embedder.h"

static char folder[] = "/tmp/test_meaning.XXXXXX", path[64];

static void clear(void)
{
    static const char *const endings[] = {"", ".next", ".lock", ".tmp"};
    for (size_t i = 0; i < COUNT_OF(endings); i++) {
        char file[80];
        snprintf(file, sizeof(file), "%s%s", path, endings[i]);
        unlink(file);
    }
}

static int make_folder(void **state)
{
    (void)state;
    if (mkdtemp(folder) == NULL)
        return 1;
    snprintf(path, sizeof(path), "%s/vectors", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    clear();
    return rmdir(folder);
}

static void put(struct index *x, const char *name, const char *text)
{
    struct arena scratch = {0};
    struct fs_info info = {.size = (int64_t)strlen(text)};
    index_put(x, file_make(&scratch, str_c(name), &info, str_c(text)), false);
    arena_release(&scratch);
}

/* What vault_meaning.c does, without threads. */
static bool fill(struct meaning *m, const struct index *x, struct err *err)
{
    bool settled;
    for (file_id id = 0; id < x->n; id++) {
        const struct file *f = index_file(x, id);
        if (f != NULL && (!meaning_knows(m, f, &settled) || !settled))
            meaning_place(m, f);
    }
    for (;;) {
        struct arena a = {0};
        struct meaning_batch b = {0};
        bool room = true;
        for (file_id id = 0; id < x->n && room; id++)
            if (index_file(x, id) != NULL)
                room = meaning_collect(m, &a, index_file(x, id), &b);
        bool ok = b.n == 0 || meaning_embed(m, &a, &b, 0, err);
        size_t n = b.n;
        arena_release(&a);
        for (file_id id = 0; id < x->n; id++)
            if (index_file(x, id) != NULL)
                meaning_place(m, index_file(x, id));
        if (!ok || n == 0)
            return ok && (!meaning_settle(m) || fill(m, x, err));
    }
}

static struct index *some_notes(void)
{
    struct index *x = index_create();
    put(x, "a/Boats.md", "# Sails\n\nboats sail on water with wind\n");
    put(x, "a/Trains.md", "trains run on rails of steel\n");
    put(x, "b/Wind.md", "wind and water and waves\n");
    put(x, "b/Empty.md", "");
    return x;
}

static str nearest(struct meaning *m, const struct index *x, struct arena *a,
                   const char *question)
{
    struct meaning_query q;
    struct meaning_near *out;
    meaning_ask(m, a, str_c(question), 0, &q);
    size_t n = meaning_near(m, x, a, &q, NULL, NULL, MEANING_NOTES, &out);
    struct sbuf b = SBUF_ON(a);
    for (size_t i = 0; i < n && out[i].cosine > 0.1F; i++)
        sbuf_printf(&b, STR_FMT ":%u " STR_FMT ";", STR_ARG(out[i].file->path),
                    out[i].line, STR_ARG(out[i].heading));
    return sbuf_str(&b);
}

static void test_near(void **state)
{
    struct word_embedder w;
    struct err err = {0};
    word_embedder_init(&w, "words");
    struct index *x = some_notes();
    struct meaning *m = meaning_open(&w.embedder, NULL, NULL);
    meaning_begin(m, true);
    CHECK_STR("before", nearest(m, x, *state, "boats sail"), "");
    CHECK(err.msg, fill(m, x, &err));
    CHECK_INT("embedded", w.texts, 4);
    CHECK_STR("boats", nearest(m, x, *state, "boats sail"), "a/Boats.md:1 Sails;");
    CHECK_STR("wind", nearest(m, x, *state, "wind water waves"),
              "b/Wind.md:1 ;a/Boats.md:1 Sails;");
    const struct file *wind = index_find(x, STR("b/Wind.md"));
    const float *near = meaning_alike(m, x, *state, wind);
    CHECK("itself", near != NULL && fabsf(near[wind->id] - 1) < 0.01F);
    CHECK("the other with wind in it is nearer than a third",
          near[index_find(x, STR("a/Boats.md"))->id] >
              near[index_find(x, STR("a/Trains.md"))->id]);
    struct meaning_state s = meaning_state(m, x, *state);
    CHECK_INT("chunks", s.chunks, 4);
    CHECK_INT("made", s.embedded, 4);
    CHECK_STR("about", s.about, "words");
    CHECK_STR("problem", s.problem, "");
    put(x, "a/Trains.md", "trains and boats\n");
    CHECK_STR("changed", nearest(m, x, *state, "rails of steel"), "");
    CHECK(err.msg, fill(m, x, &err));
    CHECK_INT("only itself", w.texts, 5);
    meaning_close(m);
    index_free(x);
}

static void test_nothing(void **state)
{
    struct index *x = index_create();
    struct meaning_query q;
    struct meaning_near *out;
    meaning_ask(NULL, *state, STR("x"), 0, &q);
    CHECK("why", q.numbers == 0 && q.why.n > 0);
    CHECK_INT("none", meaning_near(NULL, x, *state, &q, NULL, NULL, 10, &out), 0);
    CHECK_INT("state", meaning_state(NULL, x, *state).chunks, 0);
    index_free(x);
}

static bool shows_a(const void *arg, const struct file *f)
{
    (void)arg;
    return str_starts(f->path, STR("a/"));
}

/* A view ranks as a vault that has only its files. */
static void test_view(void **state)
{
    struct word_embedder w;
    struct err err = {0};
    word_embedder_init(&w, "words");
    struct index *x = some_notes(), *only = index_create();
    put(only, "a/Boats.md", "# Sails\n\nboats sail on water with wind\n");
    put(only, "a/Trains.md", "trains run on rails of steel\n");
    struct index *view = index_view(x, shows_a, NULL);
    struct meaning *m = meaning_open(&w.embedder, NULL, NULL);
    struct meaning *alone = meaning_open(&w.embedder, NULL, NULL);
    meaning_begin(m, true);
    meaning_begin(alone, true);
    CHECK(err.msg, fill(m, x, &err) && fill(alone, only, &err));
    static const char *const questions[] = {"wind water", "on", "waves",
                                            "steel rails on"};
    for (size_t i = 0; i < COUNT_OF(questions); i++)
        CHECK_STR(questions[i], nearest(m, view, *state, questions[i]),
                  nearest(alone, only, *state, questions[i]).p);
    CHECK_INT("chunks", meaning_state(m, view, *state).chunks, 2);
    const struct file *wind = index_find(x, STR("b/Wind.md"));
    CHECK("of another", meaning_alike(m, view, *state, wind) == NULL);
    meaning_close(m);
    meaning_close(alone);
    index_free(view);
    index_free(x);
    index_free(only);
}

/* Started again, nothing is embedded; refused and unread ones are not asked for again. */
static void test_again(void **state)
{
    struct word_embedder w;
    struct err err = {0};
    word_embedder_init(&w, "words");
    w.refused = "steel";
    w.unread = "waves";
    struct index *x = some_notes();
    clear();
    for (int round = 0; round < 3; round++) {
        struct meaning *m = meaning_open(&w.embedder, NULL, path);
        meaning_begin(m, true);
        CHECK("turn", meaning_has_turn(m));
        CHECK(err.msg, fill(m, x, &err));
        struct meaning_state s = meaning_state(m, x, *state);
        CHECK_INT("embedded", s.embedded, 2);
        CHECK_INT("unread", s.unread, 1);
        CHECK_INT("texts", w.texts, 2 + 1); /* and one to learn the length of vectors */
        meaning_close(m);
    }
    index_free(x);
}

static void test_failures(void **state)
{
    static const enum err_code codes[] = {ERR_BUSY, ERR_DENIED, ERR_INTERNAL};
    struct word_embedder w;
    word_embedder_init(&w, "words");
    struct index *x = some_notes();
    struct meaning *m = meaning_open(&w.embedder, NULL, NULL);
    meaning_begin(m, true);
    for (size_t i = 0; i < COUNT_OF(codes); i++) {
        struct err err = {0};
        w.fails = codes[i];
        CHECK("fails", !fill(m, x, &err));
        CHECK_INT("code", err.code, codes[i]);
        meaning_say(m, &err);
        CHECK_STR("problem", meaning_state(m, x, *state).problem, "it does not work");
    }
    meaning_say(m, NULL);
    CHECK_STR("none", meaning_state(m, x, *state).problem, "");
    meaning_close(m);
    index_free(x);
}

/* The vectors of the model before serve until those of the new one cover the vault. */
static void test_model_changed(void **state)
{
    struct word_embedder old, new_one;
    struct err err = {0};
    struct meaning_near *out;
    struct meaning_query q;
    word_embedder_init(&old, "old");
    word_embedder_init(&new_one, "new");
    struct index *x = some_notes();
    clear();
    struct meaning *m = meaning_open(&old.embedder, NULL, path);
    meaning_begin(m, true);
    CHECK(err.msg, fill(m, x, &err));
    meaning_close(m);

    m = meaning_open(&new_one.embedder, &old.embedder, path);
    meaning_begin(m, true);
    new_one.fails = ERR_BUSY;
    CHECK("not yet", !fill(m, x, &err));
    CHECK_STR("served", nearest(m, x, *state, "boats sail"), "a/Boats.md:1 Sails;");
    CHECK_STR("by", meaning_state(m, x, *state).about, "old");
    meaning_ask(m, *state, STR("boats"), 0, &q);
    new_one.fails = 0;
    CHECK(err.msg, fill(m, x, &err));
    CHECK_STR("new", meaning_state(m, x, *state).about, "new");
    CHECK_INT("never mixed", meaning_near(m, x, *state, &q, NULL, NULL, 10, &out), 0);
    CHECK_STR("served", nearest(m, x, *state, "boats sail"), "a/Boats.md:1 Sails;");
    meaning_close(m);

    m = meaning_open(&new_one.embedder, NULL, path);
    meaning_begin(m, true);
    CHECK(err.msg, fill(m, x, &err));
    CHECK_INT("once", new_one.texts, 4);
    CHECK_INT("old", old.texts, 4);
    meaning_close(m);
    index_free(x);
}

static bool embed_half(void *arg, struct arena *a, enum embed_side side, const str *texts,
                       size_t n, uint64_t deadline_ns, float **out, unsigned *numbers,
                       struct err *err)
{
    bool ok = word_embed(arg, a, side, texts, n, deadline_ns, out, numbers, err);
    *numbers /= 2;
    return ok;
}

/* The same name, but another model behind it: questions say why they are answered without. */
static void test_other_length(void **state)
{
    struct word_embedder w;
    struct err err = {0};
    struct meaning_query q;
    word_embedder_init(&w, "words");
    struct index *x = some_notes();
    clear();
    struct meaning *m = meaning_open(&w.embedder, NULL, path);
    meaning_begin(m, true);
    CHECK(err.msg, fill(m, x, &err));
    meaning_close(m);

    w.embedder.embed = embed_half;
    m = meaning_open(&w.embedder, NULL, path);
    meaning_begin(m, true);
    CHECK("stored", fill(m, x, &err));
    meaning_ask(m, *state, STR("boats"), 0, &q);
    CHECK_INT("numbers", q.numbers, 0);
    CHECK_STR("why", q.why,
              "the model returns embeddings of 256 dimensions, but the stored ones have "
              "512: run vaultd embeddings clear to rebuild them");
    meaning_close(m);
    index_free(x);
}

/* Two processes with one file: one fills, the other reads, and takes over at its end. */
static void test_two(void **state)
{
    struct word_embedder w;
    struct err err = {0};
    word_embedder_init(&w, "words");
    struct index *x = some_notes();
    clear();
    struct meaning *first = meaning_open(&w.embedder, NULL, path);
    struct meaning *second = meaning_open(&w.embedder, NULL, path);
    meaning_begin(first, true);
    meaning_begin(second, true);
    CHECK("turns", meaning_has_turn(first) && !meaning_has_turn(second));
    bool found;
    CHECK("removed", !meaning_remove(path, &found, &err) && err.code == ERR_BUSY);
    CHECK(err.msg, fill(first, x, &err));
    CHECK("news", meaning_follow(second));
    for (file_id id = 0; id < x->n; id++)
        CHECK("settled", !meaning_place(second, index_file(x, id)));
    CHECK_STR("read", nearest(second, x, *state, "boats sail"), "a/Boats.md:1 Sails;");
    CHECK("no news", !meaning_follow(second));
    meaning_close(first);
    CHECK("takes over", meaning_follow(second) && meaning_has_turn(second));
    put(x, "New.md", "a new note\n");
    CHECK(err.msg, fill(second, x, &err));
    CHECK_INT("texts", w.texts, 5);
    meaning_close(second);
    CHECK("removed", meaning_remove(path, &found, &err) && found);
    index_free(x);
}

/* Rows of texts that no note has any more are dropped at some time. */
static void test_cleaned(void **state)
{
    struct word_embedder w;
    struct err err = {0};
    struct stat before, after;
    word_embedder_init(&w, "words");
    struct index *x = index_create();
    clear();
    struct meaning *m = meaning_open(&w.embedder, NULL, path);
    meaning_begin(m, true);
    for (int i = 0; i < 700; i++) {
        str name = arena_printf(*state, "%d.md", i);
        put(x, name.p, arena_printf(*state, "text %d\n", i).p);
    }
    CHECK(err.msg, fill(m, x, &err));
    assert_int_equal(stat(path, &before), 0);
    for (int i = 0; i < 400; i++) {
        str name = arena_printf(*state, "%d.md", i);
        meaning_forget(m, index_find(x, name)->id);
        CHECK("removed", index_remove(x, name));
    }
    CHECK(err.msg, fill(m, x, &err));
    assert_int_equal(stat(path, &after), 0);
    CHECK("smaller", after.st_size < before.st_size * 3 / 5);
    CHECK_INT("texts", w.texts, 700);
    CHECK_INT("still there", meaning_state(m, x, *state).embedded, 300);
    meaning_close(m);
    index_free(x);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_near, setup_arena, teardown_arena),
        cmocka_unit_test_setup_teardown(test_nothing, setup_arena, teardown_arena),
        cmocka_unit_test_setup_teardown(test_view, setup_arena, teardown_arena),
        cmocka_unit_test_setup_teardown(test_again, setup_arena, teardown_arena),
        cmocka_unit_test_setup_teardown(test_failures, setup_arena, teardown_arena),
        cmocka_unit_test_setup_teardown(test_model_changed, setup_arena, teardown_arena),
        cmocka_unit_test_setup_teardown(test_other_length, setup_arena, teardown_arena),
        cmocka_unit_test_setup_teardown(test_two, setup_arena, teardown_arena),
        cmocka_unit_test_setup_teardown(test_cleaned, setup_arena, teardown_arena),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
