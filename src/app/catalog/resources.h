/*
 * resources - the vault's files for MCP clients: vault:///path, percent-encoded; if there
 * are several vaults, vault://name/path.
 */
#pragma once

#include "app/setup/app.h"
#include "mcp/resource.h"

enum {
    RESOURCES_PAGE = 200,         /* files per page of a list */
    RESOURCES_BLOB_MAX = 1 << 20, /* largest file that is not text, in bytes */
};

/* Each ends with NULL. */
extern const struct mcp_resource *const app_resources[];
extern const struct mcp_resource *const app_resources_of_many[];

/* The reverse of app_uri(); false if it is not a URI in a vault that the caller sees. */
MUST_CHECK bool resources_path(struct arena *a, const struct app *app,
                               const struct mcp_caller *caller, str uri,
                               const struct app_vault **v, str *path);
