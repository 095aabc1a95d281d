/*
 * pipe - bytes between processes: pipes, and whatever stdin and stdout are.
 *
 * Where a function fails, it returns false and sets errno.
 */
#pragma once

#include "base/str.h"

/* A new pipe, as [0] to read from and [1] to write to. No program that is started from
 * here inherits it. */
MUST_CHECK bool pipe_open(int ends[2]);

/* Close it, unless it is -1, and make it -1. */
void pipe_close(int *fd);

/* Reading (file_read()) and writing fail with EAGAIN instead of waiting. Affects every
 * process that has this end, so it is for pipes of our own. */
void pipe_never_wait(int fd);

/* Write some of it. A closed read end is an error (EPIPE), never a signal. */
MUST_CHECK bool pipe_write(int fd, str bytes, size_t *put);

/* --- stdout, which others may share --- */

enum pipe_kind { PIPE_PLAIN, PIPE_SOCKET, PIPE_OTHER };
enum pipe_kind pipe_kind(int fd);

/*
 * Write as much as possible without waiting, and without pipe_never_wait(): *put is less
 * than all if there is no room. kind is that of fd. May raise SIGPIPE (signal.h).
 */
MUST_CHECK bool pipe_offer(int fd, enum pipe_kind kind, str bytes, size_t *put);
