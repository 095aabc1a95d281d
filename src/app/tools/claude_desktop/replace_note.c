#include "app/kit/kit_change.h"
#include "app/tools/claude_desktop/notes.h"
#include "vault/note/edit.h"
#include "vault/note/note.h"

static const char NAME[] = "replace_note";

struct args {
    str name, old_text, new_text;
    bool replace_all;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, name, MCP_STR, MCP_REQUIRED, NOTES_NAME),
    MCP_FIELD(struct args, old_text, MCP_STR, MCP_REQUIRED,
              "Exact text of the body; must occur once, unless replace_all"),
    MCP_FIELD(struct args, new_text, MCP_STR, MCP_REQUIRED, "Empty deletes"),
    MCP_FIELD(struct args, replace_all, MCP_BOOL, 0, "Every occurrence", .dflt = "false"),
    {0},
};

static bool replace_note_steps(struct mcp_call *call, struct err *err)
{
    const struct args *in = call->args;
    struct notes_edit e;
    struct note note;
    struct edit_result r = {0};
    if (!notes_open(call, NAME, in->name, &e, err))
        return false;
    note_scan(call->arena, e.file.text, &note);
    struct edit_swap swap = {in->old_text, in->new_text, in->replace_all, note.body};
    if (!notes_take(call, &e, edit_replace(call->arena, e.file.text, &swap, 1, &r, err),
                    &r, err))
        return false;
    jsonw_object(call->out);
    jsonw_put_int(call->out, STR("replaced"), (int64_t)r.replacements);
    notes_put_warnings(call, &e);
    jsonw_end(call->out);
    return true;
}

static bool replace_note_run(struct mcp_call *call, struct err *err)
{
    return kit_change(call, &notes_now, replace_note_steps, err);
}

const struct mcp_tool tool_replace_note = {
    .name = NAME,
    .title = "Replace text",
    .about = "Replace exact text in the body of a note; answers how often.",
    .flags = MCP_DESTRUCTIVE | MCP_OWN_FIELDS | MCP_PLAIN_ERRORS,
    .fields = fields,
    .args_size = sizeof(struct args),
    .run = replace_note_run,
};
