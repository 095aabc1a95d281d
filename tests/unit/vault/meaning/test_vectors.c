#include "vault/meaning/vectors.h"

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "check.h"

enum { NUMBERS = 50, ROWS = 20, HEADER = 40, ROW = 24 + NUMBERS };

static const struct vectors_model model = {.id = {1, 2}, .chunk_bytes = 1500};
static const struct vectors_model other = {.id = {3, 4}, .chunk_bytes = 1500};
static char folder[] = "/tmp/test_vectors.XXXXXX", path[64];

static int make_folder(void **state)
{
    (void)state;
    if (mkdtemp(folder) == NULL)
        return 1;
    snprintf(path, sizeof(path), "%s/vectors", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

/* The same vector for the same seed; of length 1. */
static const float *vector_of(unsigned seed)
{
    static float out[NUMBERS];
    float length = 0;
    for (size_t i = 0; i < NUMBERS; i++) {
        seed = seed * 1664525 + 1013904223;
        out[i] = (float)((int)(seed >> 16) % 1000 - 500);
        length += out[i] * out[i];
    }
    for (size_t i = 0; i < NUMBERS; i++)
        out[i] /= sqrtf(length);
    return out;
}

static struct hash_content hash_of(unsigned seed)
{
    return hash_content((str){(const char *)&seed, sizeof(seed)});
}

static void add(struct vectors *v, unsigned seed)
{
    struct err err = {0};
    CHECK("numbers", vectors_set_numbers(v, NUMBERS, &err));
    CHECK(err.msg, vectors_add(v, hash_of(seed), VECTORS_MADE, vector_of(seed), &err));
}

static void make_file(unsigned rows)
{
    struct vectors v;
    unlink(path);
    vectors_init(&v, &model, path);
    for (unsigned i = 0; i < rows; i++)
        add(&v, i);
    vectors_save(&v, true);
    CHECK("saved", !v.failed);
    vectors_release(&v);
}

static size_t found(const struct vectors *v, unsigned rows)
{
    size_t n = 0;
    for (unsigned i = 0; i < rows; i++)
        n += vectors_find(v, hash_of(i)) != VECTORS_NONE;
    return n;
}

static void load(struct vectors *v, const struct vectors_model *of)
{
    vectors_init(v, of, path);
    vectors_load(v, NULL);
}

static void test_cosines(void **state)
{
    struct vectors v;
    vectors_init(&v, &model, NULL);
    for (unsigned i = 0; i < 3000; i++)
        add(&v, i);
    float *cosines = vectors_cosines(&v, *state, vector_of(7));
    CHECK("itself", cosines[7] > 0.999F && cosines[7] < 1.001F);
    for (unsigned i = 0; i < 3000; i += 97) {
        float want = 0, a[NUMBERS];
        memcpy(a, vector_of(i), sizeof(a));
        for (size_t k = 0; k < NUMBERS; k++)
            want += a[k] * vector_of(7)[k];
        CHECK("exact", fabsf(cosines[i] - want) < 0.01F);
        CHECK("pair", fabsf(vectors_cosine(&v, i, 7) - want) < 0.01F);
    }
    vectors_release(&v);
}

static void test_kinds(void **state)
{
    struct vectors v;
    struct err err;
    vectors_init(&v, &model, path);
    add(&v, 0);
    CHECK("unread", vectors_add(&v, hash_of(1), VECTORS_UNREAD, NULL, &err));
    CHECK("refused", vectors_add(&v, hash_of(2), VECTORS_REFUSED, NULL, &err));
    vectors_save(&v, true);
    vectors_release(&v);
    load(&v, &model);
    static const enum vectors_kind kinds[] = {VECTORS_MADE, VECTORS_UNREAD,
                                              VECTORS_REFUSED};
    for (unsigned i = 0; i < 3; i++)
        CHECK_INT("kind", vectors_kind(&v, vectors_find(&v, hash_of(i))), kinds[i]);
    CHECK("none", vectors_cosines(&v, *state, vector_of(0))[1] == VECTORS_NO_COSINE);
    CHECK("other length", !vectors_set_numbers(&v, NUMBERS + 1, &err));
    vectors_release(&v);
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    CHECK_INT("mode", st.st_mode & 0777, 0600);
}

/* Cut at any byte: what is whole is found, and what is added afterwards, too. */
static void test_truncated(void **state)
{
    (void)state;
    for (off_t size = HEADER + ROW * 2; size < HEADER + ROW * 4; size++) {
        struct vectors v;
        make_file(5);
        assert_int_equal(truncate(path, size), 0);
        load(&v, &model);
        size_t whole = (size_t)(size - HEADER) / ROW;
        CHECK_INT("whole", found(&v, 5), whole);
        add(&v, 9);
        vectors_save(&v, true);
        vectors_release(&v);
        load(&v, &model);
        CHECK_INT("after", found(&v, 10), whole + 1);
        CHECK_INT("rows", v.n, whole + 1);
        vectors_release(&v);
    }
}

/* Any byte changed: one row is lost, or the whole file, and nothing else. */
static void test_damaged(void **state)
{
    (void)state;
    make_file(ROWS);
    int fd = open(path, O_RDWR);
    for (off_t at = 0; at < HEADER + ROW * 3; at++) {
        struct vectors v;
        char byte, wrong;
        assert_int_equal(pread(fd, &byte, 1, at), 1);
        wrong = (char)(byte ^ 0x41);
        assert_int_equal(pwrite(fd, &wrong, 1, at), 1);
        load(&v, &model);
        CHECK_INT("found", found(&v, ROWS), at < HEADER ? 0 : ROWS - 1);
        vectors_release(&v);
        assert_int_equal(pwrite(fd, &byte, 1, at), 1);
    }
    close(fd);
}

static void test_other_model(void **state)
{
    (void)state;
    struct vectors v;
    struct vectors_model found_model;
    struct err err;
    make_file(ROWS);
    load(&v, &other);
    CHECK_INT("none", v.n, 0);
    vectors_release(&v);
    CHECK("peek",
          vectors_peek(path, &found_model, &err) && hash_same(found_model.id, model.id));
    unlink(path);
    CHECK("gone", !vectors_peek(path, &found_model, &err) && err.code == ERR_NOT_FOUND);
}

/* The file of a newer version stays as it is: its vectors may have cost a lot. */
static void test_newer(void **state)
{
    (void)state;
    struct vectors v;
    struct stat before, after;
    char now[8];
    make_file(ROWS);
    int fd = open(path, O_RDWR);
    assert_int_equal(pwrite(fd, "2", 1, 7), 1);
    assert_int_equal(fstat(fd, &before), 0);
    load(&v, &model);
    CHECK_INT("none", v.n, 0);
    add(&v, 1);
    vectors_save(&v, true);
    CHECK("not saved", v.failed && strstr(v.why.msg, "newer vaultd") != NULL);
    vectors_release(&v);
    assert_int_equal(fstat(fd, &after), 0);
    assert_int_equal(pread(fd, now, sizeof(now), 0), sizeof(now));
    CHECK("the same", memcmp(now, "vaultdv2", sizeof(now)) == 0);
    CHECK_INT("size", after.st_size, before.st_size);
    close(fd);
}

/* Another process reads what is appended, but no half of a row. */
static void test_followed(void **state)
{
    (void)state;
    struct vectors writer, reader;
    make_file(2);
    load(&writer, &model);
    load(&reader, &model);
    add(&writer, 2);
    vectors_save(&writer, false);
    vectors_load(&reader, NULL);
    CHECK_INT("appended", found(&reader, 5), 3);
    int fd = open(path, O_WRONLY | O_APPEND);
    assert_int_equal(write(fd, "half", 4), 4);
    close(fd);
    vectors_load(&reader, NULL);
    CHECK_INT("half", reader.n, 3);
    add(&writer, 3);
    vectors_save(&writer, true);
    vectors_load(&reader, NULL);
    CHECK_INT("after it", found(&reader, 5), 4);
    CHECK("same file", !vectors_replaced(&reader));
    bool keep[4] = {true, false, true, false};
    struct err err;
    CHECK("rewritten", vectors_rewrite(&writer, keep, &err));
    CHECK("replaced", vectors_replaced(&reader));
    vectors_release(&writer);
    vectors_release(&reader);
    load(&reader, &model);
    CHECK_INT("kept", found(&reader, 5), 2);
    vectors_release(&reader);
}

/* A full disk: nothing is lost that was there, and memory has all. */
static void test_full(void **state)
{
    (void)state;
    struct vectors v;
    struct rlimit before, small = {HEADER + ROW * 3 + 5, RLIM_INFINITY};
    make_file(2);
    load(&v, &model);
    getrlimit(RLIMIT_FSIZE, &before);
    small.rlim_max = before.rlim_max;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    for (unsigned i = 2; i < ROWS; i++) {
        add(&v, i);
        vectors_save(&v, true);
    }
    setrlimit(RLIMIT_FSIZE, &before);
    CHECK("failed", v.failed && v.why.msg[0] != '\0');
    CHECK_INT("in memory", found(&v, ROWS), ROWS);
    vectors_release(&v);
    load(&v, &model);
    CHECK_INT("in the file", found(&v, ROWS), 3);
    vectors_release(&v);
}

static void test_not_writable(void **state)
{
    (void)state;
    struct vectors v;
    vectors_init(&v, &model, "/proc/vectors");
    vectors_load(&v, NULL);
    add(&v, 1);
    vectors_save(&v, true);
    CHECK("failed", v.failed);
    CHECK_INT("in memory", found(&v, 2), 1);
    vectors_release(&v);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_cosines, setup_arena, teardown_arena),
        cmocka_unit_test_setup_teardown(test_kinds, setup_arena, teardown_arena),
        cmocka_unit_test(test_truncated),
        cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_other_model),
        cmocka_unit_test(test_newer),
        cmocka_unit_test(test_followed),
        cmocka_unit_test(test_full),
        cmocka_unit_test(test_not_writable),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
