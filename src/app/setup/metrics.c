#include "app/setup/metrics.h"

#include "base/os/machine.h"

/* Upper ends of the buckets, in microseconds. */
static const uint64_t bounds[METRICS_BUCKETS] = {
    50, 100, 250, 500, 1000, 2500, 5000, 25000, 100000, 500000, 2500000, 10000000};

static void metrics_count(atomic_uint_fast64_t *n, uint64_t add)
{
    atomic_fetch_add_explicit(n, add, memory_order_relaxed);
}

static uint64_t metric_value(const atomic_uint_fast64_t *n)
{
    return atomic_load_explicit(n, memory_order_relaxed);
}

static void count_time(struct metrics_times *t, uint64_t micros)
{
    size_t i = 0;
    while (i < METRICS_BUCKETS && micros > bounds[i])
        i++;
    metrics_count(&t->buckets[i], 1);
    metrics_count(&t->micros, micros);
    metrics_count(&t->n, 1);
}

void metrics_request(struct metrics *m, int status, uint64_t micros)
{
    size_t hundred = status >= 100 && status < 600 ? (size_t)status / 100 : 0;
    metrics_count(&m->statuses[hundred], 1);
    count_time(&m->requests, micros);
}

static struct metrics_call *call_named(struct metrics *m, const char *name)
{
    for (size_t i = 0; i < METRICS_NAMES; i++) {
        const char *known = NULL;
        if (atomic_compare_exchange_strong(&m->names[i].name, &known, name) ||
            strcmp(known, name) == 0)
            return &m->names[i];
    }
    return &m->names[METRICS_NAMES];
}

void metrics_called(struct metrics *m, const char *name, bool failed, uint64_t micros)
{
    struct metrics_call *c = call_named(m, name);
    metrics_count(failed ? &c->failed : &c->good, 1);
    count_time(&m->calls, micros);
}

/* --- printing --- */

static void head(struct sbuf *out, const char *name, const char *type, const char *about)
{
    sbuf_printf(out, "# HELP %s %s\n# TYPE %s %s\n", name, about, name, type);
}

static void print_times(struct sbuf *out, const char *name, const char *about,
                        const struct metrics_times *t)
{
    uint64_t so_far = 0;
    head(out, name, "histogram", about);
    for (size_t i = 0; i < METRICS_BUCKETS; i++) {
        so_far += metric_value(&t->buckets[i]);
        sbuf_printf(out, "%s_bucket{le=\"%g\"} %llu\n", name, (double)bounds[i] / 1e6,
                    (unsigned long long)so_far);
    }
    so_far += metric_value(&t->buckets[METRICS_BUCKETS]);
    sbuf_printf(out, "%s_bucket{le=\"+Inf\"} %llu\n%s_sum %.6f\n%s_count %llu\n", name,
                (unsigned long long)so_far, name, (double)metric_value(&t->micros) / 1e6,
                name, (unsigned long long)so_far);
}

static void print_call(struct sbuf *out, const char *name, const struct metrics_call *c)
{
    sbuf_printf(out, "vaultd_calls_total{name=\"%s\",outcome=\"ok\"} %llu\n", name,
                (unsigned long long)metric_value(&c->good));
    sbuf_printf(out, "vaultd_calls_total{name=\"%s\",outcome=\"error\"} %llu\n", name,
                (unsigned long long)metric_value(&c->failed));
}

static void print_calls(const struct metrics *m, struct sbuf *out)
{
    head(out, "vaultd_calls_total", "counter", "MCP calls by tool or method.");
    for (size_t i = 0; i < METRICS_NAMES; i++) {
        const char *name = atomic_load(&m->names[i].name);
        if (name == NULL)
            break;
        print_call(out, name, &m->names[i]);
    }
    const struct metrics_call *other = &m->names[METRICS_NAMES];
    if (metric_value(&other->good) + metric_value(&other->failed) > 0)
        print_call(out, "other", other);
}

void metrics_print(const struct metrics *m, struct sbuf *out)
{
    static const char *const classes[] = {"gone", "1xx", "2xx", "3xx", "4xx", "5xx"};
    head(out, "vaultd_http_requests_total", "counter",
         "HTTP requests by class of status.");
    for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
        sbuf_printf(out, "vaultd_http_requests_total{status=\"%s\"} %llu\n", classes[i],
                    (unsigned long long)metric_value(&m->statuses[i]));
    print_times(out, "vaultd_http_request_seconds", "Time until a request was answered.",
                &m->requests);
    print_calls(m, out);
    print_times(out, "vaultd_call_seconds", "Duration of MCP calls.", &m->calls);
}

static void print_value(struct sbuf *out, const char *name, const char *type,
                        const char *about, double value)
{
    head(out, name, type, about);
    sbuf_printf(out, "%s %.15g\n", name, value);
}

void metrics_gauge(struct sbuf *out, const char *name, const char *about, double value)
{
    print_value(out, name, "gauge", about, value);
}

void metrics_counter(struct sbuf *out, const char *name, const char *about, double value)
{
    print_value(out, name, "counter", about, value);
}

void metrics_process(struct sbuf *out)
{
    if (machine_memory() > 0)
        metrics_gauge(out, "process_resident_memory_bytes", "Memory in use.",
                      (double)machine_memory());
    metrics_gauge(out, "process_open_fds", "Open descriptors.",
                  (double)machine_descriptors());
}
