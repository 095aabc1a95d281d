#include "app/kit/kit_change.h"
#include "app/tools/claude_desktop/notes.h"
#include "vault/note/edit.h"
#include "vault/note/note.h"

static const char NAME[] = "insert_note";

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

static bool insert_note_steps(struct mcp_call *call, struct err *err)
{
    const struct args *in = call->args;
    bool before = in->before.n > 0;
    struct notes_edit e;
    struct note note;
    struct edit_result r = {0};
    if (before == (in->after.n > 0))
        return err_set(err, ERR_INVALID,
                       "Exactly one of 'before' or 'after' must be provided");
    if (!notes_open(call, NAME, in->name, &e, err))
        return false;
    note_scan(call->arena, e.file.text, &note);
    struct edit_insert i = {.where = before ? EDIT_BEFORE_TEXT : EDIT_AFTER_TEXT,
                            .content = in->text,
                            .anchor = before ? in->before : in->after,
                            .from = note.body,
                            .like_anchor = true};
    if (!notes_take(call, &e, edit_insert(call->arena, e.file.text, &i, &r, err), &r,
                    err))
        return false;
    notes_put_done(call, &e, "inserted");
    return true;
}

static bool insert_note_run(struct mcp_call *call, struct err *err)
{
    return kit_change(call, &notes_now, insert_note_steps, err);
}

const struct mcp_tool tool_insert_note = {
    .name = NAME,
    .title = "Insert text",
    .about =
        "Insert text before or after a text of the body: right there, or on lines of "
        "its own if that text is whole lines.",
    .flags = MCP_OWN_FIELDS | MCP_PLAIN_ERRORS,
    .fields = fields,
    .args_size = sizeof(struct args),
    .run = insert_note_run,
};
