/*
 * skill_own - the skills that come with the server: of the default set a short manual, with
 * vault_guide's topics as its references; of the profile for agents those of skills.h. A skill of
 * the vault with the same name takes precedence.
 */
#pragma once

#include "mcp/skill.h"

struct own_skill_file {
    str path; /* in its skill */
    str text;
};

struct own_skill {
    str name;
    const struct own_skill_file *files; /* the first is SKILL.md */
    size_t n;
};

/* Those for the caller, in call->arena. */
size_t own_skills(struct mcp_call *call, struct own_skill **out);
