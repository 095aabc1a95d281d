/*
 * auth_flow_store - auth flows in the database, so that a sign-in that began at one
 * replica may continue at any other. Private to auth_flow.c, whose contracts it keeps.
 *
 * Keys and the cookie are stored as hashes; the rest, for AUTH_FLOW_TTL_S, is JSON that
 * is sealed with a key from the cookie. Only the browser has the cookie, so reading the
 * database is not enough to continue a sign-in; a key of ours would be in the same
 * database. If that does not answer, an auth flow is lost: the user starts again.
 */
#pragma once

#include "oauth/auth_flow.h"
#include "state/store.h"

/* Store it, and free it. */
void auth_flow_store_put(struct store *s, struct auth_flow *x);

struct auth_flow *auth_flow_store_take(struct store *s, enum auth_flow_key kind, str key,
                                       str browser_cookie, enum auth_flow_stage stage,
                                       int64_t now);
bool auth_flow_store_knows(struct store *s, str browser_cookie, int64_t now);
void auth_flow_store_move(struct store *s, str from_cookie, str to_cookie);
size_t auth_flow_store_count(struct store *s);
