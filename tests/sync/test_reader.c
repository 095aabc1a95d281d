/* Objects of a repository, through one git; what a hostile one has must not confuse it. */
#include "base/map.h"
#include "sync/git.h"
#include "sync/repo.h"
#include "sync_world.h"

struct reading {
    struct side side;
    struct git g;
    struct git_reader r;
};

static struct arena *arena_of(struct reading *x)
{
    return &x->side.place.arena;
}

static void open_reading(struct world *w, struct reading *x)
{
    *x = (struct reading){0};
    side_init(w, &x->side, "bob");
    OK(repo_open(&x->g, &x->side.config, true, &err));
    git_reader_init(&x->r, &x->g);
}

static void close_reading(struct reading *x)
{
    git_reader_close(&x->r);
    git_release(&x->g);
    arena_release(arena_of(x));
}

static str id_of(struct world *w, const char *name)
{
    return sh(w, arena_printf(&w->arena, "git -C remote.git rev-parse '%s'", name).p);
}

static void test_blobs(void **state)
{
    struct world *w = *state;
    struct reading x;
    world_seed(w);
    /* contents that look like answers */
    sh(w, "cd ann; id=$(git rev-parse HEAD:Note.md); printf \"$id missing\\n\" > A.md;"
          "printf \"\\n$id blob 3\\nabc\\n$id blob 99\" > B.md; : > Empty.md;"
          "head -c 3000000 /dev/zero > Large.bin; git add .; git commit -qm odd;"
          "git push -q");
    open_reading(w, &x);
    str ids[] = {id_of(w, "main:A.md"), id_of(w, "main:Empty.md"),
                 id_of(w, "main:Large.bin"), id_of(w, "main:B.md"),
                 id_of(w, "main:Note.md")};
    str note = ids[4], texts[COUNT_OF(ids)];
    size_t sizes[COUNT_OF(ids)];
    struct arena *a = arena_of(&x);
    for (int i = 0; i < 2; i++) {
        OK(git_blob_sizes(&x.r, a, ids, COUNT_OF(ids), sizes, &err));
        OK(git_get_blobs(&x.r, a, ids, COUNT_OF(ids), texts, &err));
        CHECK_STR("A", texts[0], arena_printf(a, STR_FMT " missing\n", STR_ARG(note)));
        CHECK_STR("empty", texts[1], "");
        assert_int_equal(sizes[2], 3000000);
        assert_int_equal(texts[2].n, 3000000);
        CHECK_STR("B", texts[3],
                  arena_printf(a, "\n" STR_FMT " blob 3\nabc\n" STR_FMT " blob 99",
                               STR_ARG(note), STR_ARG(note)));
        CHECK_STR("note", texts[4], "one\n\ntwo\n\nthree\n");
        for (size_t k = 0; k < COUNT_OF(ids); k++)
            assert_int_equal(sizes[k], texts[k].n);
    }
    close_reading(&x);
}

/* Only whole ids are sent; a missing object is reported, and the next question answered. */
static void test_SEC_125_only_ids(void **state)
{
    static const char *const odd[] = {
        "HEAD",         "",
        "main:Note.md", "0123",
        "x\ninfo HEAD", "0000000000000000000000000000000000000000\ncontents HEAD"};
    struct world *w = *state;
    struct reading x;
    str text;
    size_t size;
    world_seed(w);
    open_reading(w, &x);
    struct arena *a = arena_of(&x);
    for (size_t i = 0; i < COUNT_OF(odd); i++) {
        str id = str_c(odd[i]);
        FAILS(git_get_blobs(&x.r, a, &id, 1, &text, &err), ERR_INTERNAL, "damaged");
    }
    str none = STR("1234567890123456789012345678901234567890");
    FAILS(git_blob_sizes(&x.r, a, &none, 1, &size, &err), ERR_INTERNAL, "missing");
    str tree = id_of(w, "main^{tree}"), note = id_of(w, "main:Note.md");
    FAILS(git_get_blobs(&x.r, a, &tree, 1, &text, &err), ERR_INTERNAL, "missing");
    OK(git_get_blobs(&x.r, a, &note, 1, &text, &err));
    CHECK_STR("note", text, "one\n\ntwo\n\nthree\n");
    close_reading(&x);
}

static void test_commits_and_paths(void **state)
{
    static const struct {
        const char *path;
        unsigned mode;
    } cases[] = {
        {"", GIT_TREE},           {"Note.md", GIT_FILE},
        {"Sub", GIT_TREE},        {"Sub/Inner.md", GIT_FILE},
        {"Run.sh", GIT_PROGRAM},  {"Link", 0120000},
        {"Two\nlines", GIT_FILE}, {"Note.md/x", 0},
        {"Sub/None.md", 0},       {"None/Inner.md", 0},
        {"note.md", 0},
    };
    struct world *w = *state;
    struct reading x;
    struct git_commit_info info;
    struct git_entry found;
    world_seed(w);
    sh(w, "cd ann; ln -s Note.md Link; echo x > Run.sh; chmod +x Run.sh;"
          "echo y > 'Two\nlines'; git add .; git commit -qm more --author 'Zoe <z@x>';"
          "git push -q");
    open_reading(w, &x);
    struct arena *a = arena_of(&x);
    str head = id_of(w, "main");
    OK(git_read_commit(&x.r, a, head, &info, &err));
    CHECK_STR("author", info.author, "Zoe");
    CHECK_STR("tree", info.tree, id_of(w, "main^{tree}"));
    assert_int_equal(info.n, 1);
    CHECK_STR("parent", info.parents[0], id_of(w, "main~1"));
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        OK(git_find(&x.r, a, head, str_c(cases[i].path), &found, &err));
        if (found.mode != cases[i].mode)
            fail_msg("%s: %o", cases[i].path, found.mode);
    }
    OK(git_read_commit(&x.r, a, STR("1234567890123456789012345678901234567890"), &info,
                       &err));
    assert_int_equal(info.tree.n, 0);
    close_reading(&x);
}

/* A commit that names a second tree, which the remote does not send: git uses the first. */
static void test_SEC_125_first_tree_counts(void **state)
{
    struct world *w = *state;
    struct side s;
    world_seed(w);
    side_open(w, &s, "bob");
    side_sync(&s);
    sh(w, "cd ann; echo new > New.md; git add .; git commit -qm new;"
          "other=$(git mktree < /dev/null | tr 0-9a-f 1-9a-f0);"
          "id=$(git cat-file commit HEAD | sed \"1a tree $other\" |"
          "  git hash-object -w -t commit --literally --stdin);"
          "git push -q origin main; cp -r .git/objects/. ../remote.git/objects;"
          "echo $id > ../remote.git/refs/heads/main");
    struct err err;
    (void)!sync_wait(s.sync, NULL, NULL, &err); /* git may refuse it */
    sh(w,
       "cd ann; git -C ../remote.git update-ref refs/heads/main $(git rev-parse main)");
    side_write(&s, "Mine.md", "mine\n");
    side_sync(&s);
    CHECK_STR("remote", remote_text(w, "Mine.md"), "mine");
    CHECK_FILE(&s, "New.md", "new\n");
    side_close(&s);
}

/* What is made while it runs is found, too, also in a pack. */
static void test_sees_new(void **state)
{
    struct world *w = *state;
    struct reading x;
    str texts[2];
    world_seed(w);
    open_reading(w, &x);
    struct arena *a = arena_of(&x);
    str old = id_of(w, "main:Note.md");
    OK(git_get_blobs(&x.r, a, &old, 1, texts, &err));
    str loose = sh(w, "cd bob; echo new | git hash-object -w --stdin");
    OK(git_get_blobs(&x.r, a, &loose, 1, texts, &err));
    CHECK_STR("loose", texts[0], "new\n");
    sh(w, "cd ann; echo pulled > Pulled.md; git add .; git commit -qm pulled;"
          "git push -q; cd ../bob; git fetch -q; git repack -qad");
    str ids[] = {id_of(w, "main:Pulled.md"), old};
    OK(git_get_blobs(&x.r, a, ids, 2, texts, &err));
    CHECK_STR("packed", texts[0], "pulled\n");
    close_reading(&x);
}

/* A git that does something else instead of cat-file. */
static void use_other_git(struct world *w, struct reading *x, const char *instead)
{
    sh(w, arena_printf(&w->arena,
                       "mkdir -p bin; cat > bin/git <<'END'\n#!/bin/sh\n"
                       "case \"$*\" in *batch-command*) %s;; esac\n"
                       "exec /usr/bin/git \"$@\"\nEND\nchmod +x bin/git",
                       instead)
              .p);
    setenv("PATH", arena_printf(&w->arena, "%s/bin:/usr/bin:/bin", w->top).p, 1);
    OK(git_set_env(&x->g, &err));
    setenv("PATH", "/usr/local/bin:/usr/bin:/bin", 1);
}

static void test_other_git(void **state)
{
    static const struct {
        const char *name, *instead, *why;
        enum err_code code;
    } cases[] = {
        {"broken", "echo 'fatal: no memory' >&2; exit 128", "no memory", ERR_BUSY},
        {"another id", "read -r x; echo 0123 blob 1; echo a; exec sleep 1000",
         "something else", ERR_INTERNAL},
        {"no size", "read -r x y; echo $y blob big; exec sleep 1000", "something else",
         ERR_INTERNAL},
    };
    struct world *w = *state;
    struct reading x;
    str text;
    world_seed(w);
    open_reading(w, &x);
    str note = id_of(w, "main:Note.md");
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        use_other_git(w, &x, cases[i].instead);
        FAILS(git_get_blobs(&x.r, arena_of(&x), &note, 1, &text, &err), cases[i].code,
              cases[i].why);
        assert_null(x.r.sessions[0]);
    }
    OK(git_set_env(&x.g, &err)); /* the next question starts the right one */
    OK(git_get_blobs(&x.r, arena_of(&x), &note, 1, &text, &err));
    close_reading(&x);
}

/* A git that has no --batch-command: Ubuntu 22.04 has 2.34. */
static void test_old_git(void **state)
{
    struct world *w = *state;
    struct reading x;
    str text;
    size_t size;
    world_seed(w);
    open_reading(w, &x);
    str note = id_of(w, "main:Note.md");
    use_other_git(w, &x, "echo 'error: unknown option' >&2; exit 129");
    for (size_t i = 0; i < 2; i++) { /* it is tried once */
        OK(git_blob_sizes(&x.r, arena_of(&x), &note, 1, &size, &err));
        OK(git_get_blobs(&x.r, arena_of(&x), &note, 1, &text, &err));
        CHECK_INT("size", size, text.n);
        git_reader_close(&x.r);
        assert_true(x.r.old);
    }
    close_reading(&x);
}

/* A round leaves no program behind, whether it merged something or failed. */
static void test_ends_with_round(void **state)
{
    static const char children[] =
        "for p in /proc/[0-9]*; do grep -qs \"^PPid:[[:space:]]*$PPID$\" $p/status &&"
        "tr '\\0' ' ' < $p/cmdline; done 2>/dev/null | grep -c cat-fil[e] || true";
    struct world *w = *state;
    struct side s;
    world_seed(w);
    side_open(w, &s, "bob");
    side_sync(&s);
    sh(w, "cd ann; echo new > New.md; git add .; git commit -qm new; git push -q");
    side_sync(&s);
    CHECK_FILE(&s, "New.md", "new\n");
    CHECK_STR("after a pull", sh(w, children), "0");
    /* an object of the next pull is damaged */
    sh(w, "cd ann; echo lost > Lost.md; git add .; git commit -qm lost; git push -q;"
          "cd ../bob; git fetch -q; id=$(git rev-parse origin/main:Lost.md);"
          "file=.git/objects/$(echo $id | sed 's,^..,&/,'); chmod u+w $file; : > $file");
    struct err err;
    assert_false(sync_wait(s.sync, NULL, NULL, &err));
    CHECK_STR("after a failure", sh(w, children), "0");
    side_close(&s);
}

/* The fewest names that are not too many; 100: too many. */
static size_t new_names(struct reading *x, str from, str to)
{
    size_t n = 0;
    for (bool more = true; n < 100; n += more) {
        OK(git_has_more(&x->r, from, to, n, &more, &err));
        if (!more)
            break;
    }
    return n;
}

static void test_counts_new_names(void **state)
{
    struct world *w = *state;
    struct reading x;
    world_seed(w);
    sh(w,
       "cd ann; git tag seed; mkdir -p A/B C; for i in 1 2 3 4 5 6; do echo $i > A/$i.md;"
       "echo $i > A/B/$i.md; done; git add .; git commit -qm many; git tag many;"
       "echo new > A/B/1.md; git add .; git commit -qm one; git tag one;"
       "cp -r A C/A; git rm -qr A/B; git add .; git commit -qm copy; git tag copy;"
       "git push -q --tags origin main");
    open_reading(w, &x);
    str seed = id_of(w, "seed"), many = id_of(w, "many"), one = id_of(w, "one");
    assert_int_equal(new_names(&x, seed, many), 2 + 12);
    assert_int_equal(new_names(&x, many, many), 0);
    assert_int_equal(new_names(&x, many, one), 3); /* with the folders that it is in */
    assert_int_equal(new_names(&x, one, id_of(w, "copy")), 1 + 3 + 12); /* A; C and all */
    assert_true(new_names(&x, (str){0}, many) > 2 + 12);
    close_reading(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(test_blobs),
        WORLD_TEST(test_SEC_125_only_ids),
        WORLD_TEST(test_commits_and_paths),
        WORLD_TEST(test_SEC_125_first_tree_counts),
        WORLD_TEST(test_sees_new),
        WORLD_TEST(test_other_git),
        WORLD_TEST(test_old_git),
        WORLD_TEST(test_ends_with_round),
        WORLD_TEST(test_counts_new_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
