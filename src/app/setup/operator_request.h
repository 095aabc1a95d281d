/*
 * operator_request - query a local server for its status: one GET, to an address in
 * the form of --ops-addr and --listen-addr.
 */
#pragma once

#include "base/json.h"

enum { OPERATOR_REQUEST_MS = 10000, OPS_ANSWER_MAX = 1 << 20 };

/* Whether no server is listening there, as on the socket of a crashed server. */
bool ops_is_deserted(str address);

/* The JSON it answers with, whatever the HTTP status. ERR_NOT_FOUND: no server is
 * listening there. ERR_INVALID: not an address, or some other server. */
MUST_CHECK bool operator_request(struct arena *a, str address, const char *path,
                                 const struct json **out, struct err *err);
