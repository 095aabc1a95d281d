/*
 * child - a server process under measurement, and what it costs.
 *
 * Its stdin and stdout are pipes of ours, its stderr goes to /dev/null. Whatever goes
 * wrong ends the benchmark: a number that was not measured must not be printed.
 */
#pragma once

#include <stddef.h>
#include <sys/types.h>

struct child {
    pid_t pid;
    int in, out; /* our ends of its stdin and stdout */
};

/* Print "PROGRAM: why" and exit. */
__attribute__((__noreturn__, format(printf, 1, 2))) void die(const char *why, ...);

/* Microseconds of the monotonic clock. */
double now_us(void);

/* argv ends with NULL; argv[0] is searched in PATH. input waits on its stdin from the
 * start on, so that there is no race; at most a pipe full. */
void child_start(struct child *c, char *const argv[], const char *input);

/* Close its stdin and wait, with a signal if that is not enough. */
void child_stop(struct child *c);

/* CPU time it has used so far, all threads, user and system, in microseconds. */
double child_cpu_us(const struct child *c);

/* Write all of it; the reader is not expected to go away. */
void write_all(int fd, const char *p, size_t n);

/* A number of the command line between 1 and max. */
int count_of(const char *text, int max);

/*
 * Split the rest of a command line at "--" into at most max commands, each a NULL
 * terminated list. Returns how many there are.
 */
size_t split_commands(char **argv, char ***commands, size_t max);
