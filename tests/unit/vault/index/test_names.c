#include "vault/index/names.h"

#include "base/path.h"
#include "check.h"

/* Files of a vault as one text, separated by '|'; ids count from 0. */
static struct names *vault_of(const char *paths)
{
    struct names *n = names_create();
    str rest = str_c(paths), path;
    for (file_id id = 0; str_next(&rest, '|', &path); id++)
        names_add(n, id, path);
    return n;
}

static void test_rules(void **state)
{
    static const struct {
        const char *vault, *from, *link, *target;
        enum names_rule rule;
    } cases[] = {
        {"a.md|b.md", "b.md", "", "b.md", NAMES_SELF},
        {"a.md|b.md", "b.md", " \t", "b.md", NAMES_SELF},
        {"x/Note.md|s.md", "s.md", "note", "x/Note.md", NAMES_ONLY_ONE},
        {"x/Note.md|s.md", "s.md", "NOTE.MD", "x/Note.md", NAMES_ONLY_ONE},
        {"Note.md|a/b/Note.md|a/b/s.md", "a/b/s.md", "Note", "Note.md", NAMES_EXACT},
        {"b/Note.md|a/b/Note.md|a/b/s.md", "a/b/s.md", "Note", "a/b/Note.md",
         NAMES_OWN_FOLDER},
        {"b/Note.md|zzzz/Note.md|zzzz/deep/s.md", "zzzz/deep/s.md", "Note", "b/Note.md",
         NAMES_SHORTEST},
        {"a/b/Note.md|zzzz/Note.md|s.md", "s.md", "Note", "a/b/Note.md", NAMES_SHORTEST},
        {"x/y/Note.md|s.md", "s.md", "y/Note", "x/y/Note.md", NAMES_SHORTEST},
        {"y/Note.md|s.md", "s.md", "x/Note", "", NAMES_UNRESOLVED},
        {"a/Note.md|s.md", "s.md", "/Note", "", NAMES_UNRESOLVED},
        {"Note.md|s.md", "s.md", "/Note", "Note.md", NAMES_EXACT},
        {"Figure 1.png|s.md", "s.md", "Figure 1", "", NAMES_UNRESOLVED},
        {"v1.2.md|s.md", "s.md", "v1.2", "v1.2.md", NAMES_ONLY_ONE},
        {"readme.txt|readme.txt.md|s.md", "s.md", "readme.txt", "readme.txt",
         NAMES_ONLY_ONE},
        /* aligned at '/': not a part of a folder's or file's name */
        {"glossary/index.md|s.md", "s.md", "ary/index", "", NAMES_UNRESOLVED},
        {"projects/x/N.md|q/N.md|proj/s.md", "proj/s.md", "N", "q/N.md", NAMES_SHORTEST},
        /* relative */
        {"a/Note.md|Note.md|a/x.md", "a/x.md", "./Note", "a/Note.md", NAMES_RELATIVE},
        {"a/Note.md|Note.md|a/x.md", "a/x.md", "../Note", "Note.md", NAMES_RELATIVE},
        {"a/c/Note.md|c/Note.md|a/b/x.md", "a/b/x.md", "../../c/Note", "c/Note.md",
         NAMES_RELATIVE},
        {"a/c/N.md|a/b/x.md", "a/b/x.md", ".././c/N.md", "a/c/N.md", NAMES_RELATIVE},
        {"c/Note.md|x.md", "x.md", "../c/Note", "c/Note.md", NAMES_EXACT},
        {"q/c/Note.md|a/x.md", "a/x.md", "./c/Note", "q/c/Note.md", NAMES_SHORTEST},
        {"a/Note.md|a/x.md", "a/x.md", "..", "", NAMES_UNRESOLVED},
        {"a/Note.md|a/x.md", "a/x.md", "a/", "", NAMES_UNRESOLVED},
        {"a/Note.md|a/x.md", "a/x.md", "/", "", NAMES_UNRESOLVED},
        /* hidden */
        {".trash/Note.md|s.md", "s.md", "Note", "", NAMES_UNRESOLVED},
        {".trash/Note.md|deep/folder/Note.md|s.md", "s.md", "Note", "deep/folder/Note.md",
         NAMES_ONLY_ONE},
        {"a/.md|s.md", "s.md", "a/", "", NAMES_UNRESOLVED},
        /* characters */
        {"Cafe\u0301.md|s.md", "s.md", "caf\u00e9", "Cafe\u0301.md", NAMES_ONLY_ONE},
        {"My\u00a0Note.md|s.md", "s.md", "my note", "My\u00a0Note.md", NAMES_ONLY_ONE},
        {"Note.md|s.md", "s.md", "\u00a0Note\u00a0", "Note.md", NAMES_ONLY_ONE},
        {"ΛΟΓΟΣ.md|s.md", "s.md", "λογος", "ΛΟΓΟΣ.md", NAMES_ONLY_ONE},
        {"Straße.md|s.md", "s.md", "strasse", "", NAMES_UNRESOLVED},
        {"Ä/Ö.md|s.md", "s.md", "ä/ö", "Ä/Ö.md", NAMES_EXACT},
        {"x/Ä/Ö.md|x/s.md|Ä/q/Ö.md", "x/s.md", "ö", "x/Ä/Ö.md", NAMES_OWN_FOLDER},
        /* length as Obsidian counts it: UTF-16, not bytes */
        {"日本語/N.md|aaaaa/N.md|q/s.md", "q/s.md", "N", "日本語/N.md", NAMES_SHORTEST},
        {"😀😀😀/N.md|aaaaa/N.md|q/s.md", "q/s.md", "N", "aaaaa/N.md", NAMES_SHORTEST},
        /* ties by path */
        {"b/N.md|a/N.md|q/s.md", "q/s.md", "N", "a/N.md", NAMES_SHORTEST},
        {"n.md|N.md|q/s.md", "q/s.md", "n", "N.md", NAMES_EXACT},
        /* not paths */
        {"example.com.md|s.md", "s.md", "https://example.com", "", NAMES_NOT_A_PATH},
        {"a.md|s.md", "s.md", "mailto:a@b.c", "", NAMES_NOT_A_PATH},
        {"Plan: B.md|s.md", "s.md", "plan: b", "Plan: B.md", NAMES_ONLY_ONE},
    };

    struct arena *a = *state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct names *n = vault_of(cases[i].vault);
        str row = arena_printf(a, "%s in %s", cases[i].link, cases[i].vault);
        size_t twins;
        file_id source = names_find_path(n, str_c(cases[i].from), &twins);
        struct names_answer plain, explained;
        names_resolve(n, NULL, str_c(cases[i].link), str_c(cases[i].from), source,
                      &plain);
        names_resolve(n, a, str_c(cases[i].link), str_c(cases[i].from), source,
                      &explained);
        CHECK_STR(row.p, names_path(n, plain.file), cases[i].target);
        CHECK_INT(row.p, plain.rule, cases[i].rule);
        CHECK_INT(row.p, plain.n_others, 0);
        CHECK_INT(row.p, explained.file, plain.file);
        CHECK_INT(row.p, explained.rule, plain.rule);
        names_free(n);
    }
}

static void test_others(void **state)
{
    struct names *n = vault_of("z/q/Note.md|a/b/Note.md|c/Note.md|a/x/b/Note.md|a/s.md");
    struct names_answer answer;
    names_resolve(n, *state, STR("b/Note"), STR("a/s.md"), 4, &answer);
    CHECK_STR("chosen", names_path(n, answer.file), "a/b/Note.md");
    CHECK_INT("others", answer.n_others, 3);
    CHECK_STR("same ending", names_path(n, answer.others[0]), "a/x/b/Note.md");
    CHECK_STR("shorter", names_path(n, answer.others[1]), "c/Note.md");
    CHECK_STR("last", names_path(n, answer.others[2]), "z/q/Note.md");
    names_resolve(n, *state, STR("nowhere/Note"), STR("a/s.md"), 4, &answer);
    CHECK_INT("unresolved", answer.file, NO_FILE);
    CHECK_INT("near misses", answer.n_others, 4);
    names_free(n);
}

static void test_find_path(void **state)
{
    struct names *n = vault_of("A/Note.md|a/note.md|a/Note.md|B.md|.obsidian/x.md");
    size_t twins;
    CHECK_INT("exact spelling", names_find_path(n, STR("a/note.md"), &twins), 1);
    CHECK_INT("twins", twins, 3);
    CHECK_INT("otherwise by bytes", names_find_path(n, STR("A/NOTE.md"), &twins), 0);
    CHECK_INT("one", names_find_path(n, STR("b.MD"), &twins), 3);
    CHECK_INT("no twin", twins, 1);
    CHECK_INT("no extension", names_find_path(n, STR("b"), &twins), NO_FILE);
    CHECK_INT("none", twins, 0);
    CHECK_INT("hidden", names_find_path(n, STR(".obsidian/x.md"), &twins), NO_FILE);
    CHECK_STR("has a path", names_path(n, 4), ".obsidian/x.md");
    CHECK_STR("unknown", names_path(n, 99), "");
    names_free(n);
}

static void test_find_name(void **state)
{
    struct names *n = vault_of("x/Note.md|Note|note.md|a/NOTE.md|note.md.md|other.md");
    file_id *found;
    CHECK_INT("with and without", names_find_name(n, *state, STR("note"), &found), 4);
    CHECK_STR("shortest", names_path(n, found[0]), "Note");
    CHECK_STR("next", names_path(n, found[1]), "note.md");
    CHECK_STR("by bytes", names_path(n, found[2]), "a/NOTE.md");
    CHECK_STR("last", names_path(n, found[3]), "x/Note.md");
    CHECK_INT("with extension", names_find_name(n, *state, STR("Note.md"), &found), 4);
    CHECK_INT("none", names_find_name(n, *state, STR("x"), &found), 0);
    CHECK_INT("nothing", names_find_name(n, *state, STR(""), &found), 0);
    names_free(n);
}

static void test_external(void **state)
{
    static const struct {
        const char *path;
        bool external;
    } cases[] = {
        {"https://a.b", true}, {"HTTP://a", true},   {"obsidian://open?x", true},
        {"file:///a", true},   {"MailTo:x@y", true}, {"tel:123", true},
        {"a+b.c-d://x", true}, {"note", false},      {"a: b", false},
        {"C:/vault/a", false}, {"12:30", false},     {"a/b://c", false},
        {"über://x", false},   {"tel: ring", false}, {"", false},
        {"://x", false},       {"https", false},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK(cases[i].path,
              names_is_external(str_c(cases[i].path)) == cases[i].external);
}

static void test_key(void **state)
{
    static const char *const same[] = {"Note",  "note.md", "a/b/NOTE",     " Note ",
                                       "/note", "../Note", "note.md.MD.md"};
    struct names *n = names_create();
    uint64_t note = names_key(n, STR("note"));
    for (size_t i = 0; i < COUNT_OF(same); i++)
        CHECK(same[i], names_key(n, str_c(same[i])) == note);
    CHECK("other name", names_key(n, STR("notes")) != note);
    CHECK("extension", names_key(n, STR("note.png")) != note);
    names_free(n);
}

static void test_remove(void **state)
{
    struct names *n = vault_of("a/N.md|b/N.md|.hidden.md");
    struct names_answer answer;
    names_remove(n, 0);
    names_remove(n, 0);
    names_remove(n, 77);
    names_remove(n, 2);
    names_resolve(n, NULL, STR("N"), STR("s.md"), NO_FILE, &answer);
    CHECK_INT("the other", answer.file, 1);
    names_remove(n, 1);
    names_resolve(n, NULL, STR("N"), STR("s.md"), NO_FILE, &answer);
    CHECK_INT("none left", answer.file, NO_FILE);
    names_add(n, 0, STR("c/N.md"));
    names_resolve(n, NULL, STR("N"), STR("s.md"), NO_FILE, &answer);
    CHECK_INT("back", answer.file, 0);
    names_free(n);
    names_free(NULL);
    n = names_create();
    names_resolve(n, NULL, STR("N"), STR("s.md"), NO_FILE, &answer);
    CHECK_INT("empty", answer.file, NO_FILE);
    names_free(n);
}

/*
 * Files are added one by one, in any order: comparing with each new file finds the best
 * of all.
 */
static void test_added(void **state)
{
    static const char *const paths[] = {"a.md",     "x/a.md",  "x/y/A.md", "z/a.md",
                                        "a.b",      "a.b.md",  "x/a.b.md", "x/a.md.md",
                                        "y/x/a.md", "ä.md",    "x/Ä.md",   "y/long/a.md",
                                        "z/y/a.b",  "pic.png", "x/pic.png"};
    static const char *const links[] = {
        "a", "A.md", "x/a",    "./a", "../a", "/a",      "y/A",       "a.b",  "x/a.b",
        "ä", "x/Ä",  "../x/a", " a ", "",     "pic.png", "./pic.png", "no/a", "a.md.md"};
    static const char *const sources[] = {"s.md", "x/s.md", "x/y/s.md", "z/s.md",
                                          "ä/s.md"};
    enum { N = COUNT_OF(paths), L = COUNT_OF(links), S = COUNT_OF(sources), ROUNDS = 60 };
    unsigned random = 99;
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        struct names *n = names_create();
        file_id targets[L][S];
        memset(targets, 0xFF, sizeof(targets)); /* NO_FILE */
        for (size_t s = 0; s < S; s++)
            targets[13][s] = 77; /* the empty link means its source */
        for (file_id k = 0, id = 0; k < N; k++) {
            random = random * 1103515245 + 12345;
            id = (random >> 16) % N;
            while (names_path(n, id).n > 0)
                id = (id + 1) % N;
            names_add(n, id, str_c(paths[id]));
            for (size_t i = 0; i < L * S; i++) {
                struct names_answer want;
                str link = str_c(links[i / S]), source = str_c(sources[i % S]);
                file_id *target = &targets[i / S][i % S];
                *target = names_resolve_added(n, link, source, 77, *target, id);
                names_resolve(n, NULL, link, source, 77, &want);
                CHECK_INT(links[i / S], *target, want.file);
            }
        }
        names_free(n);
    }
}

/* Many files are added and removed: exactly the existing ones are found. */
static void test_many(void **state)
{
    enum { FILES = 3000, STEPS = 20000 };
    static bool there[FILES];
    struct names *n = names_create();
    struct arena *a = *state;
    uint32_t seed = 1;
    for (int i = 0; i < STEPS; i++) {
        seed = seed * 1664525u + 1013904223u;
        file_id id = (seed >> 8) % FILES;
        if (there[id])
            names_remove(n, id);
        else
            names_add(n, id, arena_printf(a, "f%u/Näme %u.md", id % 7, id / 7));
        there[id] = !there[id];
    }
    for (file_id id = 0; id < FILES; id++) {
        size_t twins;
        str path = arena_printf(a, "F%u/nÄme %u.MD", id % 7, id / 7);
        CHECK_INT(path.p, names_find_path(n, path, &twins), there[id] ? id : NO_FILE);
        CHECK_INT(path.p, twins, there[id]);
    }
    CHECK("memory is counted", names_memory(n) > FILES * 8);
    names_free(n);
}

static void check_crowded(struct names *n, struct arena *a, uint32_t i)
{
    const struct {
        str link, source;
    } cases[] = {
        {arena_printf(a, "Area %u/Folder %u/Index", i % 100, i), STR("s.md")},
        {arena_printf(a, "Folder %u/Index.md", i), STR("Area 7/s.md")},
        {arena_printf(a, "./Folder %u/index", i),
         arena_printf(a, "Area %u/s.md", i % 100)},
        {STR("Index"), arena_printf(a, "Area %u/Folder %u/s.md", i % 100, i)},
    };
    for (size_t k = 0; k < COUNT_OF(cases); k++) {
        struct names_answer answer;
        names_resolve(n, NULL, cases[k].link, cases[k].source, NO_FILE, &answer);
        CHECK_INT(cases[k].link.p, answer.file, i);
    }
}

/* Each folder has a note of the same name. If a link were compared with all of them, this
 * would take a minute and more. */
static void test_crowd(void **state)
{
    enum { FILES = 20000 };
    struct names *n = names_create();
    struct arena *a = *state;
    for (file_id i = 0; i < FILES; i++) {
        names_add(n, i, arena_printf(a, "Area %u/Folder %u/Index.md", i % 100, i));
        arena_reset(a);
    }
    for (file_id i = 0; i < FILES; i++) {
        check_crowded(n, a, i);
        arena_reset(a);
    }
    for (file_id i = 0; i < FILES; i++)
        names_remove(n, i);
    CHECK_INT("none is left", names_sharing(n, STR("Index.md")), 0);
    names_free(n);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_rules),     ARENA_TEST(test_others),   ARENA_TEST(test_find_path),
        ARENA_TEST(test_find_name), ARENA_TEST(test_external), ARENA_TEST(test_key),
        ARENA_TEST(test_remove),    ARENA_TEST(test_many),     ARENA_TEST(test_added),
        ARENA_TEST(test_crowd),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
