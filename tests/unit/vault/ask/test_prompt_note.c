#include "vault/ask/prompt_note.h"

#include "base/sbuf.h"
#include "check.h"

static void put(struct index *x, const char *path, const char *text)
{
    struct arena scratch = {0};
    struct fs_info info = {.size = (int64_t)strlen(text)};
    index_put(x, file_make(&scratch, str_c(path), &info, str_c(text)), false);
    arena_release(&scratch);
}

static str listed(struct arena *a, const struct index *x)
{
    struct prompt_note *notes;
    size_t n = prompt_notes(x, a, &notes);
    struct sbuf b = SBUF_ON(a);
    for (size_t i = 0; i < n; i++) {
        sbuf_printf(&b, STR_FMT "(", STR_ARG(notes[i].name));
        for (size_t k = 0; k < notes[i].n_arguments; k++)
            sbuf_printf(&b, STR_FMT "%s ", STR_ARG(notes[i].arguments[k].name),
                        notes[i].arguments[k].required ? "!" : "");
        sbuf_add(&b, STR(");"));
    }
    return sbuf_str(&b);
}

static void test_listed(void **state)
{
    struct arena *a = *state;
    struct index *x = index_create();
    CHECK_STR("none", listed(a, x), "");
    put(x, "b/Same.md", "#prompt");
    put(x, "a/Same.md", "---\ntags: prompt\narguments: [who, how]\n---\n");
    put(x, "Maps.md",
        "---\ntags: prompt\narguments:\n  - name: who\n    required: true\n"
        "  - description: nameless\n  - 5\n  - [odd]\n  - name: how\n---\n");
    put(x, "Text.md", "---\ntags: prompt\narguments: who\n---\n");
    put(x, "Broken.md", "---\ntags: [\n---\n#prompt");
    put(x, "Other.md", "#prompts");
    CHECK_STR("all", listed(a, x),
              "Broken();Maps(who! how );Text();Same(who how );b/Same();");
    index_free(x);
}

static void test_filled(void **state)
{
    static const struct {
        const char *body, *want;
    } cases[] = {
        {"", ""},
        {"plain", "plain"},
        {"{{who}} and {{ how }}",
         "Ada {{how}} and "}, /* a value is not filled in again */
        {"{{other}} {{Who}} {who} {{", "{{other}} {{Who}} {who} {{"},
        {"{{{who}}}", "{Ada {{how}}}"},
        {"{{who}}{{who}}", "Ada {{how}}Ada {{how}}"},
        {"{{who {{who}}", "{{who Ada {{how}}"},
    };

    struct arena *a = *state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct index *x = index_create();
        put(x, "P.md",
            arena_printf(a, "---\ntags: prompt\narguments: [who, how]\n---\n%s",
                         cases[i].body)
                .p);
        struct prompt_note *notes;
        assert_int_equal(prompt_notes(x, a, &notes), 1);
        const str values[] = {STR("Ada {{how}}"), STR("")};
        CHECK_STR(cases[i].body, prompt_note_fill(a, notes, values), cases[i].want);
        index_free(x);
    }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_listed),
        ARENA_TEST(test_filled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
