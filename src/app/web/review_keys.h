/*
 * review_keys - how a person in a browser is told apart from a client program where there is
 * no sign-in: by a link that only the command line prints (vaultd proposals --link).
 *
 * Without sign-in, whatever can reach the server can read its pages and post their forms, so
 * a form alone shows nothing about who sent it. The command line gets a key through the
 * operator's socket, which only the owner of the state folder can use. The key is valid once
 * and for REVIEW_KEY_S; the browser that opens it gets a cookie, which decides until the
 * server ends or REVIEW_SESSION_S have passed. A program that can run vaultd as its owner can
 * do that, too, as it could run vaultd accept. Safe for any number of threads.
 */
#pragma once

#include "http/request.h"
#include "http/response.h"

enum {
    REVIEW_KEYS_MAX = 16,   /* of each kind: then the oldest is dropped */
    REVIEW_KEY_S = 10 * 60, /* until a key is used */
    REVIEW_SESSION_S = 12 * 60 * 60,
};

struct review_keys;

struct review_keys *review_keys_create(void);
void review_keys_free(struct review_keys *k); /* NULL is fine */

/* A new key, in the arena. */
str review_keys_new(struct review_keys *k, struct arena *a);

/* Whether the key is valid, which it is no longer then; sets the cookie. */
bool review_keys_redeem(struct review_keys *k, struct arena *a, str key,
                        struct http_response *out);

/* Whether the request has such a cookie. k may be NULL: false. */
bool review_keys_admit(struct review_keys *k, const struct http_request *r);
