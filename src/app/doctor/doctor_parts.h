/*
 * doctor_parts - private to doctor*.c: what is known so far, steps, and why they fail.
 *
 * A probe is a row: it sends one request as a client would and judges the answer. A
 * failure has a cause from a small table, which says how to fix it.
 */
#pragma once

#include "base/json.h"
#include "fetch/fetch.h"

enum doctor_cause {
    CAUSE_NONE,
    CAUSE_DNS,
    CAUSE_CONNECT,
    CAUSE_TLS,
    CAUSE_TIMEOUT,
    CAUSE_UPSTREAM,
    CAUSE_BLOCKED,
    CAUSE_HOST,
    CAUSE_REDIRECT,
    CAUSE_PATH,
    CAUSE_WELL_KNOWN,
    CAUSE_CHALLENGE,
    CAUSE_PROXY_SIGN_IN,
    CAUSE_AUTHORIZATION,
    CAUSE_SERVER_URL,
    CAUSE_CORS,
    CAUSE_METHOD,
    CAUSE_BUFFERING,
    CAUSE_BODY,
    CAUSE_HEADER,
    CAUSE_KEEP_ALIVE,
    CAUSE_PLAIN_HTTP,
    CAUSE_REGISTRATION,
    CAUSE_KEY,
    CAUSE_OTHER,
};

/* Why it does not work, and the rule that fixes it. */
struct doctor_remedy {
    const char *id;            /* "authorization_stripped" */
    const char *why;           /* a sentence */
    const char *caddy, *nginx; /* NULL: nothing to change there */
};
extern const struct doctor_remedy doctor_remedies[]; /* by cause */

enum doctor_status { STEP_GOOD, STEP_BAD, STEP_SKIPPED };

struct doctor_step {
    const struct doctor_probe *probe;
    enum doctor_status status;
    enum doctor_cause cause; /* if it failed */
    str got;                 /* the answer, or why it was skipped */
};

struct doctor {
    struct arena *arena;
    str url;             /* of the MCP endpoint, as users give it to a client */
    str origin, path;    /* its parts: "https://host:port", "/mcp" */
    const char *ca_file; /* or NULL */
    str key;             /* empty: none was given */
    bool registers;      /* may register clients */

    /* What the probes have found out. */
    bool unreachable; /* nothing else can work */
    bool open;        /* no sign-in is required */
    str metadata_url; /* of the challenge */
    str authorize_url, token_url, register_url;
};

struct doctor_probe {
    const char *id, *title, *expected;
    enum doctor_cause missing; /* the cause of a 404, or of a page instead of JSON */
    void (*run)(struct doctor *d, struct doctor_step *s);
    const char *with; /* the header that it sends, or the path that it fetches; or NULL */
};
extern const struct doctor_probe doctor_probes[]; /* ends with a row without id */

/* --- asking (doctor_ask.c) --- */

enum { DOCTOR_ANSWER_MAX = 256 << 10 };
#define DOCTOR_JSON "Content-Type: application/json"
#define HEADERS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* How a step ends; bad returns false. */
void doctor_good(struct doctor *d, struct doctor_step *s, const struct fetched *got);
void doctor_skip(struct doctor_step *s, str why);
bool doctor_bad(struct doctor *d, struct doctor_step *s, enum doctor_cause cause,
                str got);

/* "404 text/html from nginx" */
str doctor_describe(struct doctor *d, const struct fetched *got);
bool doctor_is_json(const struct fetched *got);

/* One request; false: the step has failed, for a reason that does not depend on the
 * probe. */
MUST_CHECK bool doctor_ask(struct doctor *d, struct doctor_step *s, struct fetch *f,
                           struct fetched *got);

/* A POST of initialize, the first request of all clients, with up to six more headers (or
 * NULL). */
void doctor_post(struct doctor *d, str url, const char *const *headers,
                 struct fetch *out);

/* Judges the answer to an initialize without a token, and ends the step. */
void doctor_judge_stranger(struct doctor *d, struct doctor_step *s,
                           const struct fetched *got);

/* --- the probes --- */

typedef void doctor_probe_fn(struct doctor *d, struct doctor_step *s);
/* doctor_sign_in.c */
doctor_probe_fn probe_named_resource, probe_path_resource, probe_root_resource,
    probe_server, probe_register, probe_authorize, probe_token, probe_authorization;
/* doctor_network.c */
doctor_probe_fn probe_preflight, probe_cors, probe_get, probe_slash, probe_header,
    probe_body, probe_keep_alive, probe_plain_http, probe_call, probe_stream;
