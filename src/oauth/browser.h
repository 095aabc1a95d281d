/*
 * browser - the pages of the authorization server, where users sign in and decide.
 *
 * Handlers run on dedicated threads: two that check passwords, with a short queue, and
 * those for all sign-in work (parts.h). So neither attackers nor slow providers hold up
 * the loop or MCP calls. When the queue is full, the answer is 503.
 */
#pragma once

#include "http/server.h"
#include "oauth/config.h"

struct browser;

MUST_CHECK bool browser_create(struct oauth *o, struct browser **out, struct err *err);

/* Waits for running handlers; no further request may arrive. NULL is allowed. */
void browser_stop(struct browser *b);
void browser_free(struct browser *b);

/* On the loop: any request at or below /authorize, /oauth/ and /account, or for a page of
 * the app. */
void browser_handle(struct oauth *o, struct http_exchange *x);
