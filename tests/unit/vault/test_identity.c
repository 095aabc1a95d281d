/* Files with several names: a hint for one of them is a hint for all. */
#include "random.h"
#include "rounds.h"
#include "vault_place.h"

enum { ROUNDS = 300, FILES = 6 };

static bool index_has(struct place *p, const char *path, const char *text)
{
    const struct file *f = index_find(vault_lock(p->vault), str_c(path));
    bool has = f != NULL && str_eq(f->text, str_c(text));
    vault_unlock(p->vault);
    return has;
}

/* Replace the file, as editors do that write to a temporary one first. */
static void put_anew(struct place *p, const char *path, str text)
{
    place_put(p, "new.tmp", text);
    assert_int_equal(renameat(p->fd, "new.tmp", p->fd, path), 0);
}

static void test_names(void **state)
{
    struct place *p = *state;
    place_put(p, "a.md", STR("old"));
    place_put(p, "d/x.md", STR("old"));
    assert_int_equal(symlinkat("a.md", p->fd, "sym.md"), 0);
    assert_int_equal(linkat(p->fd, "a.md", p->fd, "hard.md", 0), 0);
    place_start(p);
    str a = STR("a.md"), sym = STR("sym.md"), hard = STR("hard.md");
    place_put(p, "a.md", STR("in place"));
    vault_refresh(p->vault, &a, 1);
    CHECK("through a symlink", index_has(p, "sym.md", "in place"));
    CHECK("through a hard link", index_has(p, "hard.md", "in place"));
    place_put(p, "sym.md", STR("by the link"));
    vault_refresh(p->vault, &sym, 1);
    CHECK("its target", index_has(p, "a.md", "by the link"));
    CHECK("a hard link of that", index_has(p, "hard.md", "by the link"));
    put_anew(p, "a.md", STR("replaced"));
    vault_refresh(p->vault, &a, 1);
    CHECK("the link leads to the new one", index_has(p, "sym.md", "replaced"));
    CHECK("the hard link stays", index_has(p, "hard.md", "by the link"));
    assert_int_equal(linkat(p->fd, "a.md", p->fd, "second.md", 0), 0);
    vault_refresh(p->vault, (str[]){STR("second.md")}, 1);
    place_put(p, "a.md", STR("new link"));
    vault_refresh(p->vault, &a, 1);
    CHECK("a link made later", index_has(p, "second.md", "new link"));
    assert_int_equal(unlinkat(p->fd, "a.md", 0), 0);
    vault_refresh(p->vault, &a, 1);
    CHECK("a link to nothing", !index_has(p, "sym.md", "new link"));
    place_put(p, "hard.md", STR("alone"));
    vault_refresh(p->vault, &hard, 1);
    CHECK("alone", index_has(p, "hard.md", "alone"));
}

/* --- at random: after each hint the index has what a fresh one has --- */

static void check_all(struct place *p, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        str text;
        struct err err;
        bool there =
            vault_bytes(p->vault, &p->arena, str_c(names[i]), 1 << 20, &text, &err);
        const struct file *f = index_find(vault_lock(p->vault), str_c(names[i]));
        bool same = there ? f != NULL && str_eq(f->text, text) : f == NULL;
        vault_unlock(p->vault);
        CHECK(names[i], same);
    }
}

/* Whether a symlink leads to a name that does not exist: nothing knows it then. */
static bool dangles(struct place *p, const char *name)
{
    struct stat st;
    return fstatat(p->fd, name, &st, 0) != 0 &&
           fstatat(p->fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

static void change_one(struct place *p, struct random *r, const char *const *names,
                       const char *name)
{
    const char *other = names[random_below(r, FILES)];
    str text = arena_printf(&p->arena, "text %u", random_below(r, 1000000));
    bool there = place_has(p, name);
    switch (random_below(r, 6)) {
    case 0:
    case 1:
        if (!dangles(p, name))
            place_put(p, name, text);
        break;
    case 2:
        put_anew(p, name, text);
        break;
    case 3:
        if (!there && other != name)
            (void)!symlinkat(strrchr(other, '/') != NULL ? strrchr(other, '/') + 1
                                                         : other,
                             p->fd, name);
        break;
    case 4:
        if (!there)
            (void)!linkat(p->fd, other, p->fd, name, 0);
        break;
    default:
        if (random_one_in(r, 2))
            (void)unlinkat(p->fd, name, 0);
    }
}

static void test_random(void **state)
{
    static const char *const names[FILES] = {"a.md", "b.md", "c.md",
                                             "e.md", "f.md", "g.md"};
    struct place *p = *state;
    struct random r = {20261118};
    place_start(p);
    for (int i = rounds(ROUNDS); i > 0; i--) {
        const char *name = names[random_below(&r, FILES)];
        bool before[FILES];
        for (size_t k = 0; k < FILES; k++)
            before[k] = dangles(p, names[k]);
        change_one(p, &r, names, name);
        str hint = str_c(name);
        vault_refresh(p->vault, &hint, 1);
        for (size_t k = 0; k < FILES; k++) { /* a link that leads somewhere again */
            str path = str_c(names[k]);
            if (before[k] && !dangles(p, names[k]))
                vault_refresh(p->vault, &path, 1);
        }
        check_all(p, names, FILES);
        arena_reset(&p->arena);
    }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        PLACE_TEST(test_names),
        PLACE_TEST(test_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
