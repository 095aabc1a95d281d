/*
 * revision - the revisions of MCP that we support, oldest first.
 *
 * "Legacy" revisions begin with an initialize handshake; "modern" ones are stateless and
 * carry version and capabilities in every request. The two lists never mix: initialize
 * negotiates legacy revisions only, server/discover offers modern ones only.
 */
#pragma once

#include "base/str.h"

enum mcp_revision {
    MCP_NO_REVISION,
    MCP_2024_11_05,
    MCP_2025_03_26,
    MCP_2025_06_18,
    MCP_2025_11_25,
    MCP_2026_07_28,
    MCP_REVISIONS,
};

#define MCP_NEWEST_LEGACY MCP_2025_11_25
#define MCP_OLDEST_MODERN MCP_2026_07_28

static inline bool mcp_is_modern(enum mcp_revision r)
{
    return r >= MCP_OLDEST_MODERN;
}

/* "2025-11-25" and so on. */
str mcp_revision_name(enum mcp_revision r);

/* MCP_NO_REVISION if it is not supported. */
enum mcp_revision mcp_revision_find(str name);

/* Whether a name claims the modern era, known to us or not: ISO dates compare as text. */
bool mcp_names_modern(str name);
