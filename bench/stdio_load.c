/*
 * stdio_load [-p] [-d DEPTH] [-w ROUNDS] [-r ROUNDS] [-t MS] SERVER [-- SERVER]...
 * where SERVER is LABEL REQUEST COMMAND...
 *
 * Keeps DEPTH requests in flight to an MCP server over stdio. All servers run at the same
 * time and take turns of MS milliseconds; who waits costs nothing. REQUEST is what
 * follows the id: "method":"tools/call","params":{...}. Every answer must be a result.
 * One JSON line for each turn, times for one call in microseconds:
 * {"label":"fixture","calls":9000,"median_us":10.5,"us":11.1,"cpu_us":6.2}
 * median_us is the middle round trip, us the turn divided by its calls.
 * The -w rounds before the -r rounds do not count: there Node still compiles.
 *
 * With -p everything runs on one CPU. With one request in flight only one side has work
 * at a time, and where the scheduler puts the other is then no longer measured.
 */
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "child.h"

enum {
    SERVERS_MAX = 8,
    DEPTH_MAX = 64,
    WINDOW = 1 << 16, /* ids that may be overtaken */
    ROUNDS_MAX = 10000,
    TURN_MS_MAX = 60000,
    REQUEST_MAX = 4096,
    INPUT_MAX = 1 << 20,
    CALLS_MAX = 1 << 22, /* of one turn */
    ID_DIGITS = 10,
};

static const char handshake[] =
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{"
    "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},"
    "\"clientInfo\":{\"name\":\"bench\",\"version\":\"1\"}}}\n"
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n";

static const char before_id[] = "{\"jsonrpc\":\"2.0\",\"id\":";

struct server {
    const char *label;
    struct child child;
    char request[REQUEST_MAX];
    size_t request_len;
    long long next_id; /* always ID_DIGITS long */
    char *input;
    size_t begin, end; /* of what is unread in input */
};

/* Of one turn. */
static double sent_at[WINDOW]; /* by id */
static double *latencies;

/* The next line, valid until the next call. */
static const char *next_line(struct server *s, size_t *len)
{
    for (;;) {
        char *line = s->input + s->begin;
        char *end = memchr(line, '\n', s->end - s->begin);
        if (end != NULL) {
            *len = (size_t)(end - line);
            s->begin += *len + 1;
            return line;
        }
        memmove(s->input, line, s->end - s->begin);
        s->end -= s->begin;
        s->begin = 0;
        ssize_t k = read(s->child.out, s->input + s->end, INPUT_MAX - s->end);
        if (k <= 0)
            die("%s ended, or its answer is too long", s->label);
        s->end += (size_t)k;
    }
}

/* The id of a result; any other line but a notification ends the benchmark. */
static long long read_result(struct server *s)
{
    static const char key[] = "\"id\":";
    for (;;) {
        size_t len;
        const char *line = next_line(s, &len);
        const char *id = memmem(line, len, key, sizeof(key) - 1);
        if (id == NULL)
            continue;
        if (memmem(line, len, "\"result\":", 9) == NULL ||
            memmem(line, len, "\"isError\":true", 14) != NULL)
            die("%s answered %.*s", s->label, (int)len, line);
        return strtoll(id + sizeof(key) - 1, NULL, 10);
    }
}

static void start(struct server *s, char **command)
{
    if (command[0] == NULL || command[1] == NULL || command[2] == NULL)
        die("a server is LABEL REQUEST COMMAND...");
    s->label = command[0];
    s->next_id = 1000000000;
    s->request_len = (size_t)snprintf(s->request, REQUEST_MAX, "%s%lld,%s}\n", before_id,
                                      s->next_id, command[1]);
    if (s->request_len >= REQUEST_MAX)
        die("the request of %s is too long", s->label);
    s->input = malloc(INPUT_MAX);
    child_start(&s->child, command + 2, handshake);
    if (read_result(s) != 1)
        die("%s did not answer initialize", s->label);
}

/* Write n requests at once. */
static void send_requests(struct server *s, size_t n)
{
    static char out[DEPTH_MAX * REQUEST_MAX];
    size_t len = 0;
    for (size_t i = 0; i < n; i++) {
        char digits[ID_DIGITS + 1];
        snprintf(digits, sizeof(digits), "%lld", s->next_id);
        memcpy(s->request + sizeof(before_id) - 1, digits, ID_DIGITS);
        memcpy(out + len, s->request, s->request_len);
        len += s->request_len;
        sent_at[s->next_id % WINDOW] = now_us();
        s->next_id++;
    }
    write_all(s->child.in, out, len);
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool has_line(const struct server *s)
{
    return memchr(s->input + s->begin, '\n', s->end - s->begin) != NULL;
}

static void take_turn(struct server *s, size_t depth, double ms, bool show)
{
    double cpu = child_cpu_us(&s->child), begin = now_us(), now = begin;
    size_t done = 0, in_flight = depth;
    send_requests(s, depth);
    while (in_flight > 0) {
        size_t answered = 0;
        do {
            long long id = read_result(s);
            if (id < s->next_id - WINDOW || id >= s->next_id || done == CALLS_MAX)
                die("%s answered what was not asked, or too fast", s->label);
            now = now_us();
            latencies[done++] = now - sent_at[id % WINDOW];
            answered++;
        } while (has_line(s));
        if (now - begin < ms * 1e3)
            send_requests(s, answered);
        else
            in_flight -= answered;
    }
    double us = (now - begin) / (double)done;
    cpu = (child_cpu_us(&s->child) - cpu) / (double)done;
    if (!show)
        return;
    qsort(latencies, done, sizeof(*latencies), by_size);
    printf("{\"label\":\"%s\",\"calls\":%zu,\"median_us\":%.2f,\"us\":%.2f,\"cpu_us\":%."
           "2f}\n",
           s->label, done, latencies[done / 2], us, cpu);
}

/* For us and for the servers, which inherit it. */
static void stay_here(void)
{
    cpu_set_t here;
    CPU_ZERO(&here);
    CPU_SET(sched_getcpu(), &here);
    if (sched_setaffinity(0, sizeof(here), &here) != 0)
        die("cannot stay on one CPU: %m");
}

int main(int argc, char **argv)
{
    int depth = 1, warm = 2, rounds = 21, ms = 100, option;
    while ((option = getopt(argc, argv, "+pd:w:r:t:")) != -1) {
        switch (option) {
        case 'p':
            stay_here();
            break;
        case 'd':
            depth = count_of(optarg, DEPTH_MAX);
            break;
        case 'w':
            warm = count_of(optarg, ROUNDS_MAX);
            break;
        case 'r':
            rounds = count_of(optarg, ROUNDS_MAX);
            break;
        case 't':
            ms = count_of(optarg, TURN_MS_MAX);
            break;
        default:
            return 2;
        }
    }
    static struct server servers[SERVERS_MAX];
    char **commands[SERVERS_MAX];
    size_t n = split_commands(argv + optind, commands, SERVERS_MAX);
    latencies = malloc(CALLS_MAX * sizeof(*latencies));
    for (size_t i = 0; i < n; i++)
        start(&servers[i], commands[i]);
    for (int round = -warm; round < rounds; round++)
        for (size_t i = 0; i < n; i++)
            take_turn(&servers[i], (size_t)depth, ms, round >= 0);
    for (size_t i = 0; i < n; i++) {
        child_stop(&servers[i].child);
        free(servers[i].input);
    }
    free(latencies);
    return 0;
}
