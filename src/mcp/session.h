/*
 * session - legacy session ids that contain the session's state. Private to src/mcp.
 *
 * The id encodes what the client sent in initialize, a random part and a MAC, so that any
 * process with the same key can serve it, even after a restart; it is never a credential.
 * The server only remembers which sessions have ended, for the last several thousand.
 *
 *     base64url( format 1 | revision 1 | capabilities 2 | minute 4 | random 16
 *                | size of the label 1 | label | MAC 16 )
 *
 * The label (client.h) was added with format 2; ids of format 1 are still read.
 */
#pragma once

#include "base/lock.h"
#include "mcp/client.h"
#include "mcp/config.h"

enum {
    SESSION_ID_SIZE = 144, /* room for an id and its NUL */
    SESSION_SCOPE_SIZE = 40,
    SESSION_DAYS = 90,
    SESSIONS_BUCKETS = 1024, /* of ended sessions, by their random part */
    SESSIONS_WAYS = 8,       /* per bucket; the oldest is overwritten first */
};

struct mcp_session {
    struct mcp_client client;
    char scope[SESSION_SCOPE_SIZE]; /* names the session inside the server */
    uint64_t number;                /* of its random part */
};

struct mcp_server;

struct mcp_sessions {
    bool (*key)(struct mcp_server *server, uint8_t out[MCP_KEY_SIZE], struct err *err);
    struct mcp_server *server;
    struct lock lock;
    uint64_t (*ended)[SESSIONS_WAYS]; /* by bucket; allocated when first needed */
    uint8_t *next;                    /* which way is overwritten next, by bucket */
};

/* key gives the key that ids are signed with. */
void sessions_init(struct mcp_sessions *s,
                   bool (*key)(struct mcp_server *server, uint8_t out[MCP_KEY_SIZE],
                               struct err *err),
                   struct mcp_server *server);
void sessions_release(struct mcp_sessions *s);

/* An id for a client that has just sent initialize. */
MUST_CHECK bool session_issue(struct mcp_sessions *s, const struct mcp_client *client,
                              str principal, char id[SESSION_ID_SIZE], struct err *err);

/* False if the id is not ours, belongs to another user, is too old, or has ended. */
MUST_CHECK bool session_read(struct mcp_sessions *s, str id, str principal,
                             struct mcp_session *out);

void session_end(struct mcp_sessions *s, const struct mcp_session *session);
