/*
 * skill - the extension io.modelcontextprotocol/skills: folders of instructions that hosts offer
 * to their models. A server has at most one family of them, and serves their files as resources.
 *
 * A skill is named by the URI of its SKILL.md. Its digests are those of the bytes that
 * resources/read answers, since hosts compare them.
 */
#pragma once

#include "base/hash.h"
#include "mcp/call.h"

/* What every host accepts of one skill. */
enum {
    MCP_SKILL_FILES_MAX = 512,
    MCP_SKILL_BYTES_MAX = 16 << 20, /* of all its files */
};

struct mcp_skill_file {
    str uri;
    uint8_t digest[HASH_SIZE]; /* SHA-256 */
    size_t size;
};

struct mcp_skill {
    str uri;         /* of SKILL.md, which is one of the files */
    str frontmatter; /* a JSON object, on one line: everything that the author wrote */
    const struct mcp_skill_file *files; /* all of them, each once */
    size_t n;
};

struct mcp_skill_family {
    /* mcp_put_skill() for a page of them, and mcp_list_more(). */
    bool (*list)(struct mcp_call *call, str cursor, struct err *err);

    /* mcp_put_skill() for the one whose SKILL.md has that URI; ERR_NOT_FOUND: there is
     * none. */
    bool (*get)(struct mcp_call *call, str uri, struct err *err);

    /* mcp_list() for what is directly in a folder of a skill; ERR_NOT_FOUND: it is none. */
    bool (*folder)(struct mcp_call *call, str uri, struct err *err);
};

/* The type of a folder in such a list. */
#define MCP_SKILL_FOLDER "inode/directory"

void mcp_put_skill(struct mcp_call *call, const struct mcp_skill *skill);
