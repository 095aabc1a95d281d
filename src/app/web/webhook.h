/*
 * webhook - POST /hooks/git: a forge reports a push, and we pull immediately.
 *
 * The body must be signed with the secret: X-Hub-Signature-256 (GitHub) or
 * X-Gitea-Signature (Gitea, Forgejo), HMAC-SHA-256; or the secret itself is sent:
 * X-Gitlab-Token (GitLab). A delivery with the id or content of an earlier one is ignored
 * for WEBHOOK_WINDOW_S. No sign-in is required here, and the answers contain nothing that
 * an attacker could use. For the loop's thread only.
 */
#pragma once

#include "app/setup/app.h"
#include "http/server.h"

enum {
    WEBHOOK_BODY_MAX = 1 << 20,
    WEBHOOK_SEEN_MAX = 512, /* remembered deliveries; the oldest is dropped */
    WEBHOOK_WINDOW_S = 3600,
    WEBHOOK_SECRET_MIN = 8, /* bytes, without the line end */
    WEBHOOK_SECRET_MAX = 4096,
};

#define WEBHOOK_PATH "/hooks/git"

struct webhook;

/* app is borrowed. Fails if the file cannot be read or has no usable secret. */
MUST_CHECK bool webhook_create(str secret_file, const struct app *app,
                               struct webhook **out, struct err *err);
void webhook_free(struct webhook *h);

/* Read the secret again; on failure the old one stays. From any thread. */
MUST_CHECK bool webhook_reload(struct webhook *h, struct err *err);

/* The handler of its route; context is the struct webhook. */
void webhook_handle(struct http_exchange *x, void *context);

enum webhook_answer {
    WEBHOOK_PULL,    /* new and correctly signed */
    WEBHOOK_SEEN,    /* a repeated delivery */
    WEBHOOK_IGNORED, /* correctly signed, but not a push */
    WEBHOOK_REFUSED, /* not signed, or not with our secret */
};

/* Judges a request that arrived at that time (seconds), and remembers it. */
enum webhook_answer webhook_judge(struct webhook *h, const struct http_request *r,
                                  int64_t now);
