/*
 * replica - the app as one of several replicas (replica/replica.h): what the protocol library
 * shares with others, and what is done when they send something. Without --state-db nothing here
 * does anything.
 */
#pragma once

#include "app/setup/app.h"

#define REPLICA_TOPIC_MCP "mcp"

/* For mcp_config.peers. */
struct mcp_peers replica_peers(const struct app *app);

/* When everything is open: subscribe, and remove what has expired. Until replica_stop(). */
void replica_start(struct app *app);
