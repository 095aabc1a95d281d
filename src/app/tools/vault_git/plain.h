/*
 * plain - what the tools of this set share: answers in plain text, in the style of the
 * MCP filesystem server.
 */
#pragma once

#include "app/tool_support/tool_change.h"
#include "vault/ask/lookup.h"
#include "vault/ops.h"

enum {
    PLAIN_LINES = 1000,            /* per list in one answer */
    PLAIN_READ_MAX = 1 << 20,      /* bytes of a file in one answer */
    PLAIN_OFFSET_MAX = 1000000000, /* of a list or file */
};

/* For descriptions of tools that change something. */
#define PLAIN_ASK " Show the user the planned change first and let them decide."

/* The row that every tool with a list has. */
#define PLAIN_OFFSET_FIELD(args)                                                         \
    MCP_FIELD(args, offset, MCP_INT, 0, "Lines of the answer to skip", .dflt = "0",      \
              .min = 0, .max = PLAIN_OFFSET_MAX)

/* The folder that a client names, as a clean path; it must exist. */
MUST_CHECK bool plain_folder(struct mcp_call *call, str path, str *clean,
                             struct err *err);

/* The file that a client names, by path or name, as a clean path. */
MUST_CHECK bool plain_file(struct mcp_call *call, str word, str *path, struct err *err);

/* err says that path does not exist: suggest similar ones. Returns false. */
bool plain_missing(struct mcp_call *call, str path, struct err *err);

/* The answer to a change: its sentence, then one warning per line. */
extern const struct answer_shape plain_said_shape;

/* End a list of lines that shows the entries up to number end of total; none is the text
 * for an empty list. */
void plain_end(struct sbuf *lines, size_t end, size_t total, const char *none);

/* The files that a lookup finds: a shape for struct found_files prints them. */
struct found_files {
    struct lookup_result found;
    size_t offset;
};
MUST_CHECK bool plain_look(struct mcp_call *call, const struct lookup *l,
                           const struct answer_shape *shape, struct err *err);

/* The tools of the set. */
extern const struct mcp_tool tool_create_directory, tool_delete_file, tool_edit_file,
    tool_find_files, tool_get_backlinks, tool_get_claude_context, tool_get_tags,
    tool_grep, tool_list_directory, tool_read_file, tool_rename_file, tool_search_files,
    tool_write_file;
