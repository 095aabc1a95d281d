#include "vault/ask/base_find.h"

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
    put(x, "Books.base", "views:\n  - name: All\n  - name: To read\n");
    put(x, "Books.md", "");
    put(x, "d/Broken.base", "views: 5\n");
    put(x, "Home.md",
        "# One\n\n```base\nviews: [{name: A}]\n```\n\n## Two\n\n"
        "```base\nviews: [{name: B}, {name: C}]\n```\n\n# 3\n");
    put(x, "Mixed.md", "```base\nviews: 5\n```\n");
    put(x, "p.png", "");
    return x;
}

/* "file number/bases view", or the message. */
static str found(struct arena *a, const struct index *x, const char *base,
                 const char *view)
{
    const struct base_request request = {.base = str_c(base), .view = str_c(view)};
    struct base_found f;
    struct err err = {0};
    if (!base_find(x, a, &request, &f, &err))
        return arena_str(a, str_c(err.msg));
    return arena_printf(a, STR_FMT " %zu/%zu " STR_FMT,
                        STR_ARG(f.file != NULL ? f.file->path : STR("-")), f.number,
                        f.bases, STR_ARG(f.view->name));
}

static void test_find(void **state)
{
    static const struct {
        const char *base, *view, *found;
    } cases[] = {
        {"Books.base", "", "Books.base 1/1 All"},
        {"```base\nviews: [{name: A}]\n```", "", "- 0/0 A"},
        {"~~~yaml\nviews: 5\n~~~\n", "", "base: line 2, column 1: views must be a list"},
        {"xyzzy", "",
         "File not found: xyzzy; nor is it the text of a base, which is YAML "
         "such as 'filters: status == \"active\"'"},
        {"books", "", "Books.base 1/1 All"},
        {"Books", "to READ", "Books.base 1/1 To read"},
        {"Books.base#To read", "", "Books.base 1/1 To read"},
        {"![[Books.base#To read|x]]", "", "Books.base 1/1 To read"},
        {"Books.base#All", "To read", "Books.base 1/1 To read"},
        {"Books.base", "No", "no view 'No'; there are: 'All', 'To read'"},
        {"Books.md", "", "no such base in 'Books.md'"},
        {"Broken", "", "d/Broken.base: line 1, column 1: views must be a list"},
        {"Home", "", "Home.md 1/2 A"},
        {"Home#Two", "", "Home.md 2/2 B"},
        {"Home#One", "", "Home.md 1/2 A"},
        {"Home#2", "", "Home.md 2/2 B"},
        {"Home", "C", "Home.md 2/2 C"},
        {"Home#1", "C", "no view 'C'; there are: 'A'"},
        {"Home#3", "", "no such base in 'Home.md'"},
        {"Home#7", "", "no such base in 'Home.md'"},
        {"Home#Nine", "", "no heading 'Nine' in 'Home.md'"},
        {"Mixed", "", "Mixed.md: line 2, column 1: views must be a list"},
        {"p.png", "", "'p.png' is not a base"},
        {"views: [{name: X}]", "", "- 0/0 X"},
        {"filters: a\nviews:\n  - name: Y\n", "y", "- 0/0 Y"},
        {"a: b: c", "",
         "base: line 1, column 5: a value with ': ' in it must be in "
         "quotes, or the indentation is wrong"},
    };
    struct index *x = make_vault();
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_STR(cases[i].base, found(*state, x, cases[i].base, cases[i].view),
                  cases[i].found);
    index_free(x);
}

/* What `this` means. */
static void test_this(void **state)
{
    struct index *x = make_vault();
    struct base_request request = {.base = STR("Home")};
    struct base_found f;
    struct err err = {0};
    assert_true(base_find(x, *state, &request, &f, &err));
    CHECK_STR("note", f.this_file->path, "Home.md");
    request.this_path = STR("p.png");
    assert_true(base_find(x, *state, &request, &f, &err));
    CHECK_STR("given", f.this_file->path, "p.png");
    request = (struct base_request){.base = STR("views: []")};
    assert_true(base_find(x, *state, &request, &f, &err));
    assert_null(f.this_file);
    request.this_path = STR("nothing");
    assert_false(base_find(x, *state, &request, &f, &err));
    assert_int_equal(err.code, ERR_NOT_FOUND);
    index_free(x);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {ARENA_TEST(test_find), ARENA_TEST(test_this)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
