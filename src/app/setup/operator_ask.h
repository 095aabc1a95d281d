/*
 * ops_ask - ask a server on this machine how it is: one GET, by an address as --ops-addr
 * and --listen-addr have it.
 */
#pragma once

#include "base/json.h"

enum { OPS_ASK_MS = 10000, OPS_ANSWER_MAX = 1 << 20 };

/* Whether nobody listens there, as on the socket of a server that has crashed. */
bool ops_is_deserted(str address);

/* The JSON that it answers with, whatever its status. ERR_NOT_FOUND: nobody listens
 * there. ERR_INVALID: no such address, or another server. */
MUST_CHECK bool ops_ask(struct arena *a, str address, const char *path,
                        const struct json **out, struct err *err);
