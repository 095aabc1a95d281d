/*
 * skill_resource - skills for MCP clients (mcp/skill.h): skill://NAME/FILE, percent-encoded; those
 * of a vault, if there are several, skill://VAULT/NAME/FILE. vault_skills.h and skill_own.h say
 * which there are.
 */
#pragma once

#include "mcp/resource.h"
#include "mcp/skill.h"

extern const struct mcp_skill_family app_skills;

/* Their files. They are not among the templates. */
extern const struct mcp_resource skill_resource;

/* Add the SKILL.md of each of the vault that the call uses to a list of resources. */
MUST_CHECK bool skill_resource_list(struct mcp_call *call, struct err *err);
