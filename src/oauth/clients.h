/*
 * clients - the programs that request access.
 *
 * There are three kinds: configured clients, clients that registered themselves (RFC
 * 7591) and clients whose id is the URL of a metadata document. The data here is
 * validated: redirect URIs by SEC-21, names by SEC-44.
 */
#pragma once

#include "base/err.h"
#include "oauth/client.h"

struct oauth;

/* ERR_NOT_FOUND if no client has that id. May fetch a document, so never call it on the
 * loop. */
MUST_CHECK bool clients_find(struct oauth *o, struct arena *a, str id,
                             struct oauth_client *out, struct err *err);

/* A name that is safe to display: without control, bidi and zero-width characters, at
 * most CLIENT_NAME_SHOWN characters (SEC-44). */
str clients_clean_name(struct arena *a, str name);

/* Where to send the browser: the given URI if it is registered, ignoring the port of a
 * loopback address (SEC-40); if it is absent (p NULL), the only registered one. False:
 * there is none. */
bool clients_redirect(const struct oauth_client *c, str given, str *out);

/*
 * POST /oauth/register: turns the body into the answer. On failure, false with the error
 * code and text of RFC 7591 in *code and err; ERR_LIMIT: too many clients; ERR_BUSY,
 * ERR_INTERNAL: the store failed. peer: the client's address, which is limited.
 */
MUST_CHECK bool clients_register(struct oauth *o, struct arena *a, str peer, str body,
                                 str *answer, str *code, struct err *err);
