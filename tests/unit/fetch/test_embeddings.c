#include "fetch/embeddings.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/sbuf.h"
#include "check.h"
#include "until.h"

/*
 * A server that answers every connection with the same bytes and keeps the last request.
 * Without an answer it keeps connections open, silently.
 */
enum { REQUEST_MAX = 1 << 20, OPEN_MAX = 64 };

struct server {
    pthread_t thread;
    pthread_mutex_t lock;
    int fd, open[OPEN_MAX];
    size_t n_open;
    const char *answer, *refuses; /* what a request must not have; or NULL */
    char *request;
    unsigned requests;
    uint16_t port;
};

#define JSON_HEAD                                                                        \
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n"
#define TWO                                                                              \
    JSON_HEAD "{\"data\":[{\"index\":1,\"embedding\":[0,2]},"                            \
              "{\"index\":0,\"embedding\":[5,0]}]}"
#define STATUS(line) "HTTP/1.1 " line "\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"

/* The whole request: its head, and as much after it as the head says. */
static void read_request(int fd, char *out)
{
    size_t n = 0, want = SIZE_MAX;
    while (n < want && n < REQUEST_MAX - 1) {
        ssize_t got = read(fd, out + n, REQUEST_MAX - 1 - n);
        if (got <= 0)
            break;
        n += (size_t)got;
        out[n] = '\0';
        const char *end = strstr(out, "\r\n\r\n");
        const char *length = strstr(out, "Content-Length: ");
        if (end != NULL && length != NULL)
            want = (size_t)(end + 4 - out) + strtoul(length + 16, NULL, 10);
    }
}

static void *serve(void *arg)
{
    struct server *s = arg;
    for (;;) {
        int fd = accept4(s->fd, NULL, NULL, SOCK_CLOEXEC);
        if (fd < 0)
            return NULL;
        pthread_mutex_lock(&s->lock);
        s->requests++;
        if (s->answer != NULL) {
            read_request(fd, s->request);
            bool bad = s->refuses != NULL && strstr(s->request, s->refuses) != NULL;
            const char *answer = bad ? STATUS("400 Bad Request") : s->answer;
            (void)!write(fd, answer, strlen(answer));
            close(fd);
        } else
            s->open[s->n_open++] = fd;
        pthread_mutex_unlock(&s->lock);
    }
}

static int setup(void **state)
{
    struct server *s = mem_zero(sizeof(*s));
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof(at);
    s->request = mem_zero(REQUEST_MAX);
    s->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(s->fd, (struct sockaddr *)&at, size), 0);
    assert_int_equal(listen(s->fd, 16), 0);
    assert_int_equal(getsockname(s->fd, (struct sockaddr *)&at, &size), 0);
    s->port = ntohs(at.sin_port);
    pthread_mutex_init(&s->lock, NULL);
    assert_int_equal(pthread_create(&s->thread, NULL, serve, s), 0);
    *state = s;
    return 0;
}

static int teardown(void **state)
{
    struct server *s = *state;
    shutdown(s->fd, SHUT_RDWR);
    pthread_join(s->thread, NULL);
    close(s->fd);
    for (size_t i = 0; i < s->n_open; i++)
        close(s->open[i]);
    pthread_mutex_destroy(&s->lock);
    free(s->request);
    free(s);
    return 0;
}

static void answer_with(struct server *s, const char *answer)
{
    pthread_mutex_lock(&s->lock);
    s->answer = answer;
    s->requests = 0;
    pthread_mutex_unlock(&s->lock);
}

static unsigned requests_of(struct server *s)
{
    pthread_mutex_lock(&s->lock);
    unsigned n = s->requests;
    pthread_mutex_unlock(&s->lock);
    return n;
}

/* A copy of the last request. */
static const char *request_of(struct server *s, struct arena *a)
{
    pthread_mutex_lock(&s->lock);
    const char *copy = arena_str(a, str_c(s->request)).p;
    pthread_mutex_unlock(&s->lock);
    return copy;
}

static struct embeddings *client(struct server *s, const char *path)
{
    char url[64];
    snprintf(url, sizeof(url), "http://127.0.0.1:%u%s", s->port, path);
    return embeddings_create(&(struct embeddings_options){
        .url = str_c(url), .model = STR("a model"), .key = STR("sesame")});
}

static const str texts[] = {{"diary of Ada", 12}, {"a \"quoted\" text", 15}};

static bool ask(struct embeddings *e, struct arena *a, bool question, unsigned ms,
                struct err *err)
{
    float *v;
    unsigned numbers;
    return embeddings_ask(e, a,
                          &(struct embeddings_request){.prefix = STR("query: "),
                                                       .texts = texts,
                                                       .n = COUNT_OF(texts),
                                                       .ms = ms,
                                                       .question = question},
                          &v, &numbers, err);
}

static void test_request(void **state)
{
    struct server *s = *state;
    struct arena a = {0};
    struct err err = {0};
    static const char *const paths[] = {"/v1", "/v1/", "/v1/embeddings",
                                        "/v1/embeddings/"};
    const char *sent = NULL;
    answer_with(s, TWO);
    for (size_t i = 0; i < COUNT_OF(paths); i++) {
        struct embeddings *e = client(s, paths[i]);
        CHECK(err.msg, ask(e, &a, false, 60000, &err));
        sent = request_of(s, &a);
        CHECK(sent, strstr(sent, "POST /v1/embeddings HTTP/1.1\r\n") != NULL);
        embeddings_free(e);
    }
    CHECK(sent, strstr(sent, "\r\nAuthorization: Bearer sesame\r\n") != NULL);
    CHECK(sent, strstr(sent, "\r\nContent-Type: application/json\r\n") != NULL);
    const char *body = strstr(sent, "\r\n\r\n");
    CHECK_STR("body", str_c(body + 4),
              "{\"model\":\"a model\",\"input\":[\"query: diary of Ada\","
              "\"query: a \\\"quoted\\\" text\"],\"encoding_format\":\"float\"}");
    arena_release(&a);
}

/* Each misbehaviour has its code, and no message has the key or a text. */
static void test_answers(void **state)
{
    struct server *s = *state;
    static const struct {
        const char *answer, *message;
        enum err_code code;
    } rows[] = {
        {STATUS("429 Too Many Requests"), "answered with status 429", ERR_BUSY},
        {STATUS("500 Oops"), "answered with status 500", ERR_BUSY},
        {STATUS("404 Not Found"),
         "has no such address or model (404): check embeddings and embeddings-model",
         ERR_BUSY},
        {STATUS("401 Unauthorized"),
         "did not accept the key (401): check embeddings-key-file", ERR_DENIED},
        {STATUS("403 Forbidden"),
         "did not accept the key (403): check embeddings-key-file", ERR_DENIED},
        {STATUS("307 Temporary Redirect\r\nLocation: http://127.0.0.1:9/v1/embeddings"),
         "redirects to another address: name that one", ERR_DENIED},
        {STATUS("400 Bad Request"),
         "refuses every text: check embeddings-model and embeddings-dimensions",
         ERR_DENIED},
        {JSON_HEAD "<h1>diary of Ada, sesame</h1>", "did not answer with JSON", ERR_BUSY},
        {JSON_HEAD "{\"error\":\"diary of Ada, sesame\"}", "returned no embeddings",
         ERR_BUSY},
        {"HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n{\"data\":[",
         "could not be reached: Transferred a partial file", ERR_BUSY},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct arena a = {0};
        struct err err = {0};
        char want[200];
        struct embeddings *e = client(s, "/v1");
        answer_with(s, rows[i].answer);
        CHECK(rows[i].message, !ask(e, &a, false, 60000, &err));
        snprintf(want, sizeof(want), "the embeddings endpoint 127.0.0.1 %s",
                 rows[i].message);
        CHECK_STR(rows[i].message, str_c(err.msg), want);
        CHECK_INT(rows[i].message, err.code, rows[i].code);
        CHECK(rows[i].message, strstr(err.detail, "Ada") == NULL);
        CHECK(rows[i].message, strstr(err.detail, "sesame") == NULL);
        embeddings_free(e);
        arena_release(&a);
    }
}

/* A server that does not know encoding_format is asked without it. */
static void test_terse(void **state)
{
    struct server *s = *state;
    struct arena a = {0};
    struct err err = {0};
    struct embeddings *e = client(s, "/v1");
    s->refuses = "encoding_format";
    answer_with(s, JSON_HEAD "{\"data\":[{\"index\":0,\"embedding\":[1]}]}");
    float *v;
    unsigned numbers;
    struct embeddings_request one = {.texts = texts, .n = 1, .ms = 60000};
    assert_true(embeddings_ask(e, &a, &one, &v, &numbers, &err));
    assert_int_equal(requests_of(s), 4); /* refused, probe refused, probe, answered */
    assert_true(embeddings_ask(e, &a, &one, &v, &numbers, &err));
    assert_int_equal(requests_of(s), 5);
    embeddings_free(e);
    arena_release(&a);
}

/* After it has accepted texts, 400 is about a text. */
static void test_refused_text(void **state)
{
    struct server *s = *state;
    struct arena a = {0};
    struct err err = {0};
    struct embeddings *e = client(s, "/v1");
    answer_with(s, TWO);
    assert_true(ask(e, &a, false, 60000, &err));
    answer_with(s, STATUS("400 Bad Request"));
    assert_false(ask(e, &a, false, 60000, &err));
    assert_int_equal(err.code, ERR_INVALID);
    assert_int_equal(requests_of(s), 1);
    embeddings_free(e);
    arena_release(&a);
}

/* A question that was not answered keeps the next ones from waiting. */
static void test_rest(void **state)
{
    struct server *s = *state;
    struct arena a = {0};
    struct err err = {0};
    struct embeddings *e = client(s, "/v1");
    answer_with(s, NULL);
    assert_false(ask(e, &a, true, 100, &err));
    assert_int_equal(err.name, E_TIMEOUT);
    assert_string_equal(err.msg,
                        "the embeddings endpoint 127.0.0.1 did not answer within 100 ms");
    assert_in_range(embeddings_rest_ms(e), 1, EMBEDDINGS_REST_MS);
    UNTIL(requests_of(s) == 1); /* the server may accept it later than we give up */
    answer_with(s, TWO);
    assert_false(ask(e, &a, true, 60000, &err));
    assert_int_equal(err.code, ERR_BUSY);
    assert_non_null(strstr(err.msg, "failed a moment ago and is asked again in "));
    assert_int_equal(requests_of(s), 0);
    assert_true(ask(e, &a, false, 60000, &err)); /* the builder may */
    embeddings_free(e);
    arena_release(&a);
}

static void test_retry_after(void **state)
{
    struct server *s = *state;
    static const struct {
        const char *answer;
        unsigned least, most; /* milliseconds */
    } rows[] = {
        {STATUS("429 Slow Down\r\nRetry-After: 30"), 20000, 30000},
        {STATUS("503 Later\r\nRetry-After: 999999999"), 3500000, 3600000},
        {STATUS("429 Slow Down\r\nRetry-After: -5"), 0, 0},
        {STATUS("429 Slow Down\r\nRetry-After: soon"), 0, 0},
        {STATUS("429 Slow Down"), 0, 0},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct arena a = {0};
        struct err err = {0};
        struct embeddings *e = client(s, "/v1");
        answer_with(s, rows[i].answer);
        CHECK(rows[i].answer, !ask(e, &a, false, 60000, &err));
        unsigned rest = embeddings_rest_ms(e);
        CHECK(rows[i].answer, rest >= rows[i].least && rest <= rows[i].most);
        embeddings_free(e);
        arena_release(&a);
    }
}

static void test_limits(void **state)
{
    struct server *s = *state;
    struct arena a = {0};
    struct embeddings *e = client(s, "/v1");
    str many[EMBEDDINGS_TEXTS + 1];
    float *v;
    unsigned numbers;
    char *long_text = mem_zero(EMBEDDINGS_BYTES + 1);
    memset(long_text, 'x', EMBEDDINGS_BYTES + 1);
    for (size_t i = 0; i < COUNT_OF(many); i++)
        many[i] = STR("x");
    str one = {long_text, EMBEDDINGS_BYTES + 1};
    const struct embeddings_request rows[] = {
        {.texts = many, .n = COUNT_OF(many), .ms = 1000},
        {.texts = many, .n = 0, .ms = 1000},
        {.texts = &one, .n = 1, .ms = 1000},
    };
    answer_with(s, TWO);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct err err = {0};
        assert_false(embeddings_ask(e, &a, &rows[i], &v, &numbers, &err));
        assert_int_equal(err.code, ERR_LIMIT);
    }
    assert_int_equal(requests_of(s), 0);
    free(long_text);
    embeddings_free(e);
    arena_release(&a);
}

static void test_public_http(void **state)
{
    struct arena a = {0};
    struct err err = {0};
    struct embeddings *e = embeddings_create(
        &(struct embeddings_options){.url = STR("http://192.0.2.1/v1")});
    assert_false(ask(e, &a, false, 60000, &err));
    assert_int_equal(err.code, ERR_DENIED);
    assert_string_equal(err.msg, "the embeddings endpoint 192.0.2.1 is a public address, "
                                 "so it needs https, not http");
    embeddings_free(e);
    arena_release(&a);
}

static void test_check_url(void **state)
{
    static const struct {
        const char *url;
        bool ok;
    } rows[] = {{"http://127.0.0.1:11434/v1", true},
                {"https://api.openai.com/v1/", true},
                {"localhost:11434", false},
                {"http://key@localhost/v1", false},
                {"https://api.example/v1?key=x", false},
                {"https://api.example/v1#x", false}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct err err = {0};
        CHECK_INT(rows[i].url, embeddings_check_url(str_c(rows[i].url), &err),
                  rows[i].ok);
    }
}

#define SERVER_TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        SERVER_TEST(test_request),
        SERVER_TEST(test_answers),
        SERVER_TEST(test_terse),
        SERVER_TEST(test_refused_text),
        SERVER_TEST(test_rest),
        SERVER_TEST(test_retry_after),
        SERVER_TEST(test_limits),
        {"SEC-126: http only on the own network", test_public_http, NULL, NULL, NULL},
        cmocka_unit_test(test_check_url),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
