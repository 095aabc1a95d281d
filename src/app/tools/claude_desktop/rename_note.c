#include "app/answers/changed.h"
#include "app/tool_support/tool_change.h"
#include "app/tools/claude_desktop/notes.h"
#include "base/path.h"
#include "vault/ops.h"

struct args {
    str old_name, new_name;
    struct tool_change change;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, old_name, MCP_STR, MCP_REQUIRED, NOTES_NAME),
    MCP_FIELD(struct args, new_name, MCP_STR, MCP_REQUIRED,
              "New name; a path moves it to another folder"),
    MCP_FIELD_AS(struct args, change.dry_run, "dry_run", MCP_BOOL, 0,
                 "Only report what would happen", .dflt = "false"),
    {0},
};

/* A bare name stays in the note's folder, a path starts at the root. */
static bool rename_note_path(struct mcp_call *call, str from, str name, str *out,
                             struct err *err)
{
    str clean;
    if (!path_clean_file(call->arena, name, &clean, err))
        return false;
    if (clean.n == 0)
        return err_set(err, ERR_INVALID, "new_name is empty");
    str to = str_find_char(name, '/') != STR_NONE
                 ? clean
                 : path_join(call->arena, path_folder(from), clean);
    *out = str_eq_nocase(path_extension(to), STR("md"))
               ? to
               : arena_printf(call->arena, STR_FMT ".md", STR_ARG(to));
    return true;
}

static bool rename_note_steps(struct tool_changing *c, struct err *err)
{
    const struct args *in = c->call->args;
    struct ops_report r;
    str path, to;
    if (!notes_find(c->call, in->old_name, &path, err) ||
        !rename_note_path(c->call, path, in->new_name, &to, err) ||
        !ops_move(c->draft, path, to, &r, err))
        return false;
    c->question = arena_printf(c->call->arena,
                               "Rename '" STR_FMT "' to '" STR_FMT
                               "'? Links in %zu notes are rewritten.",
                               STR_ARG(r.path), STR_ARG(r.to), r.rewrites);
    c->large = r.rewrites > TOOL_LARGE;
    changed_report(&c->out, &r);
    c->out.path = path;
    return true;
}

const struct mcp_tool tool_rename_note = {
    .name = "rename_note",
    .title = "Rename a note",
    .about = "Rename a note and update every link to it. dry_run shows which notes that "
             "touches.",
    .flags = MCP_DESTRUCTIVE | MCP_OWN_FIELDS | MCP_PLAIN_ERRORS,
    .fields = fields,
    .args_size = sizeof(struct args),
    TOOL_CHANGES(.unchecked = true, .steps = rename_note_steps,
                 .shape = &notes_renamed_shape, .change = offsetof(struct args, change)),
};
