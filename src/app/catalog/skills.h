/*
 * skills - ways of working with a vault that agents follow: the files of .claude/skills,
 * offered as prompts. The build embeds them, so that each text exists only once.
 */
#pragma once

#include "mcp/prompt.h"

/* Ends with NULL. */
extern const struct mcp_prompt *const skill_prompts[];
