/*
 * operator_request - query a local server for its status: one GET, to an address in
 * the form of --ops-addr and --listen-addr; or ask it to do something.
 */
#pragma once

#include "base/json.h"

enum {
    OPERATOR_REQUEST_MS = 10000,
    OPERATOR_CHANGE_MS = 60000, /* to make a change, which may wait for others */
    OPS_ANSWER_MAX = 1 << 20,
    OPS_PROPOSAL_MAX = 64 << 20, /* of an answer that has texts of notes */
};

/* Whether no server is listening there, as on the socket of a crashed server. */
bool ops_is_deserted(str address);

/* The JSON it answers with, whatever the HTTP status. ERR_NOT_FOUND: no server is
 * listening there. ERR_INVALID: not an address, or some other server. */
MUST_CHECK bool operator_request(struct arena *a, str address, const char *path,
                                 const struct json **out, struct err *err);

/*
 * POST a JSON text to a server in the state folder. Its address is public on this machine if
 * --ops-addr is, so it asks for a key: a file next to its socket, which only its owner can
 * read (OPS_KEY_SUFFIX).
 */
MUST_CHECK bool operator_post(struct arena *a, str address, const char *path, str key,
                              str body, const struct json **out, struct err *err);

/* "STATE/run/12.key" of "STATE/run/12.sock". */
#define OPS_KEY_SUFFIX ".key"
#define OPS_KEY_HEADER "x-vaultd-key"
