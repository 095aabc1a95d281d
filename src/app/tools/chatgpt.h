/*
 * chatgpt - what search and fetch, the pair of tools that ChatGPT's connectors and deep
 * research call, have in common: how a document is named.
 *
 * Its id is its path; of several vaults "vault/path", as one search is over all of them.
 * Its url opens it in Obsidian, on a machine that has the vault: there is no page on the
 * web that shows it.
 */
#pragma once

#include "app/kit/tool_kit.h"

str chatgpt_id(struct arena *a, const struct app_vault *v, str path);
str chatgpt_url(struct arena *a, const struct app_vault *v, str path);

/* The path of an id; the call is about its vault from then on. ERR_NOT_FOUND if there is
 * no such vault. */
MUST_CHECK bool chatgpt_path(struct mcp_call *call, str id, str *path, struct err *err);
