/*
 * How long it takes to parse and to write a JSON-RPC message of 1 KB, ours against
 * jansson. Rounds of both alternate, so that a busy machine is busy for both; what is
 * printed are medians.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/json.h"
#include "base/json_write.h"
#include "jansson_apart.h"
#include "json_tree.h"

enum { ROUNDS = 301, CALLS = 500 };

static const char message[] =
    "{\"jsonrpc\":\"2.0\",\"id\":4711,\"method\":\"tools/call\",\"params\":{"
    "\"name\":\"edit_note\",\"arguments\":{\"path\":\"Projects/2025/Garden plan.md\","
    "\"seen\":\"9f86d081884c7d659a2feaa0c55ad015\",\"create\":false,\"edits\":["
    "{\"kind\":\"replace_section\",\"heading\":\"Next steps\",\"body\":\"## Next "
    "steps\\n\\n- [ ] order **seeds** for [[Tomatoes]]\\n- [x] measure the beds\\n\\n"
    "See \\\"Soil\\\" in [[Projects/Compost#Ratios|ratios]].\\n\"},"
    "{\"kind\":\"set_property\",\"key\":\"tags\",\"value\":[\"garden\",\"plan\","
    "\"2025/spring\"]},{\"kind\":\"set_property\",\"key\":\"beds\",\"value\":7},"
    "{\"kind\":\"set_property\",\"key\":\"area\",\"value\":12.75},"
    "{\"kind\":\"append\",\"heading\":\"Log\",\"body\":\"Besuch im G\xC3\xA4rtnerhof, "
    "na\xC3\xAFve caf\xC3\xA9 \xE2\x80\x94 alles gr\xC3\xBCn.\\n\",\"newline\":true}],"
    "\"options\":{\"dry_run\":false,\"limit\":50,\"offset\":0,\"sort\":\"modified\","
    "\"order\":null,\"fields\":[\"path\",\"title\",\"tags\",\"modified\"]}},"
    "\"_meta\":{\"progressToken\":\"c0ffee-17\","
    "\"client\":{\"name\":\"example-client\",\"version\":\"1.4.2\",\"protocol\":"
    "\"2025-06-18\"},\"trace\":\"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-"
    "01\"}}}";

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void need(bool ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "bench_json: %s\n", what);
    exit(1);
}

static struct arena request;
static const struct json *ours;
static json_t *theirs;

static void parse_ours(void)
{
    const struct json *j;
    struct err err;
    arena_reset(&request);
    need(json_parse(&request, str_c(message), &j, &err), err.msg);
}

static void parse_jansson(void)
{
    json_t *j = json_loadb(message, sizeof(message) - 1, JSON_REJECT_DUPLICATES, NULL);
    need(j != NULL, "jansson cannot parse the message");
    json_decref(j);
}

static void write_ours(void)
{
    arena_reset(&request);
    struct sbuf out = SBUF_ON(&request);
    struct jsonw w = JSONW_ON(&out);
    json_tree_write(&w, ours);
    need(out.n > sizeof(message) / 2, "too little written");
}

static void write_jansson(void)
{
    char *text = json_dumps(theirs, JSON_COMPACT);
    need(text != NULL, "jansson cannot write the message");
    free(text);
}

static double time_of(void (*call)(void))
{
    double start = now_ns();
    for (int i = 0; i < CALLS; i++)
        call();
    return (now_ns() - start) / CALLS;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void compare(const char *what, void (*mine)(void), void (*other)(void))
{
    static double a[ROUNDS], b[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        a[i] = time_of(mine);
        b[i] = time_of(other);
    }
    qsort(a, ROUNDS, sizeof(*a), by_size);
    qsort(b, ROUNDS, sizeof(*b), by_size);
    double x = a[ROUNDS / 2], y = b[ROUNDS / 2];
    printf("%s %zu bytes: %5.0f ns, jansson %5.0f ns, ratio %.1f\n", what,
           sizeof(message) - 1, x, y, y / x);
}

int main(void)
{
    struct arena a = {0};
    struct err err;
    need(json_parse(&a, str_c(message), &ours, &err), err.msg);
    theirs = json_loadb(message, sizeof(message) - 1, 0, NULL);
    need(theirs != NULL, "jansson cannot parse the message");
    compare("parse", parse_ours, parse_jansson);
    compare("write", write_ours, write_jansson);
    json_decref(theirs);
    arena_release(&request);
    arena_release(&a);
    return 0;
}
