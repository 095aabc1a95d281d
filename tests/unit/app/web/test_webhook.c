#include "app/web/webhook.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/encode.h"
#include "base/hash.h"
#include "check.h"

#define SECRET "a secret of the forge"

struct place {
    struct arena arena;
    struct webhook *hook;
};

static int setup(void **state)
{
    struct place *p = mem_zero(sizeof(*p));
    struct err err = {0};
    char file[] = "/tmp/vaultd-test-webhook-XXXXXX";
    int fd = mkstemp(file);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, SECRET "\n", sizeof(SECRET)), sizeof(SECRET));
    close(fd);
    if (!webhook_create(str_c(file), NULL, &p->hook, &err))
        fail_msg("%s", err.msg);
    unlink(file);
    *state = p;
    return 0;
}

static int teardown(void **state)
{
    struct place *p = *state;
    webhook_free(p->hook);
    arena_release(&p->arena);
    free(p);
    return 0;
}

static str signature(struct place *p, const char *body)
{
    uint8_t mac[HASH_SIZE];
    hash_hmac(STR(SECRET), str_c(body), mac);
    return encode_hex(&p->arena, (str){(const char *)mac, sizeof(mac)});
}

static enum webhook_answer deliver(struct place *p, const char *body, const char *id,
                                   int64_t now)
{
    struct http_header headers[] = {
        {STR("x-gitea-signature"), signature(p, body)},
        {STR("x-gitea-delivery"), str_c(id)},
    };
    struct http_request r = {
        .headers = headers, .n_headers = COUNT_OF(headers), .body = str_c(body)};
    return webhook_judge(p->hook, &r, now);
}

static void test_SEC_125_repetitions(void **state)
{
    struct place *p = *state;
    assert_int_equal(deliver(p, "one", "1", 1000), WEBHOOK_PULL);
    assert_int_equal(deliver(p, "one", "1", 1001), WEBHOOK_SEEN);
    assert_int_equal(deliver(p, "one", "2", 1002), WEBHOOK_SEEN);
    assert_int_equal(deliver(p, "two", "1", 1003), WEBHOOK_SEEN);
    assert_int_equal(deliver(p, "two", "3", 1004), WEBHOOK_PULL);
    assert_int_equal(deliver(p, "one", "1", 1000 + WEBHOOK_WINDOW_S), WEBHOOK_PULL);
}

/* However many arrive, the latest are remembered. */
static void test_many(void **state)
{
    struct place *p = *state;
    for (int i = 0; i < 3 * WEBHOOK_SEEN_MAX; i++) {
        const char *name = arena_printf(&p->arena, "%d", i).p;
        assert_int_equal(deliver(p, name, name, 1000), WEBHOOK_PULL);
        assert_int_equal(deliver(p, name, name, 1000), WEBHOOK_SEEN);
    }
}

static void test_SEC_125_signatures(void **state)
{
    struct place *p = *state;
    str right = signature(p, "body");
    const struct {
        const char *name;
        struct http_header header;
        enum webhook_answer want;
    } cases[] = {
        {"none", {STR("x-other"), STR("")}, WEBHOOK_REFUSED},
        {"gitea", {STR("X-Gitea-Signature"), right}, WEBHOOK_PULL},
        {"empty", {STR("X-Gitea-Signature"), STR("")}, WEBHOOK_REFUSED},
        {"short",
         {STR("X-Gitea-Signature"), str_slice(right, 0, right.n - 1)},
         WEBHOOK_REFUSED},
        {"gitlab", {STR("X-Gitlab-Token"), STR(SECRET)}, WEBHOOK_PULL},
        {"gitlab, another secret",
         {STR("X-Gitlab-Token"), STR("a secret of the forgf")},
         WEBHOOK_REFUSED},
        {"gitlab, half of it", {STR("X-Gitlab-Token"), STR("a secret")}, WEBHOOK_REFUSED},
        {"gitlab, nothing", {STR("X-Gitlab-Token"), STR("")}, WEBHOOK_REFUSED},
        {"gitlab, signed", {STR("X-Gitlab-Token"), right}, WEBHOOK_REFUSED},
        {"no scheme", {STR("X-Hub-Signature-256"), right}, WEBHOOK_REFUSED},
        {"signature of another text",
         {STR("X-Hub-Signature-256"),
          arena_printf(&p->arena, "sha256=" STR_FMT, STR_ARG(signature(p, "other")))},
         WEBHOOK_REFUSED},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct http_header header = cases[i].header;
        struct http_request r = {.headers = &header, .n_headers = 1, .body = STR("body")};
        int64_t later = 1000 + (int64_t)i * WEBHOOK_WINDOW_S; /* no repetition */
        if (webhook_judge(p->hook, &r, later) != cases[i].want)
            fail_msg("%s", cases[i].name);
    }
}

/* Only pushes cause a pull, whatever name a forge gives them. */
static void test_events(void **state)
{
    struct place *p = *state;
    static const struct {
        const char *event;
        enum webhook_answer want;
    } cases[] = {{"Tag Push Hook", WEBHOOK_IGNORED},
                 {"push", WEBHOOK_IGNORED},
                 {"Push Hook", WEBHOOK_PULL},
                 {"Push Hook", WEBHOOK_SEEN}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct http_header headers[] = {{STR("X-Gitlab-Token"), STR(SECRET)},
                                        {STR("X-Gitlab-Event"), str_c(cases[i].event)}};
        struct http_request r = {
            .headers = headers, .n_headers = COUNT_OF(headers), .body = STR("body")};
        if (webhook_judge(p->hook, &r, 1000) != cases[i].want)
            fail_msg("%s", cases[i].event);
    }
}

static void test_bad_secrets(void **state)
{
    struct webhook *hook;
    struct err err = {0};
    assert_false(webhook_create(STR("/no/such/file"), NULL, &hook, &err));
    assert_int_equal(err.code, ERR_INVALID);
    assert_false(webhook_create(STR("/dev/null"), NULL, &hook, &err));
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_SEC_125_repetitions, setup, teardown),
        cmocka_unit_test_setup_teardown(test_many, setup, teardown),
        cmocka_unit_test_setup_teardown(test_SEC_125_signatures, setup, teardown),
        cmocka_unit_test_setup_teardown(test_events, setup, teardown),
        cmocka_unit_test(test_bad_secrets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
