#include "vault/meaning/model_image.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "check.h"
#include "tiny_model.h"
#include "vault/meaning/model_layers.h"

/* A copy of the tiny model that may be changed. */
static str copy_of(struct arena *a, struct model_head **head)
{
    str image = tiny_model(a), copy = arena_str(a, image);
    *head = (struct model_head *)(uintptr_t)copy.p;
    return copy;
}

/* As the author of a hostile file would. */
static void sum_up(str file, struct model_head *h)
{
    h->size = file.n;
    h->sum = hash_content(str_skip(file, offsetof(struct model_head, size)));
}

static void check_refused(const char *row, str file, const char *why)
{
    struct model_image m;
    struct err err = {0};
    if (model_image_read(file, &m, &err))
        fail_msg("%s: it is read", row);
    CHECK_INT(row, err.code, ERR_INVALID);
    if (strstr(err.msg, why) == NULL)
        fail_msg("%s: got '%s', want '%s'", row, err.msg, why);
}

static void test_read(void **state)
{
    struct arena *a = *state;
    struct model_image m;
    struct err err = {0};
    assert_true(model_image_read(tiny_model(a), &m, &err));
    CHECK_STR("name", model_label(m.head.name), "tiny");
    assert_int_equal(m.head.layers, TINY_LAYERS);
    assert_int_equal(vocabulary_find(&m.vocabulary, STR("##able")), 8);
    assert_int_equal(vocabulary_find(&m.vocabulary, STR("able")), VOCABULARY_NONE);
}

static void test_refused(void **state)
{
    struct arena *a = *state;
    struct model_head *h;
    str file = copy_of(a, &h);
    check_refused("empty", (str){file.p, 0}, "too short");
    check_refused("half a head", str_slice(file, 0, 100), "too short");
    check_refused("cut", str_slice(file, 0, file.n - 8), "not complete");
    h->magic[0] = 'x';
    check_refused("magic", file, "not a model");
    h->magic[0] = 'v';
    h->version = MODEL_VERSION + 1;
    check_refused("newer", file, "newer vaultd");
    h->version = 0;
    check_refused("older", file, "older vaultd");
    h->version = MODEL_VERSION;
    ((char *)(uintptr_t)file.p)[file.n / 2] ^= 1;
    check_refused("one bit", file, "damaged");
}

/* Every number of the head, with every value that is likely to do harm. */
static void test_hostile_sizes(void **state)
{
    static const uint32_t values[] = {0,    1,     8,        15,        17,        33,
                                      4096, 65536, 1u << 18, INT32_MAX, UINT32_MAX};
    struct arena *a = *state;
    struct model_head *h;
    str file = copy_of(a, &h);
    uint32_t *const numbers[] = {
        &h->words,   &h->words_bytes, &h->positions,     &h->width,   &h->layers,
        &h->heads,   &h->inner,       &h->unknown,       &h->first,   &h->last,
        &h->rows,    &h->kind,        &h->flags,         &h->weights, &h->bend,
        &h->pooling, &h->length,      &h->charsmap_bytes};
    for (size_t i = 0; i < COUNT_OF(numbers); i++) {
        uint32_t was = *numbers[i];
        for (size_t k = 0; k < COUNT_OF(values); k++) {
            struct model_image m;
            struct err err = {0};
            *numbers[i] = values[k];
            sum_up(file, h);
            /* One word is as good as another, and one head as two. */
            bool harmless = (numbers[i] == &h->heads && values[k] == 1) ||
                            (i >= 7 && i < 10 && values[k] < h->words) ||
                            (i == 12 && values[k] < TOKENS_FLAGS) ||
                            (i == 14 && values[k] < KERNEL_BENDS) ||
                            (i == 15 && values[k] < MODEL_POOLINGS) ||
                            (i == 16 && values[k] >= 2 && values[k] <= TINY_POSITIONS) ||
                            values[k] == was;
            if (model_image_read(file, &m, &err) != harmless)
                fail_msg("number %zu as %u", i, values[k]);
        }
        *numbers[i] = was;
    }
}

static void test_hostile_parts(void **state)
{
    struct arena *a = *state;
    struct model_head *h;
    str file = copy_of(a, &h);
    uint32_t *starts = (uint32_t *)(h + 1);
    starts[5] = UINT32_MAX;
    sum_up(file, h);
    check_refused("start", file, "not in order");
    file = copy_of(a, &h);
    memset(h->name, 0xFF, sizeof(h->name));
    sum_up(file, h);
    check_refused("name", file, "sizes");
}

/* A file of version 1, as it was made for all-MiniLM-L6-v2, gives the same vectors. */
static void test_version_1(void **state)
{
    enum { HEAD_1 = offsetof(struct model_head, rows) };
    struct arena *a = *state;
    struct model_head *h;
    struct model_image now, then;
    struct err err = {0};
    str file = copy_of(a, &h);
    assert_true(model_image_read(file, &now, &err));
    char *old = arena_alloc(a, file.n);
    memcpy(old, file.p, HEAD_1);
    memcpy(old + HEAD_1, file.p + sizeof(*h), file.n - sizeof(*h));
    str first = {old, file.n - (sizeof(*h) - HEAD_1)};
    struct model_head *head = (struct model_head *)(void *)old;
    head->version = 1;
    head->size = first.n;
    head->sum = hash_content(str_skip(first, offsetof(struct model_head, size)));
    if (!model_image_read(first, &then, &err))
        fail_msg("%s", err.msg);
    uint32_t ids[] = {2, 4, 5, 3};
    float x[TINY_WIDTH], y[TINY_WIDTH];
    assert_true(model_layers_run(&now, &kernel_plain, ids, COUNT_OF(ids), 0, x, &err));
    assert_true(model_layers_run(&then, &kernel_plain, ids, COUNT_OF(ids), 0, y, &err));
    assert_memory_equal(x, y, sizeof(x));
    CHECK_STR("languages", model_label(then.head.languages), "en");
}

static void check_file(const char *path, str text, const char *why)
{
    struct model_image m = {0};
    struct err err = {0};
    assert_true(fs_replace_file(path, text, &err));
    bool ok = model_image_open(path, &m, &err);
    CHECK_INT(path, ok, why == NULL);
    CHECK(path, why == NULL || strstr(err.msg, why) != NULL);
    model_image_close(&m);
}

static void test_files(void **state)
{
    struct arena *a = *state;
    char folder[] = "/tmp/model-image-XXXXXX";
    struct model_image m = {0};
    struct err err = {0};
    assert_non_null(mkdtemp(folder));
    const char *path = arena_printf(a, "%s/m", folder).p;
    assert_false(model_image_open(path, &m, &err));
    assert_int_equal(err.code, ERR_NOT_FOUND);
    assert_false(model_image_open(folder, &m, &err));
    assert_int_equal(err.code, ERR_INVALID);
    str file = tiny_model(a);
    check_file(path, file, NULL);
    check_file(path, STR(""), "empty");
    check_file(path, str_slice(file, 0, file.n / 2), "not complete");
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0); /* must not wait */
    assert_false(model_image_open(path, &m, &err));
    unlink(path);
    rmdir(folder);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_read),          ARENA_TEST(test_refused),
        ARENA_TEST(test_hostile_sizes), ARENA_TEST(test_hostile_parts),
        ARENA_TEST(test_files),         ARENA_TEST(test_version_1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
