/*
 * metrics - counters of what has happened since the start, printed as Prometheus text.
 *
 * Counting takes no lock. Labels come from our own tables, never from what a client sent,
 * so their number is limited (METRICS_NAMES); any more are counted as "other".
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
    _Atomic(const char *) name; /* claimed by the first call that counts it */
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

/* Prints all counters in the Prometheus text format. */
void metrics_print(const struct metrics *m, struct sbuf *out);

/* One value, read at the time of printing; about is its help line. */
void metrics_gauge(struct sbuf *out, const char *name, const char *about, double value);

/* The same for a value that only grows. */
void metrics_counter(struct sbuf *out, const char *name, const char *about, double value);

/* Memory and descriptors of this process. */
void metrics_process(struct sbuf *out);
