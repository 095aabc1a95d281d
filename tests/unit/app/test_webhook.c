#include "app/webhook.h"

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

static void test_repetitions(void **state)
{
    struct place *p = *state;
    assert_int_equal(deliver(p, "one", "1", 1000), WEBHOOK_PULL);
    assert_int_equal(deliver(p, "one", "1", 1001), WEBHOOK_SEEN);
    assert_int_equal(deliver(p, "one", "2", 1002), WEBHOOK_SEEN);
    assert_int_equal(deliver(p, "two", "1", 1003), WEBHOOK_SEEN);
    assert_int_equal(deliver(p, "two", "3", 1004), WEBHOOK_PULL);
    assert_int_equal(deliver(p, "one", "1", 1000 + WEBHOOK_WINDOW_S), WEBHOOK_PULL);
}

/* However many come, the latest are remembered. */
static void test_many(void **state)
{
    struct place *p = *state;
    for (int i = 0; i < 3 * WEBHOOK_SEEN_MAX; i++) {
        const char *name = arena_printf(&p->arena, "%d", i).p;
        assert_int_equal(deliver(p, name, name, 1000), WEBHOOK_PULL);
        assert_int_equal(deliver(p, name, name, 1000), WEBHOOK_SEEN);
    }
}

static void test_signatures(void **state)
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
        {"no scheme", {STR("X-Hub-Signature-256"), right}, WEBHOOK_REFUSED},
        {"of another text",
         {STR("X-Hub-Signature-256"),
          arena_printf(&p->arena, "sha256=" STR_FMT, STR_ARG(signature(p, "other")))},
         WEBHOOK_REFUSED},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct http_header header = cases[i].header;
        struct http_request r = {.headers = &header, .n_headers = 1, .body = STR("body")};
        if (webhook_judge(p->hook, &r, 1000) != cases[i].want)
            fail_msg("%s", cases[i].name);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_repetitions, setup, teardown),
        cmocka_unit_test_setup_teardown(test_many, setup, teardown),
        cmocka_unit_test_setup_teardown(test_signatures, setup, teardown),
        cmocka_unit_test(test_bad_secrets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
