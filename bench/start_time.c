/*
 * start_time [-r ROUNDS] LABEL COMMAND... [-- LABEL COMMAND...]...
 *
 * Time from posix_spawn to the first line on stdout, with an initialize request waiting
 * on stdin. The commands take turns. One JSON line for each start:
 * {"label":"vaultd","us":1234.5}
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "child.h"

enum { COMMANDS_MAX = 8, ROUNDS_MAX = 100000 };

static const char initialize[] =
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{"
    "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},"
    "\"clientInfo\":{\"name\":\"bench\",\"version\":\"1\"}}}\n";

static double start(char **argv)
{
    struct child c;
    char answer[64 << 10];
    size_t have = 0;
    double begin = now_us();
    child_start(&c, argv, initialize);
    do {
        ssize_t k = read(c.out, answer + have, sizeof(answer) - have);
        if (k <= 0)
            die("%s ended without an answer", argv[0]);
        have += (size_t)k;
    } while (answer[have - 1] != '\n');
    double us = now_us() - begin;
    child_stop(&c);
    if (memmem(answer, have, "\"error\"", 7) != NULL)
        die("%s answered %.*s", argv[0], (int)have, answer);
    return us;
}

int main(int argc, char **argv)
{
    int rounds = 100, option;
    while ((option = getopt(argc, argv, "+r:")) != -1) {
        if (option != 'r')
            return 2;
        rounds = count_of(optarg, ROUNDS_MAX);
    }
    char **commands[COMMANDS_MAX];
    size_t n = split_commands(argv + optind, commands, COMMANDS_MAX);
    for (int round = -1; round < rounds; round++) { /* the first fills the caches */
        for (size_t i = 0; i < n; i++) {
            double us = start(commands[i] + 1);
            if (round >= 0)
                printf("{\"label\":\"%s\",\"us\":%.1f}\n", commands[i][0], us);
        }
    }
    return 0;
}
