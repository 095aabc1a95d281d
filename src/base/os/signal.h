/*
 * signal - requests of the system, or of the user at the keyboard, to this process.
 */
#pragma once

#include "base/str.h"

enum signal_request {
    SIGNAL_NONE,
    SIGNAL_STOP,   /* SIGTERM, SIGINT */
    SIGNAL_RELOAD, /* SIGHUP */
};

/* Until there is a queue: SIGHUP does not end the process. */
void signal_ignore_reload(void);

/* Writing to a pipe without a reader is an error and does not end the process. */
void signal_ignore_pipes(void);

/*
 * Requests wait in a queue from now on, whatever else the process does with signals. Other
 * threads must be started by thread_start(), or from this one after the call. NULL if the
 * system has no more threads or descriptors.
 */
struct signal_queue;
struct signal_queue *signal_queue_open(void);
void signal_queue_close(struct signal_queue *q); /* requests stay without effect */

/* Becomes ready for reading with a request. */
int signal_queue_fd(const struct signal_queue *q);

/* The next request; SIGNAL_NONE if there is none. */
enum signal_request signal_queue_take(struct signal_queue *q);
