#include "app/tools/obsidian_bundle/bundle.h"
#include "base/path.h"
#include "vault/draft.h"
#include "vault/ops.h"

/* Move with all links; the answer is the new path and the old. */
static bool move(struct mcp_call *call, const char *tool, str path, str to,
                 const char *key, struct err *err)
{
    struct draft *d = bundle_draft(call, tool);
    struct draft_result r;
    struct ops_report report;
    if (!ops_move(d, path, to, &report, err) || !draft_commit(d, STR(""), &r, err))
        return false;
    bundle_begin(call, report.to);
    jsonw_put_str(call->out, STR("from"), path);
    jsonw_put_bool(call->out, str_c(key), true);
    jsonw_put_int(call->out, STR("updatedLinks"), (int64_t)report.links);
    bundle_end(call);
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

/* What does not end in .md is a folder, whether it is there or not. */
static str destination(struct arena *a, str path, str to)
{
    bool file = str_eq_nocase(path_extension(to), path_extension(path));
    return file || str_ends(to, STR("/")) ? to
                                          : arena_printf(a, STR_FMT "/", STR_ARG(to));
}

static bool move_steps(struct mcp_call *call, struct err *err)
{
    const struct move_args *in = call->args;
    str path;
    return bundle_find(call, &path, err) &&
           move(call, bundle_move_note.name, path, destination(call->arena, path, in->to),
                "moved", err);
}

static bool run_move(struct mcp_call *call, struct err *err)
{
    return bundle_change(call, move_steps, err);
}

const struct mcp_tool bundle_move_note = {
    .name = "obsidian_move_note",
    .title = "Move a note",
    .about = "Move a note to another folder or path; links to it are updated",
    .flags = MCP_DESTRUCTIVE | MCP_OWN_FIELDS,
    .fields = move_fields,
    .args_size = sizeof(struct move_args),
    .run = run_move,
    .failed = bundle_failed,
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

static bool rename_steps(struct mcp_call *call, struct err *err)
{
    const struct rename_args *in = call->args;
    struct arena *a = call->arena;
    str path, folder, name = in->new_name;
    if (str_find_char(name, '/') != STR_NONE)
        return err_set(err, ERR_INVALID,
                       "new_name is a name without a folder: to move a "
                       "note use obsidian_move_note");
    if (!bundle_find(call, &path, err))
        return false;
    str extension = path_extension(path);
    if (extension.n > 0 && !str_eq_nocase(path_extension(name), extension))
        name = arena_printf(a, STR_FMT "." STR_FMT, STR_ARG(name), STR_ARG(extension));
    folder = path_folder(path);
    if (folder.n > 0)
        name = arena_printf(a, STR_FMT "/" STR_FMT, STR_ARG(folder), STR_ARG(name));
    return move(call, bundle_rename_note.name, path, name, "renamed", err);
}

static bool run_rename(struct mcp_call *call, struct err *err)
{
    return bundle_change(call, rename_steps, err);
}

const struct mcp_tool bundle_rename_note = {
    .name = "obsidian_rename_note",
    .title = "Rename a note",
    .about = "Rename a note in its folder; links to it are updated",
    .flags = MCP_DESTRUCTIVE | MCP_OWN_FIELDS,
    .fields = rename_fields,
    .args_size = sizeof(struct rename_args),
    .run = run_rename,
    .failed = bundle_failed,
};
