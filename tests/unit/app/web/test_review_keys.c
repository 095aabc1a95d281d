/* Who a person in a browser is, without sign-in: only a browser that opened a link of the command line is admitted. */
#include "app/web/review_keys.h"

#include "base/sbuf.h"
#include "check.h"

/* The cookie that the answer sets, as a browser sends it back; empty: none. */
static str cookie_of(struct arena *a, const struct http_response *r)
{
    for (size_t i = 0; i < r->n_headers; i++)
        if (str_eq(r->headers[i].name, STR("Set-Cookie"))) {
            str value = r->headers[i].value, first;
            CHECK("not for scripts", str_find(value, STR("; HttpOnly")) != STR_NONE);
            CHECK("not for other sites",
                  str_find(value, STR("; SameSite=Strict")) != STR_NONE);
            return str_next(&value, ';', &first) ? arena_str(a, first) : STR("");
        }
    return STR("");
}

static bool admits(struct review_keys *k, str cookies)
{
    struct http_header headers[] = {{STR("host"), STR("localhost")},
                                    {STR("cookie"), cookies}};
    struct http_request r = {.headers = headers, .n_headers = 2};
    return review_keys_admit(k, &r);
}

/* The cookie for a key; empty: refused. */
static str redeem(struct review_keys *k, struct arena *a, str key)
{
    struct http_response out = {0};
    bool ok = review_keys_redeem(k, a, key, &out);
    str cookie = cookie_of(a, &out);
    CHECK("a cookie only with a key", ok == (cookie.n > 0));
    return cookie;
}

static void test_key(void **state)
{
    struct arena *a = *state;
    struct review_keys *k = review_keys_create();
    str key = review_keys_new(k, a), other = review_keys_new(k, a);
    CHECK("two keys", !str_eq(key, other) && key.n >= 32);
    CHECK_STR("not a key", redeem(k, a, STR("")), "");
    CHECK_STR("not one of ours", redeem(k, a, STR("abc")), "");
    CHECK_STR("a part", redeem(k, a, str_slice(key, 0, key.n - 1)), "");
    str cookie = redeem(k, a, key);
    CHECK("admitted", admits(k, cookie));
    CHECK_STR("once", redeem(k, a, key), "");
    CHECK("still", admits(k, cookie));
    str value = str_skip(cookie, str_find_char(cookie, '=') + 1);
    CHECK_STR("a cookie is no key", redeem(k, a, value), "");
    CHECK("a key is no cookie",
          !admits(k, arena_printf(a, "vaultd_review=" STR_FMT, STR_ARG(other))));
    review_keys_free(k);
}

static void test_cookies(void **state)
{
    static const struct {
        const char *before, *after;
        bool admitted;
    } rows[] = {
        {"", "", true},
        {"a=b; ", "", true},
        {"a=b;", ";c=d", true},
        {"vaultd_review=wrong; ", "", true}, /* of another path or port */
        {"x", "", false},
        {"a=", "", false},
        {"", "x", false},
        {"\"", "\"", false},
    };
    struct arena *a = *state;
    struct review_keys *k = review_keys_create();
    str cookie = redeem(k, a, review_keys_new(k, a));
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        str all = arena_printf(a, "%s" STR_FMT "%s", rows[i].before, STR_ARG(cookie),
                               rows[i].after);
        CHECK_INT(all.p, admits(k, all), rows[i].admitted);
    }
    struct http_request bare = {0};
    CHECK("no cookie", !review_keys_admit(k, &bare));
    struct review_keys *restarted = review_keys_create();
    CHECK("of another server", !admits(restarted, cookie));
    review_keys_free(restarted);
    review_keys_free(k);
}

/* The one that ends first gives way. */
static void test_limits(void **state)
{
    struct arena *a = *state;
    struct review_keys *k = review_keys_create();
    str keys[REVIEW_KEYS_MAX + 1], cookies[REVIEW_KEYS_MAX];
    for (size_t i = 0; i < COUNT_OF(keys); i++)
        keys[i] = review_keys_new(k, a);
    size_t left = 0;
    for (size_t i = 0; i < COUNT_OF(keys); i++) {
        str cookie = redeem(k, a, keys[i]);
        if (cookie.n > 0)
            cookies[left++] = cookie;
    }
    CHECK_INT("keys", left, REVIEW_KEYS_MAX);
    CHECK("the last one", admits(k, cookies[left - 1]));
    str newest = redeem(k, a, review_keys_new(k, a));
    CHECK("the newest", admits(k, newest));
    size_t admitted = 0;
    for (size_t i = 0; i < left; i++)
        admitted += admits(k, cookies[i]);
    CHECK_INT("sessions", admitted, REVIEW_KEYS_MAX - 1);
    review_keys_free(k);
}

static void test_without(void **state)
{
    struct http_response out = {0};
    CHECK("no keys", !review_keys_redeem(NULL, *state, STR("x"), &out));
    CHECK("nobody", !admits(NULL, STR("vaultd_review=x")));
    CHECK_INT("no header", out.n_headers, 0);
    review_keys_free(NULL);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_key),
        ARENA_TEST(test_cookies),
        ARENA_TEST(test_limits),
        ARENA_TEST(test_without),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
