/*
 * browser - the pages of the authorization server, where people decide.
 *
 * Handlers run on threads of their own: two that check passwords, with a short queue, and
 * a few that may wait for the store or for another server. So neither strangers nor slow
 * providers hold up the loop or the calls of clients. What does not fit is answered 503.
 */
#pragma once

#include "http/server.h"
#include "oauth/oauth.h"

struct browser;

MUST_CHECK bool browser_create(struct oauth *o, struct browser **out, struct err *err);

/* Wait for what still runs; nothing may come any more. NULL is fine. */
void browser_stop(struct browser *b);
void browser_free(struct browser *b);

/* On the loop: any request at or below /authorize, /oauth/ and /account, and for a page
 * of the app. */
void browser_handle(struct oauth *o, struct http_exchange *x);
