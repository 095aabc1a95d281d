#include "base/log.h"

#include <fcntl.h>
#include <jansson.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/sbuf.h"
#include "base/utf8.h"
#include "check.h"

/* stderr is a file in memory while a test writes events. */
static int saved_stderr, captured;

static void capture(enum log_level least, enum log_format format)
{
    captured = memfd_create("log", MFD_CLOEXEC);
    fcntl(captured, F_SETFL, O_APPEND); /* its own offset is not safe for threads */
    saved_stderr = dup(STDERR_FILENO);
    assert_true(captured >= 0 && saved_stderr >= 0);
    dup2(captured, STDERR_FILENO);
    log_setup(least, format);
}

static str captured_text(struct arena *a)
{
    dup2(saved_stderr, STDERR_FILENO);
    close(saved_stderr);
    off_t n = lseek(captured, 0, SEEK_END);
    char *text = arena_alloc(a, (size_t)n + 1);
    assert_int_equal(pread(captured, text, (size_t)n, 0), n);
    close(captured);
    log_setup(LOG_INFO, LOG_TEXT);
    return (str){text, (size_t)n};
}

/* One event with one value, in both formats; without the time in the text. */
static str text_of(struct arena *a, str value)
{
    capture(LOG_INFO, LOG_TEXT);
    log_event(LOG_INFO, "test", LOG_STR("v", value));
    return str_skip(captured_text(a), strlen("2026-11-15T09:30:00Z "));
}

static str json_of(struct arena *a, str value)
{
    capture(LOG_INFO, LOG_JSON);
    log_event(LOG_INFO, "test", LOG_STR("v", value));
    return captured_text(a);
}

static const struct {
    const char *name;
    str value;
    const char *text; /* in the text format */
    const char *json; /* the value in JSON, decoded; NULL: as it is */
} values[] = {
    {"plain", STR("127.0.0.1:80"), "127.0.0.1:80", NULL},
    {"empty", STR(""), "\"\"", NULL},
    {"space", STR("a b"), "\"a b\"", NULL},
    {"quote", STR("a\"b"), "\"a\\\"b\"", NULL},
    {"backslash", STR("a\\n"), "\"a\\\\n\"", NULL},
    {"looks like a field", STR("x=1"), "\"x=1\"", NULL},
    {"forged line", STR("x\n2026-11-15T09:30:00Z error forged"),
     "\"x\\n2026-11-15T09:30:00Z error forged\"", NULL},
    {"forged JSON", STR("\"}\n{\"event\":\"forged"),
     "\"\\\"}\\n{\\\"event\\\":\\\"forged\"", NULL},
    {"CR and tab", STR("a\r\tb"), "\"a\\r\\tb\"", NULL},
    {"terminal escape", STR("\x1b[2J"), "\"\\u001b[2J\"", NULL},
    {"DEL", STR("\x7f"), "\"\\u007f\"", NULL},
    {"C1", STR("\xc2\x9b"), "\"\\u009b\"", NULL},
    {"next line", STR("\xc2\x85"), "\"\\u0085\"", NULL},
    {"line separator", STR("\u2028"), "\"\\u2028\"", NULL},
    {"text turned around", STR("\u202egpj"), "\"\\u202egpj\"", NULL},
    {"letters", STR("Größe 😀"), "\"Größe 😀\"", NULL},
    {"invalid", STR("a\xff z"), "\"a\\ufffd z\"", "a\uFFFD z"},
    {"overlong newline", STR("\xc0\x8a"), "\"\\ufffd\\ufffd\"", "\uFFFD\uFFFD"},
};

static void test_SEC_72_text(void **state)
{
    struct arena *a = *state;
    for (size_t i = 0; i < COUNT_OF(values); i++) {
        str want = arena_printf(a, "info test v=%s\n", values[i].text);
        CHECK_STR(values[i].name, text_of(a, values[i].value), want);
    }
    CHECK_STR("NUL", text_of(a, STR("a\0b")), "info test v=\"a\\u0000b\"\n");
}

static void test_json(void **state)
{
    struct arena *a = *state;
    for (size_t i = 0; i < COUNT_OF(values); i++) {
        str line = json_of(a, values[i].value);
        CHECK_INT(values[i].name, str_find_char(line, '\n'), line.n - 1);
        json_t *root = json_loadb(line.p, line.n, JSON_REJECT_DUPLICATES, NULL);
        CHECK(values[i].name, root != NULL);
        CHECK_STR(values[i].name, str_c(json_string_value(json_object_get(root, "v"))),
                  values[i].json != NULL ? values[i].json : values[i].value.p);
        CHECK_STR(values[i].name,
                  str_c(json_string_value(json_object_get(root, "event"))), "test");
        json_decref(root);
    }
}

static void test_fields(void **state)
{
    struct arena *a = *state;
    capture(LOG_DEBUG, LOG_TEXT);
    log_event(LOG_WARN, "listening", LOG_STR("address", STR("::1")),
              LOG_INT("port", 8090), LOG_INT("least", INT64_MIN));
    log_write(LOG_ERROR, "bare", NULL);
    log_event(LOG_DEBUG, "null", LOG_STR("v", (str){0}));
    str text = captured_text(a), line;
    str_next(&text, '\n', &line);
    CHECK_STR("fields", str_skip(line, 21),
              "warn listening address=::1 port=8090 least=-9223372036854775808");
    str_next(&text, '\n', &line);
    CHECK_STR("no fields", str_skip(line, 21), "error bare");
    str_next(&text, '\n', &line);
    CHECK_STR("no text", str_skip(line, 21), "debug null v=\"\"");

    capture(LOG_DEBUG, LOG_JSON);
    log_event(LOG_WARN, "listening", LOG_INT("port", 8090));
    text = captured_text(a);
    CHECK("time", str_starts(text, STR("{\"time\":\"20")));
    CHECK("rest", str_ends(text, STR("Z\",\"level\":\"warn\",\"event\":\"listening\","
                                     "\"port\":8090}\n")));
}

static void test_levels(void **state)
{
    struct arena *a = *state;
    capture(LOG_WARN, LOG_TEXT);
    log_event(LOG_DEBUG, "debug", LOG_INT("n", 1));
    log_event(LOG_INFO, "info", LOG_INT("n", 1));
    CHECK("nothing below the level", captured_text(a).n == 0);
    CHECK("default", !log_enabled(LOG_DEBUG) && log_enabled(LOG_INFO));
}

/* However long the event, the line is complete, short and marked as cut. */
static void test_SEC_72_cut(void **state)
{
    struct arena *a = *state;
    static const char *const units[] = {"a", "\n", "\x01", "é", "😀", "\xff", "\"", " "};
    for (size_t i = 0; i < COUNT_OF(units); i++) {
        struct sbuf long_value = SBUF_ON(a);
        for (int k = 0; k < 6000; k++)
            sbuf_add(&long_value, str_c(units[i]));
        for (int format = LOG_TEXT; format <= LOG_JSON; format++) {
            capture(LOG_INFO, (enum log_format)format);
            log_event(LOG_INFO, "cut", LOG_STR("a", sbuf_str(&long_value)),
                      LOG_STR("b", sbuf_str(&long_value)), LOG_INT("n", 7),
                      LOG_STR("c", sbuf_str(&long_value)),
                      LOG_STR("d", sbuf_str(&long_value)),
                      LOG_STR("e", sbuf_str(&long_value)));
            str line = captured_text(a);
            CHECK(units[i], line.n <= LOG_LINE_MAX);
            CHECK_INT(units[i], str_find_char(line, '\n'), line.n - 1);
            CHECK(units[i], utf8_valid(line));
            CHECK(units[i], str_find(line, STR("cut")) != STR_NONE);
            CHECK(units[i], str_find(line, format == LOG_JSON ? STR("\"n\":7")
                                                              : STR(" n=7")) != STR_NONE);
            json_t *root = json_loadb(line.p, line.n, 0, NULL);
            CHECK(units[i], (root != NULL) == (format == LOG_JSON));
            json_decref(root);
        }
        arena_reset(a);
    }
}

/* Lines of every length around the limit. */
static void test_cut_everywhere(void **state)
{
    struct arena *a = *state;
    char *filler = arena_alloc(a, 1024);
    memset(filler, 'x', 1024);
    capture(LOG_INFO, LOG_JSON);
    for (size_t n = 800; n < 1024; n++)
        log_event(LOG_INFO, "e", LOG_STR("a", ((str){filler, 1000})),
                  LOG_STR("b", ((str){filler, 1000})),
                  LOG_STR("c", ((str){filler, 1000})), LOG_STR("d", ((str){filler, n})),
                  LOG_STR("last", STR("\"\n\"")));
    str text = captured_text(a), line;
    for (size_t n = 800; n < 1024; n++) {
        str_next(&text, '\n', &line);
        assert_true(line.n < LOG_LINE_MAX);
        json_t *root = json_loadb(line.p, line.n, 0, NULL);
        assert_non_null(root);
        json_decref(root);
    }
}

static void *write_many(void *arg)
{
    for (int i = 0; i < 500; i++)
        log_event(LOG_INFO, "thread", LOG_STR("name", str_c(arg)), LOG_INT("i", i));
    return NULL;
}

static void test_threads(void **state)
{
    struct arena *a = *state;
    static char names[4][8] = {"one", "two", "three", "four"};
    pthread_t threads[4];
    capture(LOG_INFO, LOG_JSON);
    for (size_t i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, write_many, names[i]);
    for (size_t i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    str text = captured_text(a), line;
    int lines = 0;
    while (str_next(&text, '\n', &line) && line.n > 0) {
        json_t *root = json_loadb(line.p, line.n, 0, NULL);
        assert_non_null(root);
        json_decref(root);
        lines++;
    }
    CHECK_INT("lines", lines, 2000);
}

/* Reads lines from fd until the lines and those that were dropped are n. */
static void read_until(int fd, int n, int *lines, int *dropped)
{
    FILE *in = fdopen(fd, "r");
    char line[LOG_LINE_MAX + 1];
    *lines = *dropped = 0;
    while (*lines + *dropped < n && fgets(line, sizeof(line), in) != NULL) {
        int64_t count;
        const char *notice = strstr(line, "warn log_dropped lines=");
        if (notice == NULL) {
            (*lines)++;
        } else if (str_to_int(str_trim_line(str_c(strchr(notice, '=') + 1)), &count)) {
            *dropped += (int)count;
        }
    }
    fclose(in);
}

/* Logging does not block while stderr is not read; dropped lines are counted. */
static void test_reader_stops_reading(void **state)
{
    enum { LINES = 10000 };
    int ends[2], lines, dropped;
    struct arena *a = *state;
    char *filler = arena_alloc(a, 100);
    memset(filler, 'x', 100);
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    saved_stderr = dup(STDERR_FILENO);
    dup2(ends[1], STDERR_FILENO);
    close(ends[1]);
    log_setup(LOG_INFO, LOG_TEXT);
    log_start();
    for (int i = 0; i < LINES; i++)
        log_event(LOG_INFO, "unread", LOG_STR("v", ((str){filler, 100})));
    CHECK("not flushed", !log_flush(1));
    log_event(LOG_ERROR, "failure", LOG_INT("n", 1)); /* has room of its own */
    read_until(ends[0], LINES + 1, &lines, &dropped);
    CHECK_INT("each is written or counted", lines + dropped, LINES + 1);
    CHECK("some were kept", lines > LOG_QUEUE_MAX / 2 / 150);
    CHECK("most were dropped", dropped > LINES / 2);
    dup2(saved_stderr, STDERR_FILENO);
    close(saved_stderr);
    log_stop();
}

static void test_queue_in_order(void **state)
{
    struct arena *a = *state;
    capture(LOG_INFO, LOG_TEXT);
    log_start();
    for (int i = 0; i < 1000; i++)
        log_event(LOG_INFO, "n", LOG_INT("i", i));
    log_stop();
    log_event(LOG_INFO, "n", LOG_INT("i", 1000)); /* without the writer again */
    str text = captured_text(a), line;
    for (int i = 0; i <= 1000; i++) {
        str_next(&text, '\n', &line);
        CHECK_STR("line", str_skip(line, 21), arena_printf(a, "info n i=%d", i));
    }
}

/* Events of one kind are also passed on, whatever the lowest level is. */
static char passed_on[128];

static void pass(void *arg, const char *event, const struct log_field *fields)
{
    size_t at = strlen(passed_on);
    snprintf(passed_on + at, sizeof(passed_on) - at, "%s %s=" STR_FMT ";", event,
             fields[0].key, STR_ARG(fields[0].text));
}

static void test_passed_on(void **state)
{
    (void)state;
    log_setup(LOG_ERROR, LOG_TEXT);
    log_also("oauth.", pass, NULL);
    log_event(LOG_INFO, "oauth.key", LOG_STR("user", STR("anna")));
    log_event(LOG_INFO, "request", LOG_STR("user", STR("anna")));
    log_event(LOG_DEBUG, "oauth.refused", LOG_STR("user", STR("anna")));
    log_also(NULL, NULL, NULL);
    log_event(LOG_INFO, "oauth.key", LOG_STR("user", STR("bob")));
    CHECK_STR("passed on", str_c(passed_on), "oauth.key user=anna;");
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_SEC_72_text),    ARENA_TEST(test_json),
        ARENA_TEST(test_fields),         ARENA_TEST(test_levels),
        ARENA_TEST(test_SEC_72_cut),     ARENA_TEST(test_cut_everywhere),
        ARENA_TEST(test_threads),        ARENA_TEST(test_reader_stops_reading),
        ARENA_TEST(test_queue_in_order), ARENA_TEST(test_passed_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
