/*
 * gate - checks the tokens of requests to the MCP endpoint (SEC-06, SEC-30 to SEC-34).
 *
 * Runs on the loop, before the body is parsed. A request without a valid token is
 * answered here.
 */
#pragma once

#include "oauth/grants.h"
#include "oauth/oauth.h"

/* False: the request was answered (400, 401). */
MUST_CHECK bool gate_pass(struct oauth *o, struct http_exchange *x, struct arena *a,
                          struct oauth_grant *out);

/* The grant does not allow changes: answers 403 with a challenge that names the scope
 * needed. */
void gate_refuse(struct oauth *o, struct http_exchange *x);
