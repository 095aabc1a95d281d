/*
 * jsonrpc - JSON-RPC 2.0 messages: what kind they are, and how answers are written.
 *
 * Ids are kept as parsed values and written back byte for byte, so a client gets back its
 * own spelling.
 */
#pragma once

#include "base/json.h"
#include "base/json_write.h"

enum rpc_code {
    RPC_PARSE_ERROR = -32700,
    RPC_INVALID_REQUEST = -32600,
    RPC_METHOD_NOT_FOUND = -32601,
    RPC_INVALID_PARAMS = -32602,
    RPC_INTERNAL_ERROR = -32603,
    MCP_REFUSED = -32000,            /* legacy transport refusals */
    MCP_SESSION_NOT_FOUND = -32001,  /* legacy */
    MCP_RESOURCE_NOT_FOUND = -32002, /* legacy */
    MCP_HEADER_MISMATCH = -32020,
    MCP_MISSING_CAPABILITY = -32021,
    MCP_UNSUPPORTED_VERSION = -32022,
};

enum { RPC_ID_MAX = 256, RPC_BATCH_MAX = 100 };

enum rpc_kind { RPC_REQUEST, RPC_NOTIFICATION, RPC_RESPONSE };

struct rpc_message {
    enum rpc_kind kind;
    const struct json *id; /* string or integer; NULL in a notification */
    str method;
    const struct json *params; /* an object, or NULL */
    const struct json *result; /* of a response: either this or error */
    const struct json *error;
};

/* A failure as it goes to the client. */
struct rpc_error {
    int code;
    char message[240];
    str data; /* JSON text, or empty */
};

/*
 * Read one message. On failure *bad says what to answer and out->id is set if an id could
 * be read.
 */
MUST_CHECK bool rpc_read(const struct json *j, struct rpc_message *out,
                         struct rpc_error *bad);

/* Fill *e and return false. */
bool rpc_fail(struct rpc_error *e, int code, const char *fmt, ...) PRINTF_LIKE(3, 4);

/*
 * Open {"jsonrpc":"2.0","id":…,"result":{ ; the caller writes members and calls
 * jsonw_end() twice.
 */
void rpc_begin_result(struct jsonw *w, const struct json *id);

/* Open {"jsonrpc":"2.0","method":…,"params":{ likewise; id is NULL for a notification. */
void rpc_begin_call(struct jsonw *w, str id, str method);

/* A whole error message; without "id" when id is NULL. */
str rpc_error_text(struct arena *a, const struct json *id, const struct rpc_error *e);
