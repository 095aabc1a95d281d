/*
 * From bytes to a handler: the head is checked before any of the body is read, by guard,
 * route and limits in this order, and refused requests are answered here.
 */
#include "http/connection.h"
#include "http/forwarded.h"
#include "http/guard.h"
#include "http/parse.h"
#include "http/request.h"
#include "http/response.h"
#include "http/route.h"
#include "http/server.h"

void serve_release_parser(struct connection *c)
{
    if (c->parser != NULL)
        server_give_parser(c->server, c->parser);
    c->parser = NULL;
}

/* Answer instead of a handler. */
static void serve_answer(struct connection *c, const struct http_response *r)
{
    serve_release_parser(c);
    c->deadline = 0;
    exchange_reply(c->x, r);
}

/* Answer with an error; closes the connection unless the request was read completely. */
static void serve_refuse(struct connection *c, int status, bool read_whole)
{
    struct http_exchange *x = c->x;
    struct http_response r;
    http_refusal(&x->arena, status, &r);
    if (status == 405)
        http_add_header(&r, STR("Allow"), http_route_allow(&x->arena, x->route));
    if (status == 429 || status == 503)
        http_add_header(&r, STR("Retry-After"), STR("1"));
    if (!read_whole) {
        x->keep_alive = false;
        x->lingers = true;
    }
    serve_answer(c, &r);
}

/* Check the head against guard and routes: 0, or the status to answer with. */
static int check_request_head(struct connection *c, const struct http_request *r)
{
    const struct http_config *config = &c->server->config;
    struct http_exchange *x = c->x;
    const struct http_route *route = http_route_find(config->routes, r->path);
    bool any_origin = route != NULL && route->cors == HTTP_CORS_ANY;
    switch (http_guard_check(&config->guard, r)) {
    case HTTP_FOREIGN_HOST:
        return 421;
    case HTTP_FOREIGN_ORIGIN:
        if (!any_origin)
            return 403;
        break;
    case HTTP_WELCOME:
        break;
    }
    x->origin = any_origin ? STR("*") : http_header(r, STR("origin"));
    if (str_eq(r->path, STR("*")))
        return 204;
    x->route = route == NULL && http_wants_html(r) ? config->nowhere : route;
    if (x->route == NULL)
        return 404;
    if (r->method == HTTP_OPTIONS)
        return 204;
    if (!http_route_takes(x->route, r->method))
        return 405;
    if (http_header_count(r, STR("content-encoding")) > 0)
        return 415;
    return http_parser_body(c->parser, x->route->body_max) ? 0 : 413;
}

static void set_body_deadline(struct connection *c)
{
    size_t size = http_parser_declared(c->parser);
    if (size == 0)
        size = c->x->route->body_max;
    connection_deadline(c, connection_limits(c)->body_ms +
                               size / HTTP_MIB *
                                   (uint64_t)connection_limits(c)->body_ms_per_mib);
}

/* Who sent the request, as proxies that are trusted report it. */
static void name_peer(struct connection *c)
{
    struct http_exchange *x = c->x;
    const struct http_proxies *proxies = &c->server->config.proxies;
    str seen = x->peer;
    x->peer = http_forwarded_peer(proxies, &x->arena, &x->request, seen);
    bool by_proxy = http_is_forwarded(&x->request) && !http_proxies_trust(proxies, seen);
    x->is_local = c->is_local && str_eq(x->peer, seen) && !by_proxy;
}

static void take_request(struct connection *c)
{
    struct http_exchange *x = c->x;
    x->request = *http_parser_request(c->parser);
    x->request.peer = x->peer;
    x->request.peer_is_local = x->is_local;
}

static void *context_of(const struct http_exchange *x)
{
    void *own = x->route->context;
    return own != NULL ? own : x->server->config.context;
}

static void expect_body(struct connection *c, bool has_begun)
{
    const str go_on = STR("HTTP/1.1 100 Continue\r\n\r\n");
    c->state = CONNECTION_BODY;
    if (http_parser_expects(c->parser) && !has_begun)
        connection_send(c, &go_on, 1, NULL);
}

/* The connection closes after an answer of the judge: the body is still to come. */
static void ask_judge(struct connection *c)
{
    struct http_exchange *x = c->x;
    c->state = CONNECTION_JUDGING;
    x->handled = x->judged = x->lingers = true;
    x->keep_alive = false;
    x->route->judge(x, context_of(x));
}

/* arrived: how much there is after the head. */
static void begin_body(struct connection *c, size_t arrived)
{
    struct http_exchange *x = c->x;
    size_t declared = http_parser_declared(c->parser);
    set_body_deadline(c);
    if (declared > 0 && arrived >= declared) {
        expect_body(c, true);
        return;
    }
    int status = senders_judge(c, x->is_local);
    bool has_judge = x->route->judge != NULL;
    if (status != 0 && !(status == 503 && has_judge)) /* the reserve: see http_admit() */
        serve_refuse(c, status, false);
    else if (has_judge)
        ask_judge(c);
    else
        expect_body(c, arrived > 0);
}

static void head_end(struct connection *c, size_t arrived)
{
    struct http_exchange *x = c->x;
    x->request = *http_parser_request(c->parser);
    name_peer(c);
    senders_name(c, x->peer);
    take_request(c);
    x->path = x->request.path;
    x->http10 = http_parser_is_http10(c->parser);
    x->keep_alive = http_parser_keep_alive(c->parser);
    x->verdict = check_request_head(c, &x->request);
    c->state = CONNECTION_BODY;
    if (!http_parser_has_body(c->parser))
        return;
    if (x->verdict != 0) /* OPTIONS does not use a body either */
        serve_refuse(c, x->verdict == 204 ? 413 : x->verdict, false);
    else
        begin_body(c, arrived);
}

bool http_was_judged(const struct http_exchange *x)
{
    return x->judged;
}

size_t http_body_size(const struct http_exchange *x)
{
    const struct connection *c = x->connection;
    size_t declared =
        c != NULL && c->parser != NULL ? http_parser_declared(c->parser) : 0;
    return declared > 0 ? declared : SIZE_MAX;
}

void http_admit(struct http_exchange *x, size_t max, uint64_t owner)
{
    struct connection *c = x->connection;
    x->handled = false;
    if (c == NULL) {
        exchange_drop(x);
        return;
    }
    if (c->state != CONNECTION_JUDGING)
        return; /* it is closing, which frees the exchange */
    x->lingers = false;
    x->keep_alive = http_parser_keep_alive(c->parser);
    http_name_caller(x, owner);
    int status = c->known ? 0 : senders_judge(c, x->is_local);
    if (status == 503) {
        serve_refuse(c, 503, false);
        return;
    }
    if (!http_parser_body(c->parser, max)) {
        serve_refuse(c, 413, false);
        return;
    }
    expect_body(c, c->waiting_n > c->waiting_at);
    if (!c->consuming)
        connection_resume(c);
}

static void dispatch(struct connection *c)
{
    struct http_exchange *x = c->x;
    take_request(c);
    serve_release_parser(c);
    c->state = CONNECTION_ANSWERING;
    c->deadline = 0;
    if (x->verdict == 204) {
        struct http_response r;
        http_route_options(&x->arena, x->route, &x->request, &r);
        serve_answer(c, &r);
    } else if (x->verdict != 0) {
        bool stranger = x->verdict == 403 || x->verdict == 421;
        serve_refuse(c, x->verdict, !stranger);
    } else {
        x->handled = true;
        x->route->handle(x, context_of(x));
    }
}

void serve_begin(struct connection *c)
{
    struct http_exchange *x = c->x = exchange_create(c->server, c);
    x->peer = arena_str(&x->arena, str_c(c->peer));
    c->parser = server_take_parser(c->server);
    http_parser_start(c->parser, &x->arena);
    c->state = CONNECTION_HEAD;
    connection_deadline(c, connection_limits(c)->head_ms);
}

/* Feed the parser and act on the result; returns how many bytes it used. */
size_t serve_feed(struct connection *c, str bytes)
{
    size_t used;
    switch (http_parser_feed(c->parser, bytes, &used)) {
    case HTTP_MORE:
        break;
    case HTTP_HEAD_END:
        head_end(c, bytes.n - used);
        if (c->state == CONNECTION_BODY)
            used += serve_feed(c, str_skip(bytes, used));
        break;
    case HTTP_COMPLETE:
        dispatch(c);
        break;
    case HTTP_BAD:
        serve_refuse(c, http_parser_status(c->parser), false);
        break;
    }
    return used;
}

void serve_late(struct connection *c)
{
    serve_refuse(c, 408, false);
}

void serve_drop(struct connection *c)
{
    if (c->state == CONNECTION_HEAD || c->state == CONNECTION_BODY)
        serve_refuse(c, 503, false);
    else
        connection_close(c);
}
