/*
 * ready - wait for descriptors (pipes, sockets, terminals), and wake a thread that does.
 */
#pragma once

#include "base/str.h"

/* A descriptor, and whether reading from it or writing to it is what is waited for. */
struct ready {
    int fd; /* -1: never ready */
    bool write;
    bool is; /* ready, or at its end: the next call does not block */
};

enum { READY_EVER = -1 };

/*
 * Wait until at least one of them is ready, for up to ms milliseconds; sets `is` of all.
 * False if none is. A signal does not end it.
 */
bool ready_wait(struct ready *list, size_t n, int ms);

/* Whether one is ready now. */
bool ready_to_read(int fd);
bool ready_to_write(int fd);

/* Wait ms milliseconds for nothing. */
void ready_pause(unsigned ms);

/*
 * A bell is rung by any thread, and by signal handlers; it stays rung, and its descriptor
 * ready for reading, until it is cleared. No program started from here inherits it.
 */
struct bell {
    int fd;   /* to wait for; -1: not open */
    int ring; /* the other end; may be the same */
};
#define BELL_NONE                                                                        \
    {                                                                                    \
        -1, -1                                                                           \
    }

/* False and errno if there are no more descriptors. */
MUST_CHECK bool bell_open(struct bell *b);
void bell_ring(const struct bell *b);
void bell_clear(const struct bell *b);
void bell_close(struct bell *b); /* one that is not open is fine */
