/*
 * bundle - what the obsidian_* tools share: notes by name or exact path, answers in an
 * envelope, failures as JSON-RPC errors with their own codes, and a timeout.
 */
#pragma once

#include "app/tool_support/tool_change.h"

enum { BUNDLE_TIMEOUT_MAX_MS = 600000 };

/* The first member of every tool's arguments. */
struct bundle_args {
    str vault, name;
    int64_t timeout_ms;
};

/* Their rows; vault and timeout_ms are not listed, but clients that know them may use
 * them. */
#define BUNDLE_FIELDS(args)                                                              \
    MCP_FIELD_AS(args, common.name, "name", MCP_STR, MCP_REQUIRED,                       \
                 "Note name (without .md extension) or exact path"),                     \
        MCP_FIELD_AS(args, common.vault, "vault", MCP_STR, MCP_UNLISTED, "Vault name"),  \
        MCP_FIELD_AS(args, common.timeout_ms, "timeout_ms", MCP_INT, MCP_UNLISTED,       \
                     "Time-out", .dflt = "30000", .min = 1,                              \
                     .max = BUNDLE_TIMEOUT_MAX_MS)

/* mcp_tool.failed of all these tools. */
void bundle_failed(struct mcp_call *call, const struct err *err, str message);

/* From now on use the vault that the call names. Fails with VAULT_NOT_FOUND. */
MUST_CHECK bool bundle_use_vault(struct mcp_call *call, struct err *err);

/* The path of the note that the call names. Fails with FILE_NOT_FOUND, AMBIGUOUS or
 * TIMEOUT. */
MUST_CHECK bool bundle_find(struct mcp_call *call, str *path, struct err *err);

/* The path of a new note, with .md appended. */
MUST_CHECK bool bundle_new_path(struct mcp_call *call, str name, str *path,
                                struct err *err);

/* Begin {"success":true,"data":{"path":path, and end it. */
void bundle_begin(struct jsonw *w, str path);
void bundle_end(struct jsonw *w);

/* For changes: the step before them, and the answer {path, done: is_done}, with from and
 * updatedLinks if something was moved. */
MUST_CHECK bool bundle_prepare(struct mcp_call *call, struct err *err);
extern const struct answer_shape bundle_shape;

/* The members of the row of a tool that changes something. */
#define BUNDLE_CHANGES(...)                                                              \
    TOOL_CHANGES(.unchecked = true, .before = bundle_prepare, .shape = &bundle_shape,    \
                 __VA_ARGS__),                                                           \
        .failed = bundle_failed

extern const struct mcp_tool bundle_append_note, bundle_create_note, bundle_delete_note,
    bundle_file_info, bundle_move_note, bundle_open_note, bundle_prepend_note,
    bundle_read_note, bundle_rename_note;
