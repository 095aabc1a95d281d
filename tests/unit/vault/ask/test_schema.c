#include "vault/ask/schema.h"

#include "base/sbuf.h"
#include "check.h"
#include "vault/index/file.h"

static struct file *file_of(const char *path, str text)
{
    struct arena scratch = {0};
    struct fs_info info = {0};
    struct file *f = file_make(&scratch, str_c(path), &info, text);
    arena_release(&scratch);
    return f;
}

static const char *const files[][2] = {
    {"Books/About.md", "---\nschema:\n"
                       "  rating: number\n"
                       "  status: [to read, reading, read]\n"
                       "  author: {type: text, required: true}\n"
                       "  years: {type: list, values: [2024, 2025]}\n"
                       "  note:\n"
                       "  odd: {kind: text}\n"
                       "  off: nothing\n"
                       "---\n"},
    {"People.md", "---\nschema-for: [\"#person\", Team/]\nschema:\n  born: date\n"
                  "  seen: datetime\n  friend: checkbox\n  names: aliases\n---\n"},
    {"Text.md", "---\nschema: a text is not one\n---\n"},
};

/* What is wrong with a note, in one line. */
static str problems(struct arena *a, const struct index *x, const char *path,
                    const char *before, const char *text)
{
    struct schemas s;
    struct schema_problem *found;
    struct sbuf b = SBUF_ON(a);
    struct file *was = before != NULL ? file_of(path, str_c(before)) : NULL,
                *f = file_of(path, str_c(text));
    schemas_learn(x, NULL, a, &s);
    size_t n = schemas_check_new(&s, a, was, f, &found);
    for (size_t i = 0; i < n; i++)
        sbuf_printf(&b, "%s%u: " STR_FMT, i > 0 ? "; " : "", found[i].line,
                    STR_ARG(found[i].message));
    str all = arena_str(a, sbuf_str(&b));
    file_free(was);
    file_free(f);
    return all;
}

static struct index *index_of_files(void)
{
    struct index *x = index_create();
    for (size_t i = 0; i < COUNT_OF(files); i++)
        index_put(x, file_of(files[i][0], str_c(files[i][1])), false);
    return x;
}

#define BY " (Books/About.md)"

static void test_schemas(void **state)
{
    static const struct {
        const char *path, *before, *text, *want;
    } cases[] = {
        {"Books/A.md", NULL, "---\nauthor: B\nrating: 5\nstatus: read\n---\n", ""},
        {"Books/A.md", NULL, "text\n", "0: 'author' is required, but has no value" BY},
        {"Books/A.md", NULL, "---\nauthor:\n---\n",
         "0: 'author' is required, but has no value" BY},
        {"Books/Sub/A.md", NULL, "---\nauthor: B\nrating: good\n---\n",
         "3: 'rating' is a number, but here the text 'good'" BY},
        {"Books/A.md", NULL, "---\nauthor: B\nstatus: done\n---\n",
         "3: 'status' is one of 'to read', 'reading', 'read', but here the text "
         "'done'" BY},
        {"Books/A.md", NULL, "---\nauthor: B\nSTATUS: [read, reading]\n---\n", ""},
        {"Books/A.md", NULL, "---\nauthor: B\nyears: [2024, 1999]\n---\n",
         "3: 'years' is one of '2024', '2025', but here the number 1999" BY},
        {"Books/A.md", NULL, "---\nauthor: [B]\n---\n",
         "2: 'author' is a text, but here a list" BY},
        {"Books/A.md", NULL, "---\nauthor: 1984\nnote: {a: 1}\nodd: 1\noff: 2\n---\n",
         ""},
        {"Elsewhere/A.md", NULL, "---\nrating: good\n---\n", ""},
        {"Bookshelf.md", NULL, "---\nrating: good\n---\n", ""},
        /* what was wrong before is not reported, unless it is wrong in another way */
        {"Books/A.md", "---\nrating: good\n---\n", "---\nrating: good\n---\nmore\n", ""},
        {"Books/A.md", "---\nrating: good\n---\n", "---\nrating: fine\n---\n",
         "2: 'rating' is a number, but here the text 'fine'" BY},
        {"Books/A.md", "---\nauthor: B\n---\n", "text\n",
         "0: 'author' is required, but has no value" BY},
        /* by tag, and by a folder that is named */
        {"A.md", NULL, "---\ntags: [person]\nborn: soon\n---\n",
         "3: 'born' is a date (2026-11-16), but here the text 'soon' (People.md)"},
        {"A.md", NULL, "---\nborn: 2026-02-30\n---\n#person/friend\n",
         "2: 'born' is a date (2026-11-16), but here the text '2026-02-30' (People.md)"},
        {"A.md", NULL, "---\nborn: soon\n---\n#personal\n", ""},
        {"Team/A.md", NULL,
         "---\nborn: 2026-11-16\nseen: 2026-11-16T10:00\nfriend: true\nnames: A\n---\n",
         ""},
        {"Team/A.md", NULL, "---\nborn: 2026-11-16T10:00\nfriend: yes\n---\n",
         "2: 'born' is a date (2026-11-16), but here the text '2026-11-16T10:00' "
         "(People.md); 3: 'friend' is a checkbox (true or false), but here the text "
         "'yes' (People.md)"},
        /* notes that need not follow any */
        {"Books/CLAUDE.md", NULL, "text\n", ""},
        {"Books/_policy.md", NULL, "---\nai: hidden\n---\n", ""},
        {"Books/Other.md", NULL, "---\nschema: {x: number}\n---\n", ""},
        {"Books/Other.md", NULL, "---\nschema:\n  x: nothing\n---\n",
         "3: The schema says nothing about 'x': there are the types text, list, number, "
         "checkbox, date, datetime, tags, aliases and any"},
        {"Books/A.canvas", NULL, "{}", ""},
    };
    struct index *x = index_of_files();
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_STR(cases[i].text,
                  problems(*state, x, cases[i].path, cases[i].before, cases[i].text),
                  cases[i].want);
    index_free(x);
}

static void test_limits(void **state)
{
    enum { MORE = 3 };
    struct index *x = index_create();
    struct schemas s;
    for (int i = 0; i < SCHEMAS_MAX + MORE; i++)
        index_put(x,
                  file_of(arena_printf(*state, "%04d.md", i).p,
                          STR("---\nschema: {a: number}\n---\n")),
                  false);
    schemas_learn(x, NULL, *state, &s);
    CHECK_INT("those that count", s.n, SCHEMAS_MAX);
    CHECK_INT("the others", s.ignored, MORE);
    struct schema_problem *found;
    struct file *f = file_of("x.md", STR("---\na: b\n---\n"));
    CHECK_INT("problems of one note", schemas_check(&s, *state, f, &found),
              SCHEMA_PROBLEMS_MAX);
    file_free(f);
    index_free(x);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {ARENA_TEST(test_schemas), ARENA_TEST(test_limits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
