#include "app/setup/metrics.h"

#include "check.h"

static bool has(struct arena *a, const struct metrics *m, const char *line)
{
    struct sbuf b = SBUF_ON(a);
    metrics_print(m, &b);
    str want = arena_printf(a, "\n%s\n", line);
    return str_find(sbuf_str(&b), want) != STR_NONE;
}

static void test_counts(void **state)
{
    struct arena a = {0};
    struct metrics *m = mem_zero(sizeof(*m));
    metrics_request(m, 200, 70);
    metrics_request(m, 204, 70);
    metrics_request(m, 401, 20000000);
    metrics_request(m, 0, 1);
    assert_true(has(&a, m, "vaultd_http_requests_total{status=\"2xx\"} 2"));
    assert_true(has(&a, m, "vaultd_http_requests_total{status=\"4xx\"} 1"));
    assert_true(has(&a, m, "vaultd_http_requests_total{status=\"gone\"} 1"));
    assert_true(has(&a, m, "vaultd_http_request_seconds_bucket{le=\"5e-05\"} 1"));
    assert_true(has(&a, m, "vaultd_http_request_seconds_bucket{le=\"0.0001\"} 3"));
    assert_true(has(&a, m, "vaultd_http_request_seconds_bucket{le=\"10\"} 3"));
    assert_true(has(&a, m, "vaultd_http_request_seconds_bucket{le=\"+Inf\"} 4"));
    assert_true(has(&a, m, "vaultd_http_request_seconds_count 4"));
    free(m);
    arena_release(&a);
}

static void test_names(void **state)
{
    struct arena a = {0};
    struct metrics *m = mem_zero(sizeof(*m));
    metrics_called(m, "vault_read", false, 5);
    metrics_called(m, "vault_read", true, 5);
    assert_true(has(&a, m, "vaultd_calls_total{name=\"vault_read\",outcome=\"ok\"} 1"));
    assert_true(
        has(&a, m, "vaultd_calls_total{name=\"vault_read\",outcome=\"error\"} 1"));
    for (int i = 0; i < 2 * METRICS_NAMES; i++)
        metrics_called(m, arena_printf(&a, "name%d", i).p, false, 5);
    str other = arena_printf(&a, "vaultd_calls_total{name=\"other\",outcome=\"ok\"} %d",
                             METRICS_NAMES + 1);
    assert_true(has(&a, m, other.p));
    free(m);
    arena_release(&a);
}

static void test_process(void **state)
{
    struct arena a = {0};
    struct sbuf b = SBUF_ON(&a);
    metrics_process(&b);
    assert_true(str_find(sbuf_str(&b), STR("\nprocess_resident_memory_bytes ")) !=
                STR_NONE);
    assert_true(str_find(sbuf_str(&b), STR("\nprocess_open_fds ")) != STR_NONE);
    arena_release(&a);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
