/* What proxies do to requests and answers. */
#include "app/doctor/doctor_parts.h"
#include "base/uri.h"
#include "fetch/fetch.h"

enum { STREAM_MS = 5000, LONG_HEADER = 6000, LONG_BODY = 3 << 20 };

#define LISTEN                                                                           \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"subscriptions/listen\",\"params\":{"     \
    "\"notifications\":{\"toolsListChanged\":true},\"_meta\":{"                          \
    "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                        \
    "\"io.modelcontextprotocol/clientCapabilities\":{}}}}"

#define INSPECTOR_ORIGIN "http://localhost:6274"

/* --- browsers --- */

static bool allows_origin(const struct fetched *got)
{
    str allowed = fetched_header(got, STR("access-control-allow-origin"));
    return str_eq(allowed, STR(INSPECTOR_ORIGIN)) || str_eq(allowed, STR("*"));
}

void probe_preflight(struct doctor *d, struct doctor_step *s)
{
    const str headers[] = {STR("Origin: " INSPECTOR_ORIGIN),
                           STR("Access-Control-Request-Method: POST"),
                           STR("Access-Control-Request-Headers: authorization, "
                               "content-type, mcp-protocol-version")};
    struct fetch f = {.url = d->url,
                      .method = "OPTIONS",
                      .headers = headers,
                      .n_headers = COUNT_OF(headers)};
    struct fetched got;
    if (!doctor_ask(d, s, &f, &got))
        return;
    if ((got.status == 204 || got.status == 200) && allows_origin(&got))
        doctor_good(d, s, &got);
    else
        doctor_bad(d, s, CAUSE_CORS,
                   allows_origin(&got) ? doctor_describe(d, &got)
                                       : STR("no Access-Control-Allow-Origin for it"));
}

void probe_cors(struct doctor *d, struct doctor_step *s)
{
    struct fetch f;
    struct fetched got;
    doctor_post(d, d->url, HEADERS("Origin: " INSPECTOR_ORIGIN), &f);
    if (!doctor_ask(d, s, &f, &got))
        return;
    str shown = fetched_header(&got, STR("access-control-expose-headers"));
    if (!allows_origin(&got))
        doctor_bad(d, s, CAUSE_CORS, STR("no Access-Control-Allow-Origin for it"));
    else if (str_find(shown, STR("WWW-Authenticate")) == STR_NONE)
        doctor_bad(d, s, CAUSE_CORS, STR("WWW-Authenticate is not exposed"));
    else
        doctor_good(d, s, &got);
}

/* --- proxies --- */

void probe_get(struct doctor *d, struct doctor_step *s)
{
    const str headers[] = {STR("Accept: text/event-stream")};
    struct fetch f = {.url = d->url, .headers = headers, .n_headers = COUNT_OF(headers)};
    struct fetched got;
    if (!doctor_ask(d, s, &f, &got))
        return;
    if (got.status == (d->open ? 400 : 401))
        doctor_good(d, s, &got);
    else
        doctor_bad(d, s,
                   got.status == 405 || got.status == 403 ? CAUSE_METHOD : CAUSE_OTHER,
                   doctor_describe(d, &got));
}

void probe_slash(struct doctor *d, struct doctor_step *s)
{
    struct fetch f;
    struct fetched got;
    doctor_post(d, arena_printf(d->arena, STR_FMT "/", STR_ARG(d->url)), NULL, &f);
    if (doctor_ask(d, s, &f, &got))
        doctor_judge_stranger(d, s, &got);
}

static char *filled(struct arena *a, const char *begin, size_t n)
{
    size_t head = strlen(begin);
    char *text = arena_zero(a, head + n + 1);
    memcpy(text, begin, head);
    memset(text + head, 'x', n);
    return text;
}

void probe_header(struct doctor *d, struct doctor_step *s)
{
    struct fetch f;
    struct fetched got;
    doctor_post(d, d->url, HEADERS(filled(d->arena, "X-Long: ", LONG_HEADER)), &f);
    if (!doctor_ask(d, s, &f, &got))
        return;
    if (got.status == 400 || got.status == 431)
        doctor_bad(d, s, CAUSE_HEADER, doctor_describe(d, &got));
    else
        doctor_judge_stranger(d, s, &got);
}

/* Without a token, because it only has to get through. */
void probe_body(struct doctor *d, struct doctor_step *s)
{
    struct fetch f;
    struct fetched got;
    doctor_post(d, d->url, HEADERS("Expect:"), &f);
    f.body = (str){filled(d->arena, "\"", LONG_BODY), LONG_BODY};
    if (!doctor_ask(d, s, &f, &got))
        return;
    if (got.status == (d->open ? 400 : 401))
        doctor_good(d, s, &got);
    else
        doctor_bad(d, s, CAUSE_BODY, doctor_describe(d, &got));
}

void probe_keep_alive(struct doctor *d, struct doctor_step *s)
{
    struct fetch f;
    struct fetched got;
    doctor_post(d, d->url, NULL, &f);
    if (!doctor_ask(d, s, &f, &got))
        return;
    if (str_eq_nocase(fetched_header(&got, STR("connection")), STR("close")))
        doctor_bad(d, s, CAUSE_KEEP_ALIVE, STR("Connection: close"));
    else
        doctor_good(d, s, &got);
}

/* No server on the other port is fine. */
void probe_plain_http(struct doctor *d, struct doctor_step *s)
{
    struct uri_parts parts;
    (void)uri_split(d->origin, &parts);
    struct fetch f = {.url = arena_printf(d->arena, "http://" STR_FMT STR_FMT,
                                          STR_ARG(parts.place), STR_ARG(d->path)),
                      .max = DOCTOR_ANSWER_MAX,
                      .ms = STREAM_MS,
                      .any_http = true};
    struct fetched got;
    struct err err;
    if (str_starts(d->origin, STR("http://")))
        doctor_skip(s, STR("the URL itself uses http"));
    else if (parts.has_port)
        doctor_skip(s, STR("the URL names a port"));
    else if (!fetch_url(d->arena, &f, &got, &err)) {
        s->status = STEP_GOOD;
        s->got = STR("no answer");
    } else if (got.status / 100 == 3) {
        doctor_good(d, s, &got);
    } else {
        doctor_bad(d, s, CAUSE_PLAIN_HTTP, doctor_describe(d, &got));
    }
}

/* --- with a key --- */

static bool can_call(const struct doctor *d, struct doctor_step *s)
{
    if (d->open || d->key.n > 0)
        return true;
    doctor_skip(s, STR("give a key with --key-file to try this"));
    return false;
}

void probe_call(struct doctor *d, struct doctor_step *s)
{
    struct fetch f;
    struct fetched got;
    if (!can_call(d, s))
        return;
    doctor_post(d, d->url, NULL, &f);
    f.bearer = d->key;
    if (!doctor_ask(d, s, &f, &got))
        return;
    if (got.status == 200)
        doctor_good(d, s, &got);
    else if (got.status == 401)
        doctor_bad(d, s,
                   str_find(got.body, STR("invalid_token")) != STR_NONE
                       ? CAUSE_KEY
                       : CAUSE_AUTHORIZATION,
                   doctor_describe(d, &got));
    else
        doctor_bad(d, s, CAUSE_OTHER, doctor_describe(d, &got));
}

void probe_stream(struct doctor *d, struct doctor_step *s)
{
    struct fetch f;
    struct fetched got;
    if (!can_call(d, s))
        return;
    doctor_post(
        d, d->url,
        HEADERS("MCP-Protocol-Version: 2026-07-28", "Mcp-Method: subscriptions/listen"),
        &f);
    f.body = STR(LISTEN);
    f.bearer = d->key;
    f.enough = 1;
    f.ms = STREAM_MS;
    if (!doctor_ask(d, s, &f, &got)) {
        if (s->cause == CAUSE_TIMEOUT)
            s->cause = CAUSE_BUFFERING;
        return;
    }
    if (got.status == 200 && str_eq_nocase(got.content_type, STR("text/event-stream")))
        doctor_good(d, s, &got);
    else
        doctor_bad(d, s, got.status == 401 ? CAUSE_AUTHORIZATION : CAUSE_OTHER,
                   doctor_describe(d, &got));
}
