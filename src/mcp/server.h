/*
 * server - an MCP server: tables of tools, resources and prompts, served in every
 * revision from 2024-11-05 to 2026-07-28.
 *
 * The server knows no transport: stdio.h and endpoint.h pass it messages, each with a
 * sink for the output. It keeps no session: what a legacy client said at initialize is in
 * its signed session id (session.h), what a modern one says is in each request.
 */
#pragma once

#include "mcp/config.h"
#include "mcp/prompt.h"
#include "mcp/resource.h"
#include "mcp/tool.h"

struct mcp_server;

/* The tables must outlive the server. A duplicate name is a BUG(). */
struct mcp_server *mcp_server_create(const struct mcp_config *config);
void mcp_server_free(struct mcp_server *s);

/* From any thread: notify all subscribers. */
void mcp_server_changed(struct mcp_server *s, enum mcp_change what);
void mcp_server_updated(struct mcp_server *s, str uri);
void mcp_server_updated_for(struct mcp_server *s, str uri,
                            str owner); /* hub_updated_for() */

/* How the URIs of resources begin that clients wait for changes of ("scheme://authority/"),
 * each once, in the arena; and notify them of all resources that begin so, because some may
 * have changed. */
size_t mcp_server_watched(struct mcp_server *s, struct arena *a, str **out);
void mcp_server_updated_all(struct mcp_server *s, str start);

/* What clients have subscribed to and begins so, each once, in the arena; and note for those
 * that have no stream now that all of it may have changed: they are notified later. */
size_t mcp_server_subscribed(struct mcp_server *s, struct arena *a, str start, str **out);
void mcp_server_missed(struct mcp_server *s, str start);

/* As mcp_server_changed(), but only for callers that may see one of these resources. */
void mcp_server_changed_by(struct mcp_server *s, enum mcp_change what, const str *uris,
                           size_t n);

/* Cancel calls that wait for an answer from their client, give the others ms to finish,
 * then cancel the rest and end all streams. */
void mcp_server_drain(struct mcp_server *s, unsigned ms);
