/* The texts of PDF files: made after the index, kept in the snapshot, seen by views. */
#include <stdatomic.h>

#include "vault/index/words.h"
#include "vault_place.h"

enum { WAIT_MS = 300000 };

/* What makes the texts here: a file is its text, but for some. */
struct maker {
    atomic_int calls;
    str order; /* the files so far */
    struct arena arena;
    bool missing;      /* the programs are */
    atomic_bool *hold; /* wait while it is true */
};

static bool make(void *arg, struct arena *a, str bytes, atomic_bool *stop, str *text,
                 struct err *err)
{
    struct maker *m = arg;
    atomic_fetch_add(&m->calls, 1);
    m->order = arena_printf(&m->arena, STR_FMT STR_FMT " ", STR_ARG(m->order),
                            STR_ARG(str_trim_line(bytes)));
    while (m->hold != NULL && atomic_load(m->hold) && !atomic_load(stop))
        usleep(1000);
    if (m->missing)
        return err_named(err, E_NOT_SET_UP, "install it");
    if (str_starts(bytes, STR("bad")))
        return err_named(err, E_NOT_TEXT, "the PDF is damaged");
    *text = arena_printf(a, "\f\n" STR_FMT "\n\f\nzebra\n", STR_ARG(bytes));
    return true;
}

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

static struct vault_options made_by(struct maker *m)
{
    return (struct vault_options){.paged = make, .paged_max = 1000, .paged_arg = m};
}

static void stop(struct place *p)
{
    vault_close(p->vault);
    p->vault = NULL;
}

static size_t count(struct place *p, struct vault *v, const char *word)
{
    struct words_result r;
    struct err err;
    assert_true(words_search_text(vault_lock(v)->words, &p->arena, str_c(word), 0, 10,
                                  NULL, NULL, &r, &err));
    vault_unlock(v);
    return r.total;
}

static size_t left(struct vault *v)
{
    size_t n = vault_unpaged(v, vault_lock(v));
    vault_unlock(v);
    return n;
}

static void test_made(void **state)
{
    struct place *p = *state;
    struct maker m = {0};
    place_put(p, "Note.md", STR("zebra"));
    place_put(p, "a.pdf", STR("giraffe"));
    place_put(p, "sub.PDF", STR("bad"));
    start_as(p, made_by(&m));
    vault_wait_paged(p->vault, WAIT_MS);
    CHECK_INT("calls", atomic_load(&m.calls), 2);
    CHECK_INT("its text", count(p, p->vault, "giraffe"), 1);
    CHECK_INT("with notes", count(p, p->vault, "zebra"), 2);
    CHECK_INT("nothing is left", left(p->vault), 0);
    const struct index *x = vault_lock(p->vault);
    const struct file *good = index_find(x, STR("a.pdf")),
                      *bad = index_find(x, STR("sub.PDF"));
    CHECK("good", !good->unread && good->kind == FILE_PDF && good->note.n_links == 0);
    CHECK_INT("first page", file_page(good, 2), 1);
    CHECK_INT("last page", file_page(good, good->text.n - 1), 2);
    CHECK_STR("bad", bad->problem, "the PDF is damaged");
    CHECK_INT("not a text file that was missed", x->unread, 0);
    CHECK_INT("bytes", x->paged_bytes, good->text.n);
    vault_unlock(p->vault);
    arena_release(&m.arena);
}

/* What was made, or failed, is in the snapshot; a changed file is made again. */
static void test_restart(void **state)
{
    struct place *p = *state;
    struct maker m = {0};
    place_put(p, "a.pdf", STR("giraffe"));
    place_put(p, "b.pdf", STR("bad"));
    usleep(1100000); /* what changed within a second is not trusted to be the same */
    start_as(p, made_by(&m));
    vault_wait_paged(p->vault, WAIT_MS);
    stop(p);
    int calls = atomic_load(&m.calls);
    start_as(p, (struct vault_options){0}); /* makes none, and keeps those */
    CHECK_INT("calls", atomic_load(&m.calls), calls);
    CHECK_INT("kept", count(p, p->vault, "giraffe"), 1);
    place_put(p, "a.pdf", STR("elephant"));
    vault_refresh(p->vault, NULL, 0);
    CHECK_INT("forgotten at once", count(p, p->vault, "giraffe"), 0);
    stop(p);
    start_as(p, made_by(&m));
    vault_wait_paged(p->vault, WAIT_MS);
    CHECK_INT("made again", count(p, p->vault, "elephant"), 1);
    stop(p);
    start_as(p, (struct vault_options){.no_pages = true});
    CHECK_INT("not wanted", count(p, p->vault, "elephant"), 0);
    arena_release(&m.arena);
}

static void test_newest_first(void **state)
{
    struct place *p = *state;
    struct maker m = {0};
    static const char *const names[] = {"b", "c", "a"};
    for (int i = 0; i < 3; i++) {
        struct timespec times[2] = {{1000 + i, 0}, {1000 + i, 0}};
        char path[8];
        snprintf(path, sizeof(path), "%s.pdf", names[i]);
        place_put(p, path, str_c(names[i]));
        utimensat(p->fd, path, times, 0);
    }
    start_as(p, made_by(&m));
    vault_wait_paged(p->vault, WAIT_MS);
    CHECK_STR("order", m.order, "a c b ");
    arena_release(&m.arena);
}

/* A caller's view has only its own files, also while they are made. */
static void test_views(void **state)
{
    struct place *p = *state;
    atomic_bool hold = true;
    struct maker m = {.hold = &hold};
    struct access access;
    struct err err;
    str folder = STR("mine/**");
    struct access_request request = {.read = &folder, .n_read = 1};
    place_put(p, "mine/a.pdf", STR("giraffe"));
    place_put(p, "other/b.pdf", STR("elephant"));
    start_as(p, made_by(&m));
    assert_true(access_make(&p->arena, &request, &access, &err));
    struct vault *mine = vault_as(p->vault, &p->arena, &access);
    CHECK_INT("left", left(p->vault), 2);
    CHECK_INT("left in the view", left(mine), 1);
    atomic_store(&hold, false);
    vault_wait_paged(p->vault, WAIT_MS);
    CHECK_INT("own", count(p, mine, "giraffe"), 1);
    CHECK_INT("other", count(p, mine, "elephant"), 0);
    CHECK_INT("all", count(p, p->vault, "elephant"), 1);
    arena_release(&m.arena);
}

static void test_missing(void **state)
{
    struct place *p = *state;
    struct maker m = {.missing = true};
    place_put(p, "a.pdf", STR("giraffe"));
    place_put(p, "b.pdf", STR("giraffe"));
    start_as(p, made_by(&m));
    vault_wait_paged(p->vault, WAIT_MS);
    CHECK_INT("not again", atomic_load(&m.calls), 1);
    CHECK_INT("extraction is off", left(p->vault), 0);
    CHECK_STR("no problem", index_find(vault_lock(p->vault), STR("a.pdf"))->problem, "");
    vault_unlock(p->vault);
    arena_release(&m.arena);
}

/* Stopping does not wait for what is being made. */
static void test_stop(void **state)
{
    struct place *p = *state;
    atomic_bool hold = true;
    struct maker m = {.hold = &hold};
    place_put(p, "a.pdf", STR("giraffe"));
    start_as(p, made_by(&m));
    stop(p);
    arena_release(&m.arena);
}

static void test_too_large(void **state)
{
    struct place *p = *state;
    struct maker m = {0};
    struct vault_options options = made_by(&m);
    options.paged_max = 3;
    place_put(p, "a.pdf", STR("giraffe"));
    start_as(p, options);
    vault_wait_paged(p->vault, WAIT_MS);
    CHECK_INT("not read", atomic_load(&m.calls), 0);
    CHECK("why", index_find(vault_lock(p->vault), STR("a.pdf"))->problem.n > 0);
    vault_unlock(p->vault);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        PLACE_TEST(test_made),         PLACE_TEST(test_restart),
        PLACE_TEST(test_newest_first), PLACE_TEST(test_views),
        PLACE_TEST(test_missing),      PLACE_TEST(test_stop),
        PLACE_TEST(test_too_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
