#include "app/setup/audit.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/json.h"
#include "base/log.h"
#include "check.h"

struct place {
    struct arena arena;
    char top[64], file[96];
};

static int setup(void **state)
{
    struct place *p = mem_zero(sizeof(*p));
    log_setup(LOG_ERROR + 1, LOG_TEXT);
    snprintf(p->top, sizeof(p->top), "/tmp/vaultd-test-audit-XXXXXX");
    assert_non_null(mkdtemp(p->top));
    snprintf(p->file, sizeof(p->file), "%s/own/calls.jsonl", p->top);
    *state = p;
    return 0;
}

static int teardown(void **state)
{
    struct place *p = *state;
    char command[128];
    snprintf(command, sizeof(command), "rm -rf %s", p->top);
    assert_int_equal(system(command), 0);
    arena_release(&p->arena);
    free(p);
    return 0;
}

static struct audit *open_audit(struct place *p, enum audit_fail fail)
{
    struct audit *a;
    struct err err = {0};
    struct settings_audit s = {.to = str_c(p->file), .fail = fail};
    if (!audit_open(&s, &a, &err))
        fail_msg("%s (%s)", err.msg, err.detail);
    audit_start(a);
    return a;
}

static str written(struct place *p)
{
    str text;
    struct err err = {0};
    if (!fs_read_file(&p->arena, str_c(p->file), 8 << 20, &text, &err))
        fail_msg("%s", err.msg);
    return text;
}

static str line_with(struct place *p, str value)
{
    struct audit_line l;
    audit_line_begin(&l, &p->arena, "call");
    audit_line_str(&l, "client", value);
    return audit_line_end(&l);
}

/* Whatever a client calls itself, a line is one line of plain JSON that gives it back. */
static void test_no_line_is_forged(void **state)
{
    struct place *p = *state;
    static const char *const names[] = {
        "two\nlines",
        "\"},{\"event\":\"call\"",
        "esc\x1b[2J",
        "\xe2\x80\xaegnp.exe",
        "zero\xe2\x80\x8bwidth",
        "\xef\xbb\xbf",
        "bad \xff\xfe utf",
        "\\",
        "tab\tcr\r",
        "caf\xc3\xa9 \xe6\x97\xa5",
        "c1 \xc2\x9b",
        "line\xe2\x80\xa8sep",
    };
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        const struct json *j;
        struct err err = {0};
        str line = line_with(p, str_c(names[i]));
        CHECK_INT(names[i], str_find_char(line, '\n'), line.n - 1);
        for (size_t b = 0; b + 1 < line.n; b++)
            CHECK(names[i], (uint8_t)line.p[b] >= ' ' && line.p[b] != 0x7F);
        CHECK(names[i], str_find(line, STR("\xe2\x80")) == STR_NONE);
        CHECK(names[i], str_find(line, STR("\xc2\x9b")) == STR_NONE);
        if (!json_parse(&p->arena, line, &j, &err))
            fail_msg("%s: %s", names[i], err.msg);
        CHECK_INT(names[i], j->n, 3);
    }
}

static void test_limits(void **state)
{
    struct place *p = *state;
    struct audit_line l;
    const struct json *j;
    struct err err = {0};
    str items[AUDIT_PATHS_MAX + 3];
    char *huge = mem_alloc(2 * AUDIT_VALUE_MAX);
    for (size_t i = 0; i < 2 * AUDIT_VALUE_MAX; i += 2)
        memcpy(huge + i, "\xc3\xa9", 2);
    for (size_t i = 0; i < COUNT_OF(items); i++)
        items[i] = arena_printf(&p->arena, "%zu.md", i);
    audit_line_begin(&l, &p->arena, "call");
    audit_line_str(&l, "client", (str){huge + 1, 2 * AUDIT_VALUE_MAX - 1});
    audit_line_list(&l, "read", "read_more", items, COUNT_OF(items), 7);
    audit_line_list(&l, "changed", "changed_more", items, 1, 0);
    audit_line_list(&l, "none", "none_more", items, 0, 0);
    assert_true(json_parse(&p->arena, audit_line_end(&l), &j, &err));
    int64_t more = 0;
    CHECK_INT("shown", json_get(j, STR("read"))->n, AUDIT_PATHS_MAX);
    CHECK("more", json_int(json_get(j, STR("read_more")), &more) && more == 10);
    CHECK("no more", json_get(j, STR("changed_more")) == NULL);
    CHECK("none", json_get(j, STR("none")) == NULL);
    CHECK("cut", json_get_true(j, STR("cut")));
    CHECK("not much longer", json_get_str(j, STR("client")).n <= AUDIT_VALUE_MAX + 4);
    free(huge);
}

static void test_written(void **state)
{
    struct place *p = *state;
    struct audit *a = open_audit(p, AUDIT_REFUSE);
    struct err err = {0};
    struct audit_state s;
    CHECK("refuses", audit_refuses(a) && !audit_refuses(NULL));
    CHECK("one", audit_put_wait(a, STR("one\n"), &err));
    CHECK_STR("it is there", written(p), "one\n");
    audit_put(a, STR("two\n"));
    CHECK("three", audit_put_wait(a, STR("three\n"), &err));
    CHECK_STR("in order", written(p), "one\ntwo\nthree\n");
    audit_state(a, &s);
    CHECK_INT("lines", s.lines, 3);
    CHECK_INT("lost", s.lost, 0);
    audit_put(a, STR("last\n"));
    audit_close(a);
    CHECK_STR("until the end", written(p), "one\ntwo\nthree\nlast\n");
}

static void limit_files(rlim_t bytes)
{
    struct rlimit limit;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* A full disk: the call fails, lines are counted, and the next one says so. */
static void test_full_disk(void **state)
{
    struct place *p = *state;
    struct audit *a = open_audit(p, AUDIT_REFUSE);
    struct err err = {0};
    struct audit_state s;
    CHECK("room", audit_put_wait(a, STR("one\n"), &err));
    limit_files(4);
    CHECK("full", !audit_put_wait(a, STR("two\n"), &err));
    CHECK_STR("its name", str_c(err_name_text(err.name)), "AUDIT_UNAVAILABLE");
    audit_state(a, &s);
    CHECK("failing", s.failing_ms > 0 && s.why[0] != '\0');
    CHECK_INT("lost", s.lost, 1);
    limit_files(RLIM_INFINITY);
    CHECK("room again", audit_put_wait(a, STR("three\n"), &err));
    audit_state(a, &s);
    CHECK("well", s.failing_ms == 0);
    str text = written(p);
    CHECK("says so",
          str_find(text, STR("\"event\":\"audit.lost\",\"lines\":1}\nthree\n")) !=
              STR_NONE);
    audit_close(a);
}

/* A queue that is full drops lines instead of waiting, and counts them. */
static void test_queue_is_bounded(void **state)
{
    struct place *p = *state;
    struct audit *a;
    struct err err = {0};
    struct audit_state s;
    struct settings_audit settings = {.to = str_c(p->file)};
    assert_true(audit_open(&settings, &a, &err)); /* nothing writes yet */
    char *line = mem_alloc(1 << 16);
    memset(line, 'x', 1 << 16);
    line[(1 << 16) - 1] = '\n';
    for (int i = 0; i < 20; i++)
        audit_put(a, (str){line, 1 << 16});
    audit_state(a, &s);
    CHECK_INT("dropped", s.lost, 20 - (AUDIT_QUEUE_MAX >> 16));
    audit_start(a);
    audit_close(a);
    str text = written(p);
    CHECK("says so",
          str_find(text, STR("\"event\":\"audit.lost\",\"lines\":4")) != STR_NONE);
    free(line);
}

static void test_refused(void **state)
{
    struct place *p = *state;
    static const char *const wrong[] = {"/tmp/calls", "/calls", "/var/log/calls"};
    struct audit *a;
    struct err err = {0};
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        struct settings_audit s = {.to = str_c(wrong[i])};
        CHECK(wrong[i], !audit_open(&s, &a, &err));
        CHECK(wrong[i], str_find(str_c(err.msg), STR("folder of its own")) != STR_NONE);
    }
    CHECK("off",
          audit_open(&(struct settings_audit){.to = STR("off")}, &a, &err) && a == NULL);
    CHECK("no file", audit_file(&p->arena, STR("journald")) == NULL &&
                         audit_file(&p->arena, STR("off")) == NULL);
    CHECK("absolute", audit_file(&p->arena, STR("a/b"))[0] == '/');
    audit_put(NULL, STR("nothing\n"));
    audit_close(NULL);
}

#define AUDIT_TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        AUDIT_TEST(test_no_line_is_forged), AUDIT_TEST(test_limits),
        AUDIT_TEST(test_written),           AUDIT_TEST(test_full_disk),
        AUDIT_TEST(test_queue_is_bounded),  AUDIT_TEST(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
