/*
 * gate - checks the tokens of requests to the MCP endpoint (SEC-06, SEC-30 to SEC-34).
 *
 * Runs on the loop, before the body is parsed. A cached token is judged at
 * once; others are looked up by separate threads (GATE_WORKERS), because the database
 * may be far away, and anyone can invent as many as they like. At most GATE_QUEUE wait,
 * shared fairly by addresses.
 */
#pragma once

#include "oauth/grants.h"
#include "oauth/oauth.h"

enum gate_verdict {
    GATE_OPEN,
    GATE_NO_TOKEN,   /* 401 */
    GATE_TWO_TOKENS, /* 400 */
    GATE_UNKNOWN,    /* 401: unknown, expired or revoked */
    GATE_UNSURE,     /* 503: it cannot be looked up now */
};

/* Calls then on the loop, now or later, with the grant if the gate is open. */
typedef void gate_fn(struct http_exchange *x, void *context, enum gate_verdict verdict,
                     const struct oauth_grant *grant);
void gate_ask(struct oauth *o, struct http_exchange *x, gate_fn *then, void *context);

/* Answer a request that did not pass. */
void gate_answer(struct oauth *o, struct http_exchange *x, enum gate_verdict verdict);

/* The grant does not allow changes: answers 403 with a challenge that names the scope
 * needed. */
void gate_refuse(struct oauth *o, struct http_exchange *x);
