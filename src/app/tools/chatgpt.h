/*
 * chatgpt - how search and fetch name documents: the pair of tools that ChatGPT's
 * connectors and deep research call.
 *
 * A document's id is its path, or "vault/path" if there are several vaults, because one
 * search covers all of them. Its url opens it in Obsidian on a machine that has the
 * vault: no web page shows it.
 */
#pragma once

#include "app/tool_support/tool_support.h"

str chatgpt_id(struct arena *a, const struct app_vault *v, str path);
str chatgpt_url(struct arena *a, const struct app_vault *v, str path);

/* The path that an id names; from then on the call uses the id's vault. ERR_NOT_FOUND if
 * there is no such vault. */
MUST_CHECK bool chatgpt_path(struct mcp_call *call, str id, str *path, struct err *err);
