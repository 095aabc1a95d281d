/*
 * commits - what git remembers of the vault, for tools: notes as they were, differences,
 * commits. Whoever may not read everything learns nothing of what they may not: neither
 * of files nor of the names that a file had before.
 */
#pragma once

#include "app/kit/tool_kit.h"

/* A file at a commit or date (sync.h); path is clean and need not be there any more. */
MUST_CHECK bool commits_text(struct mcp_call *call, str path, str at, str *text,
                             str *commit, struct err *err);

/* "diff -u" from one to another; to empty: as it is now. */
MUST_CHECK bool commits_diff(struct mcp_call *call, str path, str from, str to, str *diff,
                             struct err *err);

/*
 * The answer to vault_changes about commits: those of path (all if empty) in range,
 * "FROM..TO", both commits or dates or nothing.
 */
struct commits_wish {
    str path, range;
    int64_t limit, offset;
};
MUST_CHECK bool commits_answer(struct mcp_call *call, const struct commits_wish *wish,
                               struct err *err);
