/*
 * peers - what processes that serve the same clients (mcp_config.peers) let each other
 * know. Private to src/mcp.
 *
 * A request may reach any of them. So a session that has ended in one has ended in all;
 * an answer or a cancellation is forwarded to the process that runs the call;
 * subscriptions of a legacy client are stored, and read by the process that has its
 * stream; a task is stored whenever its status changes, and while it runs, the others
 * pass on what concerns it. An event stream is with one process only, and cannot be
 * resumed at another.
 *
 * Functions that store, read or judge wait for the database, so they are for workers; the
 * others may be called on any thread. Without peers all of them do nothing.
 */
#pragma once

#include "mcp/jsonrpc.h"
#include "mcp/request.h"
#include "mcp/session.h"
#include "mcp/spent.h"

enum {
    PEERS_NAME_MAX = 200, /* bytes of a scope or id, and a verb */
    PEERS_TEXT_MAX = MCP_TELL_MAX - PEERS_NAME_MAX, /* of what is passed on */
};

bool peers_exist(const struct mcp_server *s);

/* Whether a request that stores something may run on the transport's thread. */
bool peers_are_none(const struct mcp_request *r);

/* The session has ended here. */
void peers_session_ended(struct mcp_server *s, const struct mcp_session *session);

/* A legacy client has sent an answer or a notification, raw: it is for a call here, or
 * passed on. False: it must be, and is larger than PEERS_TEXT_MAX. */
MUST_CHECK bool peers_take_in(struct mcp_server *s, str scope,
                              const struct rpc_message *m, str raw);

/*
 * A legacy client subscribes to a URI (or no longer), or has set its log level: stored
 * for HUB_IDLE_S, and passed on to the process that has its stream. peers_subscribe()
 * fails with ERR_LIMIT (hub.h), or if it cannot be stored.
 */
MUST_CHECK bool peers_subscribe(struct mcp_server *s, str owner, str scope, str uri,
                                struct err *err);
void peers_unsubscribe(struct mcp_server *s, str owner, str scope, str uri);
void peers_set_level(struct mcp_server *s, str owner, str scope,
                     enum mcp_log_level level);

/* A legacy client has opened its stream here: read soon, on a worker, what it has
 * subscribed to, and store it for as long as the stream is open. */
void peers_read_client_soon(struct mcp_server *s, str owner, str scope);

/* Store what clients with a stream here have subscribed to for another HUB_IDLE_S. */
void peers_touch(struct mcp_server *s);

/* Forget what was to be done soon: no worker runs any more. */
void peers_release(struct mcp_server *s);

/* Spend the id of a sealed state (spent.h), for all; without peers, here. */
enum mcp_spending peers_spend(struct mcp_server *s, uint64_t share, str id,
                              unsigned seconds);

/* The name of this process, stored with its tasks; and whether another one is gone, so
 * that its tasks will not end. */
str peers_self(const struct mcp_server *s);
bool peers_is_gone(const struct mcp_server *s, str name);

/* Store a task as text; read it, empty if there is none; pass a message of at most
 * PEERS_TEXT_MAX bytes on to the process that runs it. */
void peers_store_task(struct mcp_server *s, str id, str text);
str peers_stored_task(struct mcp_server *s, struct arena *a, str id);
void peers_tell_task(struct mcp_server *s, str id, str message);
