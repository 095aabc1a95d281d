#include "vault/ask/find.h"

#include <time.h>

#include "check.h"

static void put(struct index *x, const char *path, const char *text)
{
    struct arena scratch = {0};
    struct fs_info info = {0};
    index_put(x, file_make(&scratch, str_c(path), &info, str_c(text)), false);
    arena_release(&scratch);
}

static struct index *make_vault(void)
{
    struct index *x = index_create();
    put(x, "Rain barrel.md", "Cold frame, worm bin.");
    put(x, "Projects/Cold frame.md", "---\naliases: [Warm house, Ännchen]\n---\n");
    put(x, "Projects/Deck/Log.md", "");
    put(x, "Work/Log.md", "---\naliases: Journal\n---\n");
    put(x, "Work/Notes.md", "---\naliases: journal\n---\n");
    put(x, "Work/Planning of the deck.md", "");
    put(x, "Work/Deck planning.md", "");
    put(x, "Plan.png", "");
    return x;
}

/* The path that is found, or the message. */
static str found(struct arena *a, const struct index *x, const char *word)
{
    struct err err = {0};
    const struct file *f;
    if (find_file(x, a, str_c(word), &f, &err))
        return f->path;
    return arena_str(a, str_c(err.msg));
}

static void test_find(void **state)
{
    static const struct {
        const char *word, *found;
    } cases[] = {
        {"Projects/Cold frame.md", "Projects/Cold frame.md"},
        {"/Projects/Cold frame", "Projects/Cold frame.md"},
        {"projects/cold FRAME", "Projects/Cold frame.md"},
        {"cold frame", "Projects/Cold frame.md"},
        {"Deck/Log", "Projects/Deck/Log.md"},
        {"Plan.png", "Plan.png"},
        {"[[Cold frame#Soil|here]]", "Projects/Cold frame.md"},
        {"WARM house", "Projects/Cold frame.md"},
        {"a\xCC\x88nnchen", "Projects/Cold frame.md"},
        {"Log", "'Log' matches several files: 'Work/Log.md', 'Projects/Deck/Log.md'; "
                "give the path"},
        {"Journal", "'Journal' matches several files: 'Work/Log.md', 'Work/Notes.md'; "
                    "give the path"},
    };
    struct index *x = make_vault();
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_STR(cases[i].word, found(*state, x, cases[i].word), cases[i].found);
    index_free(x);
}

/* A message has no room for all, and still ends with what to do. */
static void test_ambiguous(void **state)
{
    enum { NOTES = 60 };
    struct index *x = index_create();
    struct file *files[NOTES];
    struct arena scratch = {0};
    struct fs_info info = {0};
    for (size_t i = 0; i < NOTES; i++)
        files[i] = file_make(&scratch,
                             arena_printf(*state, "Folder with a name %zu/Index.md", i),
                             &info, STR("---\naliases: [Start]\n---\n"));
    index_fill(x, files, NOTES);
    CHECK_STR(
        "by name", found(*state, x, "Index"),
        "'Index' matches several files: 'Folder with a name 0/Index.md', 'Folder with "
        "a name 1/Index.md', 'Folder with a name 2/Index.md', 'Folder with a name "
        "3/Index.md' and 56 more; give the path");
    assert_true(str_ends(found(*state, x, "Start"), STR(" and 56 more; give the path")));
    index_free(x);
    arena_release(&scratch);
}

/* Names and aliases are compared, not what notes say. */
static void test_nearest(void **state)
{
    static const struct {
        const char *word, *nearest;
    } cases[] = {
        {"Cold farme", "; did you mean 'Projects/Cold frame.md'?"},
        {"Archive/cold frame.md", "; did you mean 'Projects/Cold frame.md'?"},
        {"Warm hause", "; did you mean 'Projects/Cold frame.md'?"},
        {"deck plan", "; did you mean 'Work/Deck planning.md', 'Work/Planning of the "
                      "deck.md'?"},
        {"Plam", "; did you mean 'Plan.png'?"},
        {"barrel", "; did you mean 'Rain barrel.md'?"},
        {"worm bin", ""},
        {"o", ""},
        {"", ""},
        {"\xFF\xFE", ""},
    };
    struct index *x = make_vault();
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        str expected =
            arena_printf(*state, "File not found: %s%s", cases[i].word, cases[i].nearest);
        CHECK_STR(cases[i].word, found(*state, x, cases[i].word), expected);
    }
    index_free(x);
}

/* What is on the disk but not in the index, and why. */
static void test_skipped(void **state)
{
    static const struct skipped_file left[] = {
        {STR("Garden/Far.md"), STR("it is only in iCloud")},
        {STR("Deep"), STR("folders are nested too deeply")}};
    static const char far[] =
        "File not found: Garden/Far.md cannot be used: it is only in iCloud";
    static const struct {
        const char *word, *want;
    } cases[] = {
        {"Garden/Far.md", far},
        {"far", far},
        {"garden/FAR", far},
        {"den/Far.md", "File not found: den/Far.md"},
        {"r.md", "File not found: r.md"},
    };
    struct index *x = make_vault();
    skipped_replace(&x->skipped, STR(""), left, COUNT_OF(left));
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_STR(cases[i].word, found(*state, x, cases[i].word), cases[i].want);
    index_free(x);
}

/* Every name is looked at, but few are compared letter by letter. */
static void test_many(void **state)
{
    enum { NOTES = 100000, MAX_SECONDS = 2 }; /* of this process */
    struct index *x = index_create();
    struct file **files = calloc(NOTES, sizeof(*files));
    struct arena scratch = {0};
    struct fs_info info = {0};
    for (size_t i = 0; i < NOTES; i++)
        files[i] = file_make(
            &scratch,
            arena_printf(*state, "Folder %zu/Meeting on the %zu. of May.md", i % 100, i),
            &info, STR(""));
    index_fill(x, files, NOTES);
    clock_t start = clock();
    str message = found(*state, x, "Meeting on teh 99999. of May");
    assert_true(clock() - start < MAX_SECONDS * CLOCKS_PER_SEC);
    assert_true(str_find(message, STR("'Folder 99/Meeting on the 99999. of May.md'")) !=
                STR_NONE);
    index_free(x);
    free(files);
    arena_release(&scratch);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_find),    ARENA_TEST(test_ambiguous), ARENA_TEST(test_nearest),
        ARENA_TEST(test_skipped), ARENA_TEST(test_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
