/*
 * pump - a pipe or console that can be waited for. Private to base/os/windows.
 *
 * Windows cannot wait until a pipe has bytes, or room for some. So a thread reads what there
 * is into a buffer, or writes what is in the buffer, and an event says when that is of use.
 */
#pragma once

#include "base/os/windows/base.h"
#include "base/str.h"

struct pump;

enum pump_way { PUMP_READS, PUMP_WRITES };

/* Takes the handle. NULL and errno if there are no more threads. */
struct pump *pump_start(HANDLE handle, enum pump_way way, bool console);

/* Set while pump_read() or pump_write() would not wait. */
HANDLE pump_ready(const struct pump *p);

/* As file_read() and pipe_write(). Without wait, EAGAIN if there is nothing, or no room. */
MUST_CHECK bool pump_read(struct pump *p, void *out, size_t size, bool wait, size_t *got);
MUST_CHECK bool pump_write(struct pump *p, str bytes, bool wait, size_t *put);

/* Wait until everything is written; false if the reader is gone. */
MUST_CHECK bool pump_flush(struct pump *p);

/* The descriptor is closed: what is in the buffer is still written, then the handle is closed. */
void pump_leave(struct pump *p);

/* Before the process ends: wait until readers have taken what was written, or take nothing
 * for a while. */
void pump_drain_all(void);
