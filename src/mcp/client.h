/*
 * client - what a client declares: revision, capabilities, log level, name.
 *
 * A legacy client declares it once, in initialize; a modern one in the _meta of every
 * request. Its name is for logs and the journal only, never for decisions.
 */
#pragma once

#include "mcp/jsonrpc.h"
#include "mcp/revision.h"

#define MCP_META "io.modelcontextprotocol/"

/* Its capabilities, as bits. */
enum mcp_can {
    MCP_CAN_ELICIT = 1,     /* elicitation, form mode */
    MCP_CAN_ELICIT_URL = 2, /* elicitation, URL mode */
    MCP_CAN_SAMPLE = 4,
    MCP_CAN_SAMPLE_TOOLS = 8,
    MCP_CAN_LIST_ROOTS = 16,
    MCP_CAN_TASKS = 32,   /* the tasks extension */
    MCP_CAN_SHOW_UI = 64, /* MCP Apps */
};

enum mcp_log_level {
    MCP_LOG_DEBUG,
    MCP_LOG_INFO,
    MCP_LOG_NOTICE,
    MCP_LOG_WARNING,
    MCP_LOG_ERROR,
    MCP_LOG_CRITICAL,
    MCP_LOG_ALERT,
    MCP_LOG_EMERGENCY,
    MCP_LOG_OFF, /* no messages were requested */
};

enum { MCP_LABEL_SIZE = 65 }; /* of a client's label, with its NUL */

struct mcp_client {
    enum mcp_revision revision;
    unsigned can;                 /* bits of enum mcp_can */
    enum mcp_log_level log_level; /* the lowest level it wants */
    char label[MCP_LABEL_SIZE];   /* "name version", shortened; "" if it gave none */
};

/* A request claims the modern era when its _meta names a protocol version. */
enum mcp_claim {
    MCP_NO_CLAIM,
    MCP_CLAIM_VALID,
    MCP_CLAIM_BROKEN, /* a key of the envelope is missing or malformed: *bad names it */
    MCP_CLAIM_UNSUPPORTED, /* a valid envelope, but an unknown version: see *bad */
};

/*
 * Read the envelope in params._meta. *version is the version it names; *client is filled
 * on MCP_CLAIM_VALID.
 */
enum mcp_claim mcp_read_claim(struct arena *a, const struct json *params,
                              struct mcp_client *client, str *version,
                              struct rpc_error *bad);

/* The error for a request without an envelope in the era that requires one. */
bool mcp_missing_envelope(const struct json *params, struct rpc_error *bad);

/* The id in params._meta.traceparent (W3C Trace Context), 32 hex digits; empty if there is no valid
 * one. */
str mcp_read_trace(const struct json *params);

/* Read initialize: the revision to answer with (our newest, if theirs is unknown),
 * capabilities, name. */
MUST_CHECK bool mcp_read_initialize(const struct json *params, struct mcp_client *client,
                                    struct rpc_error *bad);

/* Bits of enum mcp_can from a ClientCapabilities object; and the object for one bit. */
unsigned mcp_read_capabilities(const struct json *capabilities);
const char *mcp_capability_json(enum mcp_can can);

/* Parse "warning" and so on; false if it is not a level. */
bool mcp_log_level_find(str name, enum mcp_log_level *out);
str mcp_log_level_name(enum mcp_log_level level);
