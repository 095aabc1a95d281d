/* Signing in with a password. */
#include "check.h"

#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fs.h"
#include "base/log.h"
#include "oauth/proof/bcrypt.h"
#include "oauth/users.h"
#include "oauth/users_file.h"
#include "until.h"

/* "open sesame" and "s3cret", cost 10; made once with libxcrypt */
static str anna, bob;

static int make_hashes(void **state)
{
    static struct arena a;
    log_setup(LOG_ERROR, LOG_TEXT);
    if (!bcrypt_make(&a, STR("open sesame"), 10, &anna) ||
        !bcrypt_make(&a, STR("s3cret"), 10, &bob))
        return 1;
    *state = &a;
    return 0;
}

static int drop_hashes(void **state)
{
    arena_release(*state);
    return 0;
}

static struct users *make(struct arena *a)
{
    struct users *u;
    struct err err;
    str pairs =
        arena_printf(a, "anna:" STR_FMT ",bob:" STR_FMT, STR_ARG(anna), STR_ARG(bob));
    assert_true(users_create(pairs, STR(""), &u, &err));
    return u;
}

static enum err_code check(struct users *u, str name, str password, str peer)
{
    struct err err = {0};
    unsigned wait;
    return users_check(u, name, password, peer, STR(""), &wait, &err) ? ERR_NONE
                                                                      : err.code;
}

static void test_SEC_48_sign_in(void **state)
{
    struct arena a = {0};
    struct users *u = make(&a);
    char long_password[USERS_PASSWORD_MAX + 1];
    memset(long_password, 'x', sizeof(long_password));
    const struct {
        const char *row;
        str name, password;
        bool ok;
    } rows[] = {
        {"right", STR("anna"), STR("open sesame"), true},
        {"right, the other", STR("bob"), STR("s3cret"), true},
        {"wrong", STR("bob"), STR("s3cret "), false},
        {"of another user", STR("bob"), STR("open sesame"), false},
        {"case", STR("Anna"), STR("open sesame"), false},
        {"unknown", STR("eve"), STR("open sesame"), false},
        {"empty", STR("anna"), STR(""), false},
        {"nothing", (str){0}, (str){0}, false},
        {"trailing NUL", STR("anna"), STR("open sesame\0"), false},
        {"NUL inside", STR("anna"), STR("open sesame\0x"), false},
        {"NUL in the name", STR("anna\0"), STR("open sesame"), false},
        {"the hash", STR("bob"), bob, false},
        {"glued", arena_printf(&a, "anna:" STR_FMT, STR_ARG(anna)), STR("open sesame"),
         false},
        {"too long", STR("anna"), (str){long_password, sizeof(long_password)}, false},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        str peer = arena_printf(&a, "10.0.0.%zu", i);
        CHECK_INT(rows[i].row, check(u, rows[i].name, rows[i].password, peer),
                  rows[i].ok ? ERR_NONE : ERR_DENIED);
        if (!rows[i].ok) /* so that the next one is not refused because of failures */
            assert_int_equal(check(u, STR("anna"), STR("open sesame"), peer), ERR_NONE);
    }
    assert_true(users_known(u, STR("anna")));
    assert_false(users_known(u, STR("eve")));
    users_free(u);
    arena_release(&a);
}

/* A password that is equal only in its first 72 bytes is wrong. */
static void test_long_password(void **state)
{
    struct arena a = {0};
    struct err err;
    struct users *u;
    char password[100];
    str hash;
    memset(password, 'x', sizeof(password));
    assert_true(bcrypt_make(&a, (str){password, 72}, 10, &hash));
    assert_false(bcrypt_make(&a, (str){password, 73}, 10, &hash));
    str pair = arena_printf(&a, "max:" STR_FMT, STR_ARG(hash));
    assert_true(users_create(pair, STR(""), &u, &err));
    assert_int_equal(check(u, STR("max"), (str){password, 72}, STR("p")), ERR_NONE);
    assert_int_equal(check(u, STR("max"), (str){password, 73}, STR("p")), ERR_DENIED);
    assert_int_equal(check(u, STR("max"), (str){password, 100}, STR("p")), ERR_DENIED);
    users_free(u);
    arena_release(&a);
}

static void test_locked(void **state)
{
    struct arena a = {0};
    struct users *u = make(&a);
    struct err err;
    unsigned wait = 0;
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(check(u, STR("anna"), STR("no"), STR("p")), ERR_DENIED);
    assert_false(
        users_check(u, STR("anna"), STR("open sesame"), STR("p"), STR(""), &wait, &err));
    assert_int_equal(err.code, ERR_LIMIT);
    assert_in_range(wait, 1, 30);
    assert_int_equal(check(u, STR("bob"), STR("s3cret"), STR("p")), ERR_NONE);
    assert_int_equal(check(u, STR("anna"), STR("open sesame"), STR("q")), ERR_NONE);
    assert_true(
        users_check(u, STR("anna"), STR("open sesame"), STR("p"), STR("d"), &wait, &err));
    users_free(u);
    arena_release(&a);
}

#define TAIL "abcdefghijklmnopqrstuuABCDEFGHIJKLMNOPQRSTUVWXYZ01234"

static void test_SEC_53_bad_pairs(void **state)
{
    static const struct {
        const char *row, *pairs;
        bool ok;
    } rows[] = {
        {"none", "", true},
        {"2a", "a:$2a$10$" TAIL, true},
        {"2b", "a:$2b$12$" TAIL, true},
        {"2y", "a:$2y$14$" TAIL, true},
        {"spaces around", " a:$2y$10$" TAIL " , b:$2b$10$" TAIL, true},
        {"2x", "a:$2x$10$" TAIL, false},
        {"cheap", "a:$2b$09$" TAIL, false},
        {"costly", "a:$2b$15$" TAIL, false},
        {"no cost", "a:$2b$1x$" TAIL, false},
        {"short", "a:$2b$10$abc", false},
        {"long", "a:$2b$10$" TAIL "x", false},
        {"foreign character",
         "a:$2b$10$!bcdefghijklmnopqrstuuABCDEFGHIJKLMNOPQRSTUVWXYZ0123", false},
        {"plain", "a:secret", false},
        {"md5", "a:$1$abc$abcdefghijklmnopqrstuv", false},
        {"no name", ":$2b$10$" TAIL, false},
        {"no colon", "a", false},
        {"twice", "a:$2b$10$" TAIL ",a:$2b$10$" TAIL, false},
        {"empty entry", "a:$2b$10$" TAIL ",", true},
        {"empty entry inside", "a:$2b$10$" TAIL ",,b:$2b$10$" TAIL, false},
        {"control", "a\tb:$2b$10$" TAIL, false},
        {"not UTF-8", "a\xff:$2b$10$" TAIL, false},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct users *u = NULL;
        struct err err = {0};
        CHECK_INT(rows[i].row, users_create(str_c(rows[i].pairs), STR(""), &u, &err),
                  rows[i].ok);
        CHECK(rows[i].row, strstr(err.msg, "abc") == NULL &&
                               strstr(err.msg, "$1$") == NULL &&
                               strstr(err.msg, "secret") == NULL);
        CHECK(rows[i].row, rows[i].ok || err.code == ERR_INVALID);
        users_free(u);
    }
}

static void write_file(const char *path, str text)
{
    char next[64];
    snprintf(next, sizeof(next), "%s.new", path);
    FILE *f = fopen(next, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(text.p, 1, text.n, f), text.n);
    fclose(f);
    assert_int_equal(rename(next, path), 0);
}

/* A file is replaced whatever memory had in it before. */
static void test_replaced_file(void **state)
{
    enum { DIRT = 1 << 16 };
    struct arena a = {0};
    struct err err = {0};
    char path[] = "/tmp/test_users_XXXXXX";
    close(mkstemp(path));
    write_file(path, STR("# who\nanna:old\nbob:b\n"));
    memset(arena_alloc(&a, DIRT), 'x', DIRT);
    arena_reset(&a);
    if (!users_file_change(&a, str_c(path), STR("anna"), STR("new"), &err))
        fail_msg("%s", err.msg);
    str text;
    assert_true(fs_read_file(&a, str_c(path), DIRT, &text, &err));
    CHECK_STR("replaced", text, "# who\nanna:new\nbob:b\n");
    assert_false(users_file_change(&a, str_c(path), STR("eve"), STR("x"), &err));
    unlink(path);
    arena_release(&a);
}

static void test_file(void **state)
{
    struct arena a = {0};
    struct err err = {0};
    struct users *u = NULL;
    char path[] = "/tmp/test_users_XXXXXX";
    close(mkstemp(path));
    str line = arena_printf(&a, "# who\n\nanna:" STR_FMT "\r\n", STR_ARG(anna));
    write_file(path, line);
    assert_true(users_create(STR(""), str_c(path), &u, &err));
    assert_true(users_any(u));
    assert_int_equal(check(u, STR("anna"), STR("open sesame"), STR("p")), ERR_NONE);
    assert_int_equal(check(u, STR("bob"), STR("s3cret"), STR("p")), ERR_DENIED);

    write_file(path, arena_printf(&a, "bob:" STR_FMT "\n", STR_ARG(bob)));
    assert_int_equal(check(u, STR("bob"), STR("s3cret"), STR("p")), ERR_NONE);
    assert_int_equal(check(u, STR("anna"), STR("open sesame"), STR("p")), ERR_DENIED);
    assert_false(users_known(u, STR("anna")));

    write_file(path, STR("bob:broken\n")); /* the previous users stay */
    assert_int_equal(check(u, STR("bob"), STR("s3cret"), STR("p")), ERR_NONE);
    unlink(path);
    assert_int_equal(check(u, STR("bob"), STR("s3cret"), STR("p")), ERR_NONE);
    users_free(u);

    u = NULL;
    assert_false(users_create(STR(""), str_c(path), &u, &err));
    assert_int_equal(err.code, ERR_NOT_FOUND);
    assert_false(users_create(STR(""), STR("/tmp"), &u, &err));
    assert_null(u);
    arena_release(&a);
}

/* Nothing that asks looks at the file. */
static void test_watched_file(void **state)
{
    (void)state;
    struct arena a = {0};
    struct err err = {0};
    struct users *u;
    char path[] = "/tmp/test_users_XXXXXX";
    close(mkstemp(path));
    write_file(path, arena_printf(&a, "anna:" STR_FMT "\n", STR_ARG(anna)));
    assert_true(users_create(STR(""), str_c(path), &u, &err));
    write_file(path, arena_printf(&a, "bob:" STR_FMT "\n", STR_ARG(bob)));
    assert_true(users_known(u, STR("anna")));
    uint64_t before = users_generation(u);
    assert_true(users_watch(u, &err));
    UNTIL(!users_known(u, STR("anna")));
    assert_true(users_known(u, STR("bob")));
    assert_true(users_generation(u) != before);
    users_free(u);
    unlink(path);
    arena_release(&a);
}

static uint64_t thread_cpu_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* Whether a check takes about the same time for each user. */
static bool takes_the_same_time(str pairs)
{
    static const char *const names[] = {"cheap", "costly", "nobody"};
    struct err err;
    struct users *u;
    uint64_t took[COUNT_OF(names)];
    bool same = true;
    assert_true(users_create(pairs, STR(""), &u, &err));
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        uint64_t from = thread_cpu_ms();
        assert_int_equal(check(u, str_c(names[i]), STR("no"), STR("p")), ERR_DENIED);
        took[i] = thread_cpu_ms() - from;
    }
    for (size_t i = 0; i < COUNT_OF(names); i++)
        same = same && took[i] * 2 > took[1] && took[i] < took[1] * 2;
    users_free(u);
    return same;
}

/* For a cheap hash, a costly hash and an unknown user; it would differ fourfold each time
 * without countermeasures, and differs sometimes because of what else the machine does. */
static void test_SEC_51_time(void **state)
{
    struct arena a = {0};
    str costly;
    assert_true(bcrypt_make(&a, STR("x y"), 12, &costly));
    str pairs = arena_printf(&a, "cheap:" STR_FMT ",costly:" STR_FMT, STR_ARG(anna),
                             STR_ARG(costly));
    bool same = false;
    for (int tries = 0; tries < 20 && !same; tries++)
        same = takes_the_same_time(pairs);
    assert_true(same);
    arena_release(&a);
}

struct rush {
    struct users *users;
    unsigned ok, busy;
    pthread_mutex_t lock;
};

static void *one_of_many(void *arg)
{
    struct rush *r = arg;
    enum err_code code = check(r->users, STR("bob"), STR("s3cret"), STR("p"));
    pthread_mutex_lock(&r->lock);
    r->ok += code == ERR_NONE;
    r->busy += code == ERR_BUSY || code == ERR_LIMIT;
    pthread_mutex_unlock(&r->lock);
    return NULL;
}

static void test_SEC_52_rush(void **state)
{
    struct arena a = {0};
    struct rush r = {.users = make(&a)};
    pthread_t threads[40];
    pthread_mutex_init(&r.lock, NULL);
    for (size_t i = 0; i < COUNT_OF(threads); i++)
        assert_int_equal(pthread_create(&threads[i], NULL, one_of_many, &r), 0);
    for (size_t i = 0; i < COUNT_OF(threads); i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(r.ok + r.busy, COUNT_OF(threads));
    assert_true(r.ok > 0);
    users_free(r.users);
    arena_release(&a);
}

static void test_hash(void **state)
{
    struct arena a = {0};
    struct err err = {0};
    char password[USERS_PASSWORD_MAX + 1];
    str one, two;
    memset(password, 'x', sizeof(password));
    assert_true(users_hash(&a, STR("p\xc3\xa4ss"), &one, &err));
    assert_true(users_hash(&a, STR("p\xc3\xa4ss"), &two, &err));
    assert_false(str_eq(one, two));
    assert_true(bcrypt_is_hash(one) && bcrypt_cost(one) == BCRYPT_COST);
    assert_true(bcrypt_check(STR("p\xc3\xa4ss"), one));
    assert_false(bcrypt_check(STR("p\xc3\xa4s"), one));
    assert_false(users_hash(&a, (str){password, sizeof(password)}, &one, &err));
    assert_int_equal(err.code, ERR_LIMIT);
    assert_false(users_hash(&a, STR(""), &one, &err));
    assert_false(users_hash(&a, STR("a\0b"), &one, &err));
    arena_release(&a);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_replaced_file),
        cmocka_unit_test(test_SEC_48_sign_in),
        cmocka_unit_test(test_long_password),
        cmocka_unit_test(test_locked),
        cmocka_unit_test(test_SEC_53_bad_pairs),
        cmocka_unit_test(test_file),
        cmocka_unit_test(test_watched_file),
        cmocka_unit_test(test_SEC_52_rush),
        cmocka_unit_test(test_hash),
        cmocka_unit_test(test_SEC_51_time),
    };
    return cmocka_run_group_tests(tests, make_hashes, drop_hashes);
}
