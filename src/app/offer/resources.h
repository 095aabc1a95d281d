/*
 * resources - the vault's files for MCP clients: vault:///path, percent-encoded; of
 * several vaults vault://name/path.
 */
#pragma once

#include "app/setup/app.h"
#include "mcp/resource.h"

enum {
    RESOURCES_PAGE = 200,         /* files of one list */
    RESOURCES_BLOB_MAX = 1 << 20, /* bytes of a file that is no text */
};

/* Each ends with NULL. */
extern const struct mcp_resource *const app_resources[];
extern const struct mcp_resource *const app_resources_of_many[];

/* The URI of a file. Whoever subscribes must spell it the same way. */
str resources_uri(struct arena *a, const struct app_vault *v, str path);

/* And back; false when it is none of ours. */
MUST_CHECK bool resources_path(struct arena *a, const struct app *app, str uri,
                               const struct app_vault **v, str *path);
