/*
 * resources - the vault's files for MCP clients: vault:///path, percent-encoded.
 */
#pragma once

#include "mcp/resource.h"

#define RESOURCES_URI "vault:///"

enum {
    RESOURCES_PAGE = 200,         /* files of one list */
    RESOURCES_BLOB_MAX = 1 << 20, /* bytes of a file that is no text */
};

/* Ends with NULL. */
extern const struct mcp_resource *const app_resources[];

/* The URI of a file. Whoever subscribes must spell it the same way. */
str resources_uri(struct arena *a, str path);
