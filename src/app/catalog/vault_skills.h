/*
 * vault_skills - the skills in a vault: instructions for agents in the format of Agent Skills.
 *
 * A skill is a folder .claude/skills/NAME with a SKILL.md; or a note with the property
 * "skill: true": with its whole folder if it is called SKILL.md, else by itself. Its properties
 * have at least the name, which is also that of the folder, and a description. The caller's view
 * decides which skills and files there are.
 */
#pragma once

#include "mcp/skill.h"

struct file;

enum {
    VAULT_SKILLS_MAX = 200,     /* in a vault; more are left out */
    VAULT_SKILL_DEPTH_MAX = 16, /* of folders in one */
};

#define VAULT_SKILLS_FOLDER ".claude/skills"
#define VAULT_SKILL_FILE "SKILL.md"

struct vault_skill {
    str name, about;
    str path;   /* of its SKILL.md, or of the note */
    str folder; /* with all its files; empty: there is only the note */
};

/* The names of those in the vault of the call, in order, in call->arena. Some of them may turn
 * out not to be skills. Fails like tool_lock(). */
MUST_CHECK bool vault_skill_names(struct mcp_call *call, str **names, size_t *n,
                                  struct err *err);

/* The skill of that name. Fails with ERR_NOT_FOUND if there is none, and like tool_lock(). */
MUST_CHECK bool vault_skill_find(struct mcp_call *call, str name, struct vault_skill *out,
                                 struct err *err);

/* The path of a file or folder of a skill, from its relative one; ERR_NOT_FOUND: it is not in
 * the skill. */
MUST_CHECK bool vault_skill_path(struct mcp_call *call, const struct vault_skill *skill,
                                 str relative, str *path, struct err *err);

/*
 * Read a whole skill, so that its digests and properties are those of the same bytes; base is the
 * URI of its folder. *bytes is how much was read. Fails with ERR_LIMIT if hosts would not accept
 * it (MCP_SKILL_FILES_MAX, MCP_SKILL_BYTES_MAX).
 */
MUST_CHECK bool vault_skill_read(struct mcp_call *call, const struct vault_skill *skill,
                                 str base, struct mcp_skill *out, size_t *bytes,
                                 struct err *err);

/* The name and description in a SKILL.md, and its properties as JSON, in the arena. False if they
 * are not those of a skill. */
MUST_CHECK bool skill_read_text(struct arena *a, str bytes, struct vault_skill *out,
                                str *frontmatter);
