/*
 * metrics - what has happened since the start, counted, as Prometheus text.
 *
 * Counting takes no lock. Labels come from tables of ours, never from what a stranger
 * sent, so there is an end to them (METRICS_NAMES); what is more is counted as "other".
 */
#pragma once

#include <stdatomic.h>

#include "base/sbuf.h"

enum { METRICS_NAMES = 128, METRICS_BUCKETS = 12 };

/* How long things took. */
struct metrics_times {
    atomic_uint_fast64_t buckets[METRICS_BUCKETS + 1]; /* the last: longer than all */
    atomic_uint_fast64_t micros, n;
};

struct metrics_call {
    _Atomic(const char *) name; /* claimed by the first who counts it */
    atomic_uint_fast64_t good, failed;
};

struct metrics {
    atomic_uint_fast64_t statuses[6]; /* by hundreds; 0: the peer was gone */
    struct metrics_times requests, calls;
    struct metrics_call names[METRICS_NAMES + 1]; /* the last: "other" */
};

/* One HTTP request was answered. */
void metrics_request(struct metrics *m, int status, uint64_t micros);

/* One call of a tool, or another method; name is a literal or lives as long as m. */
void metrics_called(struct metrics *m, const char *name, bool failed, uint64_t micros);

/* All of it, in the format that Prometheus reads. */
void metrics_print(const struct metrics *m, struct sbuf *out);

/* One value that is read when asked for; about is its help line. */
void metrics_gauge(struct sbuf *out, const char *name, const char *about, double value);

/* One that only grows. */
void metrics_counter(struct sbuf *out, const char *name, const char *about, double value);

/* Of this process: memory, descriptors, start. */
void metrics_process(struct sbuf *out);

/* Bytes of memory that the process has. */
int64_t metrics_resident(void);
