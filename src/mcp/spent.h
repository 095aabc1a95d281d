/*
 * spent - which sealed states were used, so that a confirmation counts once (ask.c). Private
 * to src/mcp.
 *
 * Processes that serve the same clients ask their common place (mcp_peers.once); one that is
 * alone remembers them itself, until they have expired. A restart forgets them.
 */
#pragma once

#include "base/lock.h"
#include "base/str.h"

enum {
    MCP_SPENT_SIZE = 16,       /* random bytes of an id; twice as many in hex */
    MCP_SPENT_MAX = 8 << 10,   /* ids that are remembered */
    MCP_SPENT_SHARE = 1 << 10, /* of one caller */
};

struct mcp_spent {
    struct lock lock;
    struct mcp_spent_row *rows; /* MCP_SPENT_MAX, allocated when first needed */
    size_t n;
};

void spent_init(struct mcp_spent *s);
void spent_release(struct mcp_spent *s);

/* Spend an id that expires in some seconds, in this process (for all: peers_spend()).
 * UNKNOWN: it cannot be remembered, so whatever it confirms must not be done. */
enum mcp_spending { MCP_SPENT_NOW, MCP_SPENT_BEFORE, MCP_SPENT_UNKNOWN };
enum mcp_spending spent_spend(struct mcp_spent *s, uint64_t share, str id,
                              unsigned seconds);
