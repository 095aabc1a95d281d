#include "base/hash.h"

#include <pthread.h>
#include <stdio.h>

#include "base/encode.h"
#include "base/process.h"
#include "check.h"

/* FIPS 180-4, examples of NIST. */
static void test_sha256(void **state)
{
    struct arena *a = *state;
    char *million = arena_alloc(a, 1000000);
    memset(million, 'a', 1000000);
    const struct {
        const char *name;
        str data;
        const char *hash;
    } cases[] = {
        {"empty",
         {NULL, 0},
         "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", STR("abc"),
         "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"two blocks", STR("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
        {"a million a",
         {million, 1000000},
         "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        uint8_t out[HASH_SIZE];
        hash_sha256(cases[i].data, out);
        CHECK_STR(cases[i].name, encode_hex(a, (str){(char *)out, HASH_SIZE}),
                  cases[i].hash);
    }
}

/* RFC 4231 §4.2 to §4.8 without the truncated one; the empty key by OpenSSL and Python.
 */
static void test_hmac(void **state)
{
    struct arena *a = *state;
    char key_0b[20], key_aa[131], data_dd[50], data_cd[50];
    memset(key_0b, 0x0b, sizeof(key_0b));
    memset(key_aa, 0xaa, sizeof(key_aa));
    memset(data_dd, 0xdd, sizeof(data_dd));
    memset(data_cd, 0xcd, sizeof(data_cd));
    const struct {
        const char *name;
        str key, data;
        const char *mac;
    } cases[] = {
        {"case 1",
         {key_0b, 20},
         STR("Hi There"),
         "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"},
        {"case 2", STR("Jefe"), STR("what do ya want for nothing?"),
         "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
        {"case 3",
         {key_aa, 20},
         {data_dd, 50},
         "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"},
        {"case 4",
         STR("\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10\x11\x12"
             "\x13"
             "\x14\x15\x16\x17\x18\x19"),
         {data_cd, 50},
         "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"},
        {"case 6",
         {key_aa, 131},
         STR("Test Using Larger Than Block-Size Key - Hash Key First"),
         "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"},
        {"case 7",
         {key_aa, 131},
         STR("This is a test using a larger than block-size key and a larger than "
             "block-size data. The key needs to be hashed before being used by the HMAC "
             "algorithm."),
         "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"},
        {"empty",
         {NULL, 0},
         {NULL, 0},
         "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        uint8_t out[HASH_SIZE];
        hash_hmac(cases[i].key, cases[i].data, out);
        CHECK_STR(cases[i].name, encode_hex(a, (str){(char *)out, HASH_SIZE}),
                  cases[i].mac);
    }
}

static void test_equal(void **state)
{
    (void)state;
    CHECK("equal", hash_equal(STR("abc"), STR("abc")));
    CHECK("empty", hash_equal(STR(""), (str){0}));
    CHECK("last byte", !hash_equal(STR("abc"), STR("abd")));
    CHECK("length", !hash_equal(STR("abc"), STR("ab")));
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void test_table(void **state)
{
    struct arena *a = *state;
    enum { KEYS = 100000, SLOTS = 1024 };
    uint64_t *seen = ARENA_ARRAY(a, uint64_t, KEYS);
    unsigned slots[SLOTS] = {0};
    for (int i = 0; i < KEYS; i++) {
        char key[32];
        int n = snprintf(key, sizeof(key), "folder/note %d.md", i);
        seen[i] = hash_table((str){key, (size_t)n});
        assert_true(seen[i] == hash_table((str){key, (size_t)n}));
        slots[seen[i] % SLOTS]++;
    }
    for (size_t i = 0; i < SLOTS; i++) /* 98 on average */
        assert_in_range(slots[i], 30, 200);
    qsort(seen, KEYS, sizeof(*seen), by_value);
    for (int i = 1; i < KEYS; i++)
        assert_true(seen[i] != seen[i - 1]);
}

/* Texts of zeros differ only in their length. */
static void test_table_lengths(void **state)
{
    (void)state;
    static const char zeros[64];
    for (size_t i = 0; i < sizeof(zeros); i++)
        for (size_t k = 0; k < i; k++)
            assert_true(hash_table((str){zeros, i}) != hash_table((str){zeros, k}));
}

/* The same key gives the same hash, another key a different one. */
static void test_keyed(void **state)
{
    (void)state;
    struct hash_key one = hash_new_key(), copy = one, other = hash_new_key();
    CHECK("same", hash_keyed(&one, STR("name")) == hash_keyed(&copy, STR("name")));
    CHECK("other", hash_keyed(&one, STR("name")) != hash_keyed(&other, STR("name")));
    CHECK("own", hash_keyed(&one, STR("name")) != hash_table(STR("name")));
}

/* Known answers: files are compared across processes and versions (xxhsum -H128). */
static void test_content(void **state)
{
    struct arena *a = *state;
    static const struct {
        const char *name;
        str data;
        uint64_t high, low;
    } cases[] = {
        {"empty", {NULL, 0}, 0x99aa06d3014798d8, 0x6001c324468d497f},
        {"abc", STR("abc"), 0x06b05ab6733a6185, 0x78af5f94892f3950},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct hash_content h = hash_content(cases[i].data);
        CHECK(cases[i].name, h.high == cases[i].high && h.low == cases[i].low);
    }
    char *text = arena_zero(a, 4096);
    struct hash_content before = hash_content((str){text, 4096});
    CHECK("same", hash_same(before, hash_content((str){text, 4096})));
    CHECK("length", !hash_same(before, hash_content((str){text, 4095})));
    for (size_t i = 0; i < 4096; i++) {
        text[i] = 1;
        CHECK("any byte", !hash_same(before, hash_content((str){text, 4096})));
        text[i] = 0;
    }
}

static void *hash_first(void *arg)
{
    uint8_t out[HASH_SIZE];
    hash_hmac(STR("key"), STR("data"), out);
    hash_sha256(STR("data"), out);
    *(uint64_t *)arg = hash_table(STR("data"));
    return NULL;
}

static void test_threads(void **state)
{
    (void)state;
    pthread_t threads[8];
    uint64_t got[8];
    for (size_t i = 0; i < 8; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, hash_first, &got[i]), 0);
    for (size_t i = 0; i < 8; i++)
        pthread_join(threads[i], NULL);
    for (size_t i = 1; i < 8; i++)
        assert_true(got[i] == got[0]);
}

static const char *git_says(struct arena *a, const char *format, str content)
{
    static const char script[] = "d=$(mktemp -d); trap 'rm -r \"$d\"' EXIT;"
                                 "git init -q --bare --object-format=$0 \"$d\";"
                                 "git -C \"$d\" hash-object --stdin";
    const char *argv[] = {"sh", "-ec", script, format, NULL};
    const char *env[] = {"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/nowhere", NULL};
    struct process p = {.argv = argv,
                        .env = env,
                        .folder = "/",
                        .input = content,
                        .out_max = 1000,
                        .ms = 120000};
    struct process_result r;
    struct err err = {0};
    if (!process_run(a, &p, &r, &err) || r.code != 0)
        fail_msg("%s " STR_FMT, err.msg, STR_ARG(r.errors));
    return arena_str(a, str_trim_line(r.out)).p;
}

static void test_git_blob(void **state)
{
    struct arena *a = *state;
    char *large = arena_alloc(a, 1 << 20);
    for (size_t i = 0; i < 1 << 20; i++)
        large[i] = (char)(i * 7 + i / 1000);
    const str contents[] = {{NULL, 0}, STR("a"), STR("blob 1\0x"), {large, 1 << 20}};
    for (size_t i = 0; i < COUNT_OF(contents); i++)
        for (int long_ids = 0; long_ids < 2; long_ids++) {
            uint8_t id[HASH_SIZE];
            const char *format = long_ids ? "sha256" : "sha1";
            size_t n = hash_git_blob(contents[i], long_ids, id);
            CHECK_STR(format, encode_hex(a, (str){(char *)id, n}),
                      git_says(a, format, contents[i]));
        }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads), ARENA_TEST(test_sha256),
        ARENA_TEST(test_hmac),          cmocka_unit_test(test_equal),
        ARENA_TEST(test_table),         cmocka_unit_test(test_table_lengths),
        cmocka_unit_test(test_keyed),   ARENA_TEST(test_content),
        ARENA_TEST(test_git_blob),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
