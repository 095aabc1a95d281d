#include "vault/ask/related.h"

#include "base/sbuf.h"
#include "check.h"
#include "vault/index/file.h"
#include "vault/index/index.h"

static void put(struct index *x, const char *path, const char *text)
{
    struct arena scratch = {0};
    struct fs_info info = {0};
    index_put(x, file_make(&scratch, str_c(path), &info, str_c(text)), false);
    arena_release(&scratch);
}

/* "path: shared, ...; words; #tags", a line each. */
static str related(struct arena *a, const struct index *x, const char *path, bool linked)
{
    struct related_notes found;
    struct err err = {0};
    struct sbuf b = SBUF_ON(a);
    CHECK("found", related_find(x, NULL, a, index_find(x, str_c(path)), linked, NULL,
                                &found, &err));
    const struct related_note *notes = found.items;
    for (size_t i = 0; i < found.n; i++) {
        sbuf_printf(&b, STR_FMT ":", STR_ARG(notes[i].file->path));
        for (size_t k = 0; k < notes[i].n_shared; k++)
            sbuf_printf(&b, " [[" STR_FMT "]]",
                        STR_ARG(names_path(x->names, notes[i].shared[k])));
        for (size_t k = 0; k < notes[i].n_words; k++)
            sbuf_printf(&b, " " STR_FMT, STR_ARG(notes[i].words[k]));
        for (size_t k = 0; k < notes[i].n_tags; k++)
            sbuf_printf(&b, " #" STR_FMT, STR_ARG(notes[i].tags[k]));
        sbuf_char(&b, '\n');
    }
    return sbuf_str(&b);
}

static struct index *garden(void)
{
    struct index *x = index_create();
    put(x, "Frame.md", "[[Garden]] [[Tom]] polycarbonate lid #build");
    put(x, "Barrel.md", "[[Garden]] [[Tom]] gutter");
    put(x, "Glass.md", "a polycarbonate lid, spare");
    put(x, "Shelf.md", "planks #build");
    put(x, "Tax.md", "receipts");
    put(x, "Garden.md", "beds");
    put(x, "Tom.md", "phone");
    return x;
}

static void test_reasons(void **state)
{
    struct index *x = garden();
    str found = related(*state, x, "Frame.md", false);
    CHECK("by links",
          str_find(found, STR("Barrel.md: [[Garden.md]] [[Tom.md]]")) != STR_NONE);
    CHECK("by words", str_find(found, STR("Glass.md: polycarbonate\n")) != STR_NONE);
    CHECK("not itself", str_find(found, STR("Frame.md")) == STR_NONE);
    CHECK("not what has nothing in common", str_find(found, STR("Tax.md")) == STR_NONE);
    CHECK("not what is linked", str_find(found, STR("Tom.md:")) == STR_NONE);
    found = related(*state, x, "Frame.md", true);
    CHECK("on request", str_find(found, STR("Tom.md:")) != STR_NONE);
    CHECK_STR("nothing", related(*state, x, "Tax.md", false), "");
    index_free(x);
}

static bool shows(const void *arg, const struct file *f)
{
    return !str_eq(f->path, str_c(arg));
}

/* What a caller cannot see has no part in reasons and scores. */
static void test_view(void **state)
{
    struct index *x = garden(), *view = index_view(x, shows, "Tom.md");
    CHECK_STR("one reason less", related(*state, view, "Barrel.md", false),
              "Frame.md: [[Garden.md]] garden\n");
    index_free(view);
    index_free(x);
}

/* A neighbour with very many links is the last to be followed, and work is bounded. */
static void test_hub(void **state)
{
    struct arena *a = *state;
    struct index *x = index_create();
    put(x, "Hub.md", "");
    for (int i = 0; i < 1000; i++)
        put(x, arena_printf(a, "n%d.md", i).p,
            i % 100 == 0 ? "[[Hub]] [[Small]]" : "[[Hub]]");
    put(x, "Small.md", "");
    struct related_notes found;
    struct err err = {0};
    CHECK("found", related_find(x, NULL, a, index_find(x, STR("n0.md")), false, NULL,
                                &found, &err));
    CHECK("bounded", found.n <= 2 * RELATED_CANDIDATES);
    CHECK_INT("both", found.items[0].all_shared, 2);
    CHECK_STR("the rare one first", names_path(x->names, found.items[0].shared[0]),
              "Small.md");
    index_free(x);
}

/* Memory grows with the notes of the vault, not with the links of the note times these. */
static void test_memory(void **state)
{
    enum { NOTES = 20000, LINKS = 5000, MOST = 20 << 20 };
    struct arena *a = *state, used = {0};
    struct index *x = index_create();
    struct related_notes found;
    struct err err = {0};
    put(x, "Hub.md", "");
    for (int i = 0; i < NOTES; i++)
        put(x, arena_printf(a, "n%d.md", i).p,
            i < LINKS ? "[[Hub]]" : arena_printf(a, "[[n%d]]", i % LINKS).p);
    CHECK("found", related_find(x, NULL, &used, index_find(x, STR("Hub.md")), false, NULL,
                                &found, &err));
    CHECK("shares a neighbour", found.n > 0 && found.items[0].all_shared == 1);
    CHECK("memory", arena_size(&used) <= MOST);
    arena_release(&used);
    struct stop stop = {.until = 1};
    CHECK("stops", !related_find(x, NULL, &used, index_find(x, STR("Hub.md")), false,
                                 &stop, &found, &err));
    CHECK_INT("why", err.name, E_TIMEOUT);
    arena_release(&used);
    index_free(x);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_reasons),
        ARENA_TEST(test_view),
        ARENA_TEST(test_hub),
        ARENA_TEST(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
