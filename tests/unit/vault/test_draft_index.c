/* The index after a draft, which is kept between steps: the same as one made at the end. */
#include "base/sbuf.h"
#include "check.h"
#include "vault/index/file.h"
#include "vault/index/graph.h"
#include "vault/index/names.h"
#include "vault/ops.h"
#include "vault_place.h"

enum { NOTES = 24, FOLDERS = 4, STEPS = 60, ROUNDS = 30 };

static unsigned roll(unsigned *seed, unsigned n)
{
    *seed = *seed * 1103515245 + 12345;
    return (*seed >> 16) % n;
}

static const char *some_path(struct arena *a, unsigned *seed)
{
    unsigned folder = roll(seed, FOLDERS), note = roll(seed, NOTES);
    return folder == 0 ? arena_printf(a, "n%u.md", note).p
                       : arena_printf(a, "f%u/n%u.md", folder, note).p;
}

static str some_text(struct arena *a, unsigned *seed)
{
    return arena_printf(a, "[[n%u]] [[f%u/n%u]] #t%u\n", roll(seed, NOTES),
                        roll(seed, FOLDERS), roll(seed, NOTES), roll(seed, 5));
}

static bool step(struct draft *d, unsigned *seed, struct err *err)
{
    struct arena *a = draft_arena(d);
    struct ops_report r;
    unsigned what = roll(seed, 10);
    str path = str_c(some_path(a, seed));
    if (what < 4)
        return draft_write(d, path, some_text(a, seed), DRAFT_OVERWRITE, err);
    if (what < 5)
        return draft_delete(d, path, err);
    if (what < 6)
        return ops_delete(d, path, &(struct ops_delete){0}, &r, err);
    if (what < 9)
        return ops_move(d, path, str_c(some_path(a, seed)), &r, err);
    str folder = arena_printf(a, "f%u", 1 + roll(seed, FOLDERS - 1));
    return ops_move(d, folder, arena_printf(a, "f%u", 1 + roll(seed, FOLDERS + 2)), &r,
                    err);
}

/* Every file with its links and tags. */
static str dump(struct draft *d, struct arena *a)
{
    struct sbuf b = SBUF_ON(a);
    const struct index *x = draft_lock(d);
    const struct file *f;
    for (size_t i = 0; (f = index_nth(x, i)) != NULL; i++) {
        struct graph_edge *edges;
        size_t n = graph_links(x->graph, a, f->id, &edges);
        struct sbuf links = SBUF_ON(a);
        sbuf_printf(&b, STR_FMT ":", STR_ARG(f->path));
        str *to = ARENA_ARRAY(a, str, n);
        for (size_t k = 0; k < n; k++)
            to[k] = edges[k].file == NO_FILE ? edges[k].path
                                             : names_path(x->names, edges[k].file);
        for (size_t k = 0; k < n; k++) { /* ids differ, so the order does */
            size_t least = k;
            for (size_t m = k + 1; m < n; m++)
                least = str_cmp(to[m], to[least]) < 0 ? m : least;
            str one = to[least];
            to[least] = to[k];
            sbuf_printf(&links, " " STR_FMT, STR_ARG(one));
        }
        sbuf_add(&b, sbuf_str(&links));
        for (size_t k = 0; k < f->tags.n; k++)
            sbuf_printf(&b, " #" STR_FMT, STR_ARG(f->tags.items[k]));
        sbuf_char(&b, '\n');
    }
    draft_unlock(d);
    return sbuf_str(&b);
}

static void test_same(void **state)
{
    struct place *p = *state;
    unsigned fill = 1;
    for (int i = 0; i < NOTES; i++)
        place_put(p, some_path(&p->arena, &fill), some_text(&p->arena, &fill));
    place_start(p);
    for (unsigned round = 1; round <= ROUNDS; round++) {
        struct draft *kept = place_draft(p), *late = place_draft(p);
        unsigned seed = round, again = round;
        size_t done = 0;
        for (int i = 0; i < STEPS; i++) {
            struct err one = {0}, two = {0};
            bool ok = step(kept, &seed, &one);
            draft_close(late);
            CHECK("the same outcome", ok == step(late, &again, &two));
            CHECK_STR("the same reason", str_c(one.msg), two.msg);
            (void)dump(kept, &p->arena);
            done += ok;
        }
        draft_close(late);
        CHECK("steps were made", done > STEPS / 10);
        CHECK_STR("the same index", dump(kept, &p->arena), dump(late, &p->arena));
    }
}

/* It is made once, and again only if the vault has changed. */
static void test_kept(void **state)
{
    struct place *p = *state;
    place_put(p, "A.md", STR("[[B]]"));
    place_put(p, "B.md", STR("b"));
    place_start(p);
    struct draft *d = place_draft(p);
    OK(draft_write(d, STR("A.md"), STR("[[C]]"), DRAFT_OVERWRITE, &err));
    const struct index *x = draft_lock(d);
    CHECK("new", !index_is_sorted(x));
    (void)index_nth(x, 0); /* sorts it, once */
    draft_unlock(d);
    OK(draft_write(d, STR("C.md"), STR("c"), DRAFT_CREATE, &err));
    CHECK("kept", index_is_sorted(draft_lock(d)));
    draft_unlock(d);
    CHECK_STR("and knows the step", dump(d, &p->arena), "A.md: C.md\nB.md:\nC.md:\n");
    place_put(p, "B.md", STR("[[A]]"));
    vault_refresh(p->vault, &STR("B.md"), 1);
    CHECK("not kept", !index_is_sorted(draft_lock(d)));
    draft_unlock(d);
    CHECK_STR("another", dump(d, &p->arena), "A.md: C.md\nB.md: A.md\nC.md:\n");
}

static bool ask(void *arg)
{
    size_t *left = arg;
    return *left == 0 || --*left == 0;
}

/* Whatever a step does, it asks the stop: at least once for each note it rewrites. */
static void test_stops(void **state)
{
    enum { LINKS = 40, MOST = 10000 };
    struct place *p = *state;
    struct ops_report r;
    place_put(p, "Hub.md", STR("hub"));
    for (int i = 0; i < LINKS; i++)
        place_put(p, arena_printf(&p->arena, "n%d.md", i).p, STR("[[Hub]]"));
    place_start(p);
    size_t asked = MOST;
    struct draft *d = place_draft(p);
    draft_set_stop(d, &(struct stop){.asked = ask, .arg = &asked});
    OK(ops_move(d, STR("Hub.md"), STR("Centre.md"), &r, &err));
    asked = MOST - asked;
    CHECK("for each note", asked >= 2 * LINKS);
    for (size_t i = 1; i <= asked; i++) {
        size_t left = i;
        struct err err = {0};
        d = draft_create(p->vault, &p->arena, &(struct actor){.tool = STR("move")});
        draft_set_stop(d, &(struct stop){.asked = ask, .arg = &left});
        CHECK("stopped", !ops_move(d, STR("Hub.md"), STR("Centre.md"), &r, &err));
        CHECK_INT("why", err.name, E_TIMEOUT);
        draft_close(d);
    }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        PLACE_TEST(test_same),
        PLACE_TEST(test_kept),
        PLACE_TEST(test_stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
