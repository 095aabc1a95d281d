/*
 * commits - the vault's git history, for tools: old versions of notes, diffs, commits. A
 * caller who may not read everything learns nothing about the rest: neither the files nor
 * the names that a file had before.
 */
#pragma once

#include "app/tool_support/tool_support.h"

/* A file at a commit or date (sync.h); path is clean and need not exist any more. */
MUST_CHECK bool commits_text(struct mcp_call *call, str path, str at, str *text,
                             str *commit, struct err *err);

/* "diff -u" from one version to another; if to is empty, to the current file. */
MUST_CHECK bool commits_diff(struct mcp_call *call, str path, str from, str to, str *diff,
                             struct err *err);

/*
 * vault_changes' answer about commits: those that changed path (any file if empty) in
 * range, "FROM..TO", where each is a commit, a date or empty.
 */
struct commits_request {
    str path, range;
    int64_t limit, offset;
};
MUST_CHECK bool commits_answer(struct mcp_call *call,
                               const struct commits_request *request, struct err *err);
