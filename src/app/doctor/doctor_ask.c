#include "app/doctor/doctor_parts.h"
#include "fetch/fetch.h"

enum { ANSWER_MS = 10000 };

#define INITIALIZE                                                                       \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{"               \
    "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},"                            \
    "\"clientInfo\":{\"name\":\"vaultd-doctor\",\"version\":\"1\"}}}"

#define BOTH_TYPES "Accept: application/json, text/event-stream"

void doctor_good(struct doctor *d, struct doctor_step *s, const struct fetched *got)
{
    s->status = STEP_GOOD;
    s->got = arena_printf(d->arena, "%d", got->status);
}

void doctor_skip(struct doctor_step *s, str why)
{
    s->status = STEP_SKIPPED;
    s->got = why;
}

/* false */
bool doctor_bad(struct doctor *d, struct doctor_step *s, enum doctor_cause cause, str got)
{
    s->status = STEP_BAD;
    s->cause = cause;
    s->got = arena_str(d->arena, got);
    return false;
}

str doctor_describe(struct doctor *d, const struct fetched *got)
{
    str server = fetched_header(got, STR("server"));
    return arena_printf(d->arena, "%d%s" STR_FMT "%s" STR_FMT, got->status,
                        got->content_type.n > 0 ? " " : "", STR_ARG(got->content_type),
                        server.n > 0 ? " from " : "", STR_ARG(server));
}

static enum doctor_cause cause_of_failure(const struct err *err)
{
    switch (err->name) {
    case E_FETCH_DNS:
        return CAUSE_DNS;
    case E_FETCH_CONNECT:
        return CAUSE_CONNECT;
    case E_FETCH_TLS:
        return CAUSE_TLS;
    case E_FETCH_TIMEOUT:
        return CAUSE_TIMEOUT;
    default:
        return CAUSE_OTHER;
    }
}

bool doctor_is_json(const struct fetched *got)
{
    return str_eq_nocase(got->content_type, STR("application/json"));
}

/* What an answer means for any request; CAUSE_NONE: it depends on the request. */
static enum doctor_cause usual_cause(const struct fetched *got)
{
    switch (got->status) {
    case 421:
        return CAUSE_HOST;
    case 301:
    case 302:
    case 303:
    case 307:
    case 308:
        return CAUSE_REDIRECT;
    case 403:
        return doctor_is_json(got) ? CAUSE_NONE : CAUSE_BLOCKED;
    case 413:
        return CAUSE_BODY;
    case 502:
    case 503:
    case 504:
        return doctor_is_json(got) ? CAUSE_NONE : CAUSE_UPSTREAM;
    default:
        return CAUSE_NONE;
    }
}

/* One request; false: the step has failed, and its cause is set. */
bool doctor_ask(struct doctor *d, struct doctor_step *s, struct fetch *f,
                struct fetched *got)
{
    struct err err = {0};
    f->max = DOCTOR_ANSWER_MAX;
    f->ms = f->ms > 0 ? f->ms : ANSWER_MS;
    f->ca_file = d->ca_file;
    f->any_http = true;
    f->http1 = true; /* as most clients do; and an early answer is not lost */
    if (!fetch_url(d->arena, f, got, &err)) {
        enum doctor_cause cause = cause_of_failure(&err);
        d->unreachable =
            cause == CAUSE_DNS || cause == CAUSE_CONNECT || cause == CAUSE_TLS;
        return doctor_bad(d, s, cause, str_c(err.msg));
    }
    enum doctor_cause cause = usual_cause(got);
    return cause == CAUSE_NONE || doctor_bad(d, s, cause, doctor_describe(d, got));
}

void doctor_post(struct doctor *d, str url, const char *const *headers, struct fetch *out)
{
    str *lines = ARENA_ARRAY(d->arena, str, 8);
    *out = (struct fetch){.url = url, .body = STR(INITIALIZE), .headers = lines};
    lines[out->n_headers++] = STR(DOCTOR_JSON);
    lines[out->n_headers++] = STR(BOTH_TYPES);
    for (; headers != NULL && *headers != NULL; headers++)
        lines[out->n_headers++] = str_c(*headers);
}

/* --- requests without a token --- */

/* The value of a challenge's parameter: name="value". */
static str parameter(str header, str name)
{
    size_t at = str_find(header, name);
    if (at == STR_NONE)
        return (str){0};
    str rest = str_skip(header, at + name.n);
    if (!str_starts(rest, STR("=\"")))
        return (str){0};
    rest = str_skip(rest, 2);
    return str_slice(rest, 0, str_find_char(rest, '"'));
}

/* Whether a 401 has a challenge from vaultd. */
static bool is_challenged(struct doctor *d, struct doctor_step *s,
                          const struct fetched *got)
{
    str challenge = fetched_header(got, STR("www-authenticate"));
    if (challenge.p == NULL)
        return doctor_bad(d, s, CAUSE_CHALLENGE, STR("401 without WWW-Authenticate"));
    if (!str_starts(challenge, STR("Bearer ")))
        return doctor_bad(
            d, s, CAUSE_PROXY_SIGN_IN,
            arena_printf(d->arena, "401 with \"" STR_FMT "\"", STR_ARG(challenge)));
    str url = parameter(challenge, STR("resource_metadata"));
    if (url.n == 0)
        return doctor_bad(d, s, CAUSE_CHALLENGE,
                          STR("a challenge without resource_metadata"));
    d->metadata_url = url;
    return true;
}

/* Judges the answer to an initialize without a token. */
void doctor_judge_stranger(struct doctor *d, struct doctor_step *s,
                           const struct fetched *got)
{
    if (got->status == 200 && doctor_is_json(got))
        d->open = true;
    else if (got->status == 404 || got->status == 405) {
        doctor_bad(d, s, s->probe->missing, doctor_describe(d, got));
        return;
    } else if (got->status != 401) {
        doctor_bad(d, s, CAUSE_OTHER, doctor_describe(d, got));
        return;
    } else if (!is_challenged(d, s, got)) {
        return;
    }
    doctor_good(d, s, got);
    s->got = d->open ? STR("200, no sign-in required") : STR("401 with a challenge");
}
