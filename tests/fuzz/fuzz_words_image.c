/*
 * An image of an index, or what is left of one, is loaded or refused; a loaded one can be
 * searched, changed and saved.
 */
#include "vault/index/words.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CHANGES = 300 }; /* enough to rewrite the lists */

static void search_all(const struct words *w, struct arena *a)
{
    static const char *const queries[] = {"the",  "a* -apple", "\"star wars\"",
                                          "-the", "\u90FD",    "apple e-mail nowhere"};
    struct words_result result;
    struct err err;
    str *near;
    for (size_t i = 0; i < COUNT_OF(queries); i++)
        if (!words_search_text(w, a, str_c(queries[i]), 0, 10, NULL, NULL, &result, &err))
            BUG("%s", err.msg);
    words_suggest(w, a, STR("appel"), 5, &near);
}

static void change(struct words *w)
{
    struct words_doc doc = {.fields[WORDS_TITLE] = STR("the apple"),
                            .fields[WORDS_BODY] = STR("a star e-mail of the \u90FD")};
    for (doc.id = 0; doc.id < 8; doc.id++)
        words_add(w, &doc);
    for (int i = 0; i < CHANGES; i++) {
        doc.id = (uint32_t)i % 5;
        words_add(w, &doc);
    }
    words_remove(w, 3);
}

struct image {
    char *p;
    size_t n;
};

static void write_image(void *arg, const void *bytes, size_t n)
{
    struct image *image = arg;
    image->p = mem_grow(image->p, image->n + n);
    memcpy(image->p + image->n, bytes, n);
    image->n += n;
}

/* A saved index can be loaded, whatever is in it. */
static void save_and_load(struct words *w, struct arena *a)
{
    struct image image = {0};
    struct words *again = NULL;
    struct err err;
    words_save(w, write_image, &image);
    if (!words_load((str){image.p, image.n}, &again, &err))
        BUG("%s", err.msg);
    if (words_count(again) != words_count(w))
        BUG("documents are missing");
    search_all(again, a);
    change(again);
    words_free(again);
    free(image.p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a = {0};
    struct words *w = NULL;
    struct err err;
    char *image = mem_alloc(size > 0 ? size : 1); /* aligned */
    memcpy(image, data, size);
    if (words_load((str){image, size}, &w, &err)) {
        search_all(w, &a);
        save_and_load(w, &a);
        change(w);
        search_all(w, &a);
    }
    words_free(w);
    free(image);
    arena_release(&a);
    return 0;
}
