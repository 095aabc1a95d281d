/*
 * webhook - POST /hooks/git: a forge says that something was pushed, and we pull at once.
 *
 * The body must be signed with the secret: X-Hub-Signature-256 (GitHub) or
 * X-Gitea-Signature (Gitea, Forgejo), HMAC-SHA-256; or the secret itself is there:
 * X-Gitlab-Token (GitLab). What was delivered before, by its id or by its content, does
 * nothing within WEBHOOK_WINDOW_S. Nobody has to sign in here, and nothing is answered
 * that a stranger could use. For the loop's thread only.
 */
#pragma once

#include "http/server.h"
#include "sync/sync.h"

enum {
    WEBHOOK_BODY_MAX = 1 << 20,
    WEBHOOK_SEEN_MAX = 512, /* deliveries that are remembered; the oldest goes */
    WEBHOOK_WINDOW_S = 3600,
    WEBHOOK_SECRET_MIN = 8, /* bytes, without the line's end */
    WEBHOOK_SECRET_MAX = 4096,
};

#define WEBHOOK_PATH "/hooks/git"

struct webhook;

/* sync is borrowed. Fails when the file cannot be read or holds no usable secret. */
MUST_CHECK bool webhook_create(str secret_file, struct sync *sync, struct webhook **out,
                               struct err *err);
void webhook_free(struct webhook *h);

/* Of its route; context is the struct webhook. */
void webhook_handle(struct http_exchange *x, void *context);

enum webhook_answer {
    WEBHOOK_PULL,    /* new, and rightly signed */
    WEBHOOK_SEEN,    /* a repetition */
    WEBHOOK_IGNORED, /* rightly signed, but not of a push */
    WEBHOOK_REFUSED, /* not signed, or wrongly, or with another secret */
};

/* What to make of a request at that time (seconds); remembers it. */
enum webhook_answer webhook_judge(struct webhook *h, const struct http_request *r,
                                  int64_t now);
