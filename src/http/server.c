/* The loop, and operations on all connections. */
#include "http/server.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/lock.h"
#include "base/os/file.h"
#include "base/os/signal.h"
#include "http/connection.h"
#include "http/parse.h"
#include "http/response.h"

enum { SWEEP_MS = 500, SWEEP_MIN_MS = 5 };

str server_date(struct http_server *s)
{
    int64_t now = clock_now();
    if (now != s->date_of) {
        http_date(now, s->date);
        s->date_of = now;
    }
    return str_c(s->date);
}

struct http_parser *server_take_parser(struct http_server *s)
{
    return s->n_spare_parsers > 0 ? s->spare_parsers[--s->n_spare_parsers]
                                  : http_parser_create(&s->config.limits);
}

void server_give_parser(struct http_server *s, struct http_parser *p)
{
    if (s->n_spare_parsers < HTTP_SPARES)
        s->spare_parsers[s->n_spare_parsers++] = p;
    else
        http_parser_free(p);
}

static void end_drain(struct http_server *s)
{
    if (s->stopping && s->n_connections == 0)
        uv_stop(&s->loop);
}

void server_closed_one(struct http_server *s)
{
    s->n_connections--;
    end_drain(s);
}

static void on_idle_end(uv_timer_t *timer)
{
    struct http_server *s = timer->data;
    for (struct connection *c = s->connections; c != NULL; c = c->next)
        connection_end_idle(c);
}

/* Stop: accept nothing new, answer what has been sent, and give that drain_ms. */
static void begin_drain(struct http_server *s)
{
    s->stopping = true;
    uv_update_time(&s->loop);
    s->drain_until = uv_now(&s->loop) + s->config.limits.drain_ms;
    uv_timer_start(&s->idle_end, on_idle_end, s->config.limits.drain_idle_ms, 0);
    if (s->config.on_stop != NULL)
        s->config.on_stop(s->config.context);
    listeners_accept_rest(s);
    listeners_close(s);
    for (struct connection *c = s->connections; c != NULL; c = c->next)
        connection_drain(c, s->config.on_stop == NULL);
    end_drain(s);
}

static void on_stop_delay(uv_timer_t *timer)
{
    struct http_server *s = timer->data;
    if (!s->stopping)
        begin_drain(s);
}

/* A further request ends what the last one has begun to wait for. */
static void take_stop(struct http_server *s)
{
    if (s->stopping)
        s->drain_until = uv_now(&s->loop);
    else if (s->config.limits.stop_ms > 0 && !uv_is_active((uv_handle_t *)&s->stop_delay))
        uv_timer_start(&s->stop_delay, on_stop_delay, s->config.limits.stop_ms, 0);
    else
        begin_drain(s);
}

static void on_wake(uv_async_t *async)
{
    struct http_server *s = async->data;
    exchange_take_messages(s);
    for (; s->stops_taken < atomic_load(&s->stop_asked); s->stops_taken++)
        take_stop(s);
}

static void server_on_signal(uv_signal_t *signal, int number)
{
    (void)number;
    take_stop(signal->data);
}

static void on_sweep(uv_timer_t *timer)
{
    struct http_server *s = timer->data;
    uint64_t now = uv_now(&s->loop);
    bool over = s->stopping && now >= s->drain_until;
    for (struct connection *c = s->connections; c != NULL; c = c->next) {
        if (over)
            connection_close(c);
        else
            connection_check(c, now);
    }
    listeners_wake(s);
    if (s->config.on_tick != NULL)
        s->config.on_tick(s->config.context);
}

/* Often enough to be at most a quarter late for the shortest deadline. */
static uint64_t sweep_interval(const struct http_limits *l)
{
    const unsigned all[] = {l->silent_ms, l->head_ms,      l->body_ms, l->keepalive_ms,
                            l->write_ms,  l->heartbeat_ms, l->drain_ms};
    unsigned least = SWEEP_MS;
    for (size_t i = 0; i < COUNT_OF(all); i++)
        if (all[i] > 0 && all[i] / 4 < least)
            least = all[i] / 4;
    return least > SWEEP_MIN_MS ? least : SWEEP_MIN_MS;
}

struct http_server *http_server_create(const struct http_config *config)
{
    static const int numbers[] = {SIGTERM, SIGINT};
    struct http_server *s = mem_zero(sizeof(*s));
    s->config = *config;
    s->date_of = -1;
    s->spare_fd = file_open_null();
    s->read_buffer = mem_alloc(HTTP_READ_SIZE);
    s->spare_parsers = mem_alloc(HTTP_SPARES * sizeof(struct http_parser *));
    if (uv_loop_init(&s->loop) != 0 || uv_async_init(&s->loop, &s->wake, on_wake) != 0)
        BUG("no event loop");
    uv_timer_init(&s->loop, &s->sweep);
    uv_timer_init(&s->loop, &s->stop_delay);
    uv_timer_init(&s->loop, &s->idle_end);
    s->wake.data = s->sweep.data = s->stop_delay.data = s->idle_end.data = s;
    for (size_t i = 0; i < COUNT_OF(s->signals); i++) {
        uv_signal_init(&s->loop, &s->signals[i]);
        s->signals[i].data = s;
        uv_signal_start(&s->signals[i], server_on_signal,
                        numbers[i]); /* so none is lost before the run */
    }
    return s;
}

void http_server_free(struct http_server *s)
{
    if (s == NULL)
        return;
    atomic_store(&s->thread, thread_self());
    s->stopping = s->freeing = true;
    listeners_close(s);
    for (struct connection *c = s->connections; c != NULL; c = c->next)
        connection_close(c);
    uv_close((uv_handle_t *)&s->sweep, NULL);
    uv_close((uv_handle_t *)&s->stop_delay, NULL);
    uv_close((uv_handle_t *)&s->idle_end, NULL);
    for (size_t i = 0; i < COUNT_OF(s->signals); i++)
        uv_close((uv_handle_t *)&s->signals[i], NULL);
    uv_close((uv_handle_t *)&s->wake, NULL);
    uv_run(&s->loop, UV_RUN_DEFAULT);
    while (atomic_load(&s->messages) != NULL)
        exchange_take_messages(s);
    if (uv_loop_close(&s->loop) != 0)
        BUG("handles are left on the loop");

    while (s->spare_exchanges != NULL) {
        struct http_exchange *x = s->spare_exchanges;
        s->spare_exchanges = x->next;
        exchange_free(x);
    }
    while (s->n_spare_parsers > 0)
        http_parser_free(s->spare_parsers[--s->n_spare_parsers]);
    free(s->spare_parsers);
    free(s->read_buffer);
    arena_release(&s->scratch);
    file_close(s->spare_fd);
    free(s);
}

void http_server_run(struct http_server *s)
{
    uint64_t interval = sweep_interval(&s->config.limits);
    atomic_store(&s->thread, thread_self());
    signal_ignore_pipes();
    if (!s->config.may_wait)
        lock_never_wait();
    uv_update_time(&s->loop);
    uv_timer_start(&s->sweep, on_sweep, interval, interval);
    uv_run(&s->loop, UV_RUN_DEFAULT);
    uv_timer_stop(&s->sweep);
    uv_timer_stop(&s->stop_delay);
    uv_timer_stop(&s->idle_end);
    for (size_t i = 0; i < COUNT_OF(s->signals); i++)
        uv_signal_stop(&s->signals[i]);
    atomic_store(&s->thread, 0);
    lock_may_wait();
}

size_t http_server_connections(const struct http_server *s)
{
    return atomic_load_explicit(&s->n_connections, memory_order_relaxed);
}

void http_server_stop(struct http_server *s)
{
    atomic_fetch_add(&s->stop_asked, 1);
    uv_async_send(&s->wake);
}
