/*
 * prompts - requests that people choose from a menu of their client: our own, and notes
 * with the tag prompt (vault/ask/prompt_note.h). If there are several vaults, the latter
 * are named "vault/name".
 */
#pragma once

#include "app/setup/app.h"
#include "app/tool_support/prompt_words.h"
#include "mcp/prompt.h"

enum {
    PROMPTS_NOTE_MAX = 100000, /* bytes of a note that a prompt includes */
    PROMPTS_VAULTS_MAX = 8,    /* hosted vaults whose notes are listed */
};

/* For the default set. */
extern const struct prompt_words prompts_default;

/* The prompts that have words, which may be NULL; in the arena, ends with NULL. */
const struct mcp_prompt *const *prompts_for(struct arena *a,
                                            const struct prompt_words *words);

extern const struct mcp_prompt_family app_more_prompts;

/* Whether the vault's part of the list differs from the one last shown; true once for
 * each change. */
bool prompts_changed(struct app_vault *v);
