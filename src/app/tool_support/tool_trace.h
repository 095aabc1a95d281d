/*
 * tool_trace - which files of a vault a call reads and changes, for the audit
 * (app/setup/audit.h).
 *
 * No tool does anything for this. The view that tool_vault() returns notes whose contents
 * are read, and what is changed; and the texts in the answer of a tool that are paths of files
 * its caller sees were named to the client. Contents are not searched: a note that mentions
 * another one has not read it. audit.test.mjs runs every tool of every set.
 */
#pragma once

#include "app/setup/app.h"
#include "mcp/call.h"
#include "vault/vault.h"

struct tool_trace {
    struct vault_trace paths;
    str vault;        /* the name of the vault, if clients name them */
    struct sbuf json; /* the result of a tool that answers in words */
    bool intended;    /* an audit line says that the call begins */
};

extern const struct mcp_kept tool_trace_kept;

/* Of a call; NULL: this server notes nothing. */
struct tool_trace *tool_trace_of(const struct mcp_call *call);

/* The view, which notes what is done with it. */
struct vault *tool_trace_view(const struct mcp_call *call, struct vault *v);

/* After a tool has succeeded: note which files its answer names. */
void tool_trace_answer(struct mcp_call *call);
