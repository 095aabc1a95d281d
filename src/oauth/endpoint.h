/*
 * endpoint - private to src/oauth: what the endpoints for programs (not browsers) share.
 *
 * Handlers run on the pool for sign-in work, each with its own arena, and answer the
 * exchange. Answers are JSON that must not be cached (SEC-16) and never echo what was
 * sent.
 */
#pragma once

#include "http/form.h"
#include "oauth/parts.h"

enum { ENDPOINT_BODY_MAX = 64 << 10, ENDPOINT_RETRY_S = 5, ENDPOINT_CROWDED_S = 60 };

struct endpoint {
    struct oauth *oauth;
    struct http_exchange *x;
    const struct http_request *request;
    struct arena *arena;
    bool basic; /* the client sent Authorization: Basic */
};

/* Route handlers: each passes its work to the pool. */
void token_handle(struct http_exchange *x, void *oauth);
void register_handle(struct http_exchange *x, void *oauth);
void revoke_handle(struct http_exchange *x, void *oauth);
void introspect_handle(struct http_exchange *x, void *oauth);

/* These answer directly on the loop (metadata.c). */
void metadata_resource(struct http_exchange *x, void *oauth);
void metadata_server(struct http_exchange *x, void *oauth);
void metadata_keys(struct http_exchange *x, void *oauth);

/* Run work on the pool; if it is full, answers 503 temporarily_unavailable at once. */
void endpoint_run(struct oauth *o, struct http_exchange *x,
                  void (*work)(struct endpoint *e));

void endpoint_reply(struct endpoint *e, int status, str json);
void endpoint_refuse(struct endpoint *e, const struct oauth_fault *fault);

/* Read the form in the body; false: the request was refused. */
MUST_CHECK bool endpoint_form(struct endpoint *e, struct form *out);

/* Authenticate the client by exactly one method, the registered one (SEC-15); false with
 * a fault. */
MUST_CHECK bool endpoint_client(struct endpoint *e, const struct form *f,
                                struct oauth_client *out, struct oauth_fault *fault);
