/*
 * prompts - requests that people choose from a menu of their client: our own, and notes
 * with the tag prompt (vault/prompt_note.h). Of several vaults the latter are named
 * "vault/name".
 */
#pragma once

#include "app/app.h"
#include "mcp/prompt.h"

enum { PROMPTS_NOTE_MAX = 100000 }; /* bytes of a note that a prompt brings along */

/* Ends with NULL. */
extern const struct mcp_prompt *const app_prompts[];

extern const struct mcp_prompt_family app_more_prompts;

/* Whether the vault's part of the list is another than the one that was last shown, once
 * for each change. */
bool prompts_changed(struct app_vault *v);
