#include "app/answers/changed.h"
#include "app/tool_support/tool_change.h"
#include "app/tools/obsidian_bundle/bundle.h"
#include "base/path.h"
#include "vault/ops.h"

/* Move the note and update all links to it. */
static bool bundle_move(struct tool_changing *c, str path, str to, struct err *err)
{
    struct ops_report r;
    if (!ops_move(c->draft, path, to, &r, err))
        return false;
    changed_report(&c->out, &r);
    c->out.path = path;
    c->out.parts = CHANGED_MOVED;
    return true;
}

struct move_args {
    struct bundle_args common;
    str to;
};

static const struct mcp_field move_fields[] = {
    BUNDLE_FIELDS(struct move_args),
    MCP_FIELD(struct move_args, to, MCP_STR, MCP_REQUIRED,
              "Destination folder, or the full new path"),
    {0},
};

/* Anything that does not end in .md is a folder, whether it exists or not. */
static str destination(struct arena *a, str path, str to)
{
    bool file = str_eq_nocase(path_extension(to), path_extension(path));
    return file || str_ends(to, STR("/")) ? to
                                          : arena_printf(a, STR_FMT "/", STR_ARG(to));
}

static bool move_steps(struct tool_changing *c, struct err *err)
{
    const struct move_args *in = c->call->args;
    str path;
    return bundle_find(c->call, &path, err) &&
           bundle_move(c, path, destination(c->call->arena, path, in->to), err);
}

const struct mcp_tool bundle_move_note = {
    .name = "obsidian_move_note",
    .title = "Move a note",
    .about = "Move a note to another folder or path; links to it are updated",
    .flags = MCP_DESTRUCTIVE | MCP_OWN_FIELDS,
    .fields = move_fields,
    .args_size = sizeof(struct move_args),
    BUNDLE_CHANGES(.steps = move_steps, .done = "moved"),
};

struct rename_args {
    struct bundle_args common;
    str new_name;
};

static const struct mcp_field rename_fields[] = {
    BUNDLE_FIELDS(struct rename_args),
    MCP_FIELD(struct rename_args, new_name, MCP_STR, MCP_REQUIRED,
              "New name, without folder and .md extension"),
    {0},
};

static bool rename_steps(struct tool_changing *c, struct err *err)
{
    const struct rename_args *in = c->call->args;
    struct arena *a = c->call->arena;
    str path, folder, name = in->new_name;
    if (str_find_char(name, '/') != STR_NONE)
        return err_set(err, ERR_INVALID,
                       "new_name is a name without a folder: to move a "
                       "note use obsidian_move_note");
    if (!bundle_find(c->call, &path, err))
        return false;
    str extension = path_extension(path);
    if (extension.n > 0 && !str_eq_nocase(path_extension(name), extension))
        name = arena_printf(a, STR_FMT "." STR_FMT, STR_ARG(name), STR_ARG(extension));
    folder = path_folder(path);
    if (folder.n > 0)
        name = arena_printf(a, STR_FMT "/" STR_FMT, STR_ARG(folder), STR_ARG(name));
    return bundle_move(c, path, name, err);
}

const struct mcp_tool bundle_rename_note = {
    .name = "obsidian_rename_note",
    .title = "Rename a note",
    .about = "Rename a note in its folder; links to it are updated",
    .flags = MCP_DESTRUCTIVE | MCP_OWN_FIELDS,
    .fields = rename_fields,
    .args_size = sizeof(struct rename_args),
    BUNDLE_CHANGES(.steps = rename_steps, .done = "renamed"),
};
