#include "app/tool_support/tool_change.h"
#include "app/tools/claude_desktop/notes.h"
#include "vault/note/edit.h"
#include "vault/note/note.h"

struct args {
    str name, text, before, after;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, name, MCP_STR, MCP_REQUIRED, NOTES_NAME),
    MCP_FIELD(struct args, text, MCP_STR, MCP_REQUIRED, "Text to insert"),
    MCP_FIELD(struct args, before, MCP_STR, 0,
              "Insert before this text, which occurs once in the body"),
    MCP_FIELD(struct args, after, MCP_STR, 0, "Or after this one"),
    {0},
};

static bool insert_note_steps(struct tool_changing *c, struct err *err)
{
    const struct args *in = c->call->args;
    bool before = in->before.n > 0;
    struct draft_file f;
    struct note note;
    if (before == (in->after.n > 0))
        return err_set(err, ERR_INVALID,
                       "Exactly one of 'before' or 'after' must be provided");
    if (!notes_open(c, in->name, &f, err))
        return false;
    note_scan(c->call->arena, f.text, &note);
    struct edit_insert i = {.where = before ? EDIT_BEFORE_TEXT : EDIT_AFTER_TEXT,
                            .content = in->text,
                            .anchor = before ? in->before : in->after,
                            .from = note.body,
                            .like_anchor = true,
                            .apart = true};
    return edit_insert(c->call->arena, f.text, &i, &c->edit, err) &&
           tool_rewrite(c, &f, err);
}

const struct mcp_tool tool_insert_note = {
    .name = "insert_note",
    .title = "Insert text",
    .about = "Insert text before or after a text in the body: inline, or on its own "
             "lines if that text is whole lines.",
    .flags = MCP_OWN_FIELDS | MCP_PLAIN_ERRORS,
    .fields = fields,
    .args_size = sizeof(struct args),
    TOOL_CHANGES(.unchecked = true, .steps = insert_note_steps,
                 .shape = &notes_done_shape, .done = "inserted", .tags = true),
};
