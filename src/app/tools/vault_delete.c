#include "app/answers/changed.h"
#include "app/answers/trash.h"
#include "app/tool_support/tool_change.h"
#include "app/tool_support/tool_support.h"
#include "app/tools/rows.h"
#include "vault/ops.h"

struct args {
    str path, to, links_to;
    bool recursive, unlink, permanent, restore;
    int64_t confirm;
    struct tool_change change;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, path, MCP_STR, MCP_TERSE, "File or folder"),
    MCP_FIELD(struct args, recursive, MCP_BOOL, MCP_TERSE, "A folder and its contents"),
    MCP_FIELD(struct args, confirm, MCP_INT, 0, "Number of files, once asked", .min = 1,
              .max = INT32_MAX),
    MCP_FIELD(struct args, unlink, MCP_BOOL, 0, "Links become plain text"),
    MCP_FIELD(struct args, links_to, MCP_STR, 0, "Redirect links to this note"),
    MCP_FIELD(struct args, permanent, MCP_BOOL, 0, "Skip the trash"),
    MCP_FIELD(struct args, restore, MCP_BOOL, 0, "Restore it; no path: list"),
    MCP_FIELD(struct args, to, MCP_STR, 0, "restore: another path"),
    TOOL_CHANGE_FIELDS(struct args),
    {0},
};

static bool vault_delete_check_form(const struct args *in, struct err *err)
{
    if (in->restore &&
        (in->recursive || in->unlink || in->permanent || in->links_to.n > 0))
        return err_named(err, E_INVALID_ARGUMENT, "restore takes only path and to");
    if (!in->restore && in->to.n > 0) {
        err_named(err, E_INVALID_ARGUMENT, "to is only for restore");
        return err_hint(err, "to move a file use vault_move");
    }
    if (str_find_char(in->links_to, '#') != STR_NONE)
        return err_named(
            err, E_INVALID_ARGUMENT,
            "links_to is a note, without a heading: give '" STR_FMT "'",
            STR_ARG(str_slice(in->links_to, 0, str_find_char(in->links_to, '#'))));
    if (in->unlink && in->links_to.n > 0)
        return err_named(err, E_INVALID_ARGUMENT, "give either unlink or links_to");
    return in->path.n > 0 ||
           err_named(err, E_INVALID_ARGUMENT, "path is missing: name what to %s",
                     in->restore ? "restore" : "delete");
}

static void ask_first(struct tool_changing *c, const struct ops_report *r)
{
    c->large = r->folder;
    c->deletes = r->files;
    c->deletes_folder = r->folder;
    c->question =
        r->folder
            ? arena_printf(c->call->arena,
                           "Delete the folder '" STR_FMT "' with everything in it: %zu "
                           "files%s?",
                           STR_ARG(r->path), r->files,
                           r->to.n == 0 ? ", permanently" : "")
            : arena_printf(c->call->arena, "Delete '" STR_FMT "'%s?", STR_ARG(r->path),
                           r->to.n == 0 ? " permanently" : "");
}

/* All that is missing for a folder, in one message. */
static bool refuse_folder(struct mcp_call *call, const struct ops_report *r,
                          struct err *err)
{
    const char *more = tool_counts_deletes(call, r->files, true)
                           ? arena_printf(call->arena, " and confirm: %zu", r->files).p
                           : "";
    return err_reword(err,
                      "'" STR_FMT "' is a folder with %zu file%s: to delete it give "
                      "recursive: true%s",
                      STR_ARG(r->path), r->files, r->files == 1 ? "" : "s", more);
}

static bool vault_delete_restore(struct tool_changing *c, const struct args *in,
                                 struct err *err)
{
    struct ops_report r;
    if (!ops_restore(c->draft, in->path, in->to, &r, err))
        return false;
    changed_restored(&c->out, &r);
    return true;
}

static bool vault_delete_steps(struct tool_changing *c, struct err *err)
{
    const struct args *in = c->call->args;
    struct ops_delete how = {in->recursive, in->unlink, in->permanent, in->links_to};
    struct ops_report r;
    if (!vault_delete_check_form(in, err))
        return false;
    if (in->restore)
        return vault_delete_restore(c, in, err);
    if (!ops_match(c->draft, in->path, in->change.if_match, err))
        return tool_missing(err);
    if (!ops_delete(c->draft, in->path, &how, &r, err))
        return err->name == E_IS_FOLDER && !in->recursive
                   ? refuse_folder(c->call, &r, err)
                   : tool_missing(err);
    c->confirm = in->confirm != MCP_ABSENT ? in->confirm : 0;
    ask_first(c, &r);
    changed_deleted(&c->out, &r, in->unlink || in->links_to.n > 0);
    return true;
}

static bool vault_delete_run(struct mcp_call *call, struct err *err)
{
    const struct args *in = call->args;
    struct trash found;
    if (!in->restore || in->path.n > 0)
        return tool_run_change(call, err);
    return trash_find(tool_vault(call), call->arena, &found, err) &&
           tool_answer(call, &trash_shape, &found, TOOL_BUDGET);
}

const struct mcp_tool tool_vault_delete = {
    .name = "vault_delete",
    .title = "Delete or restore",
    .about = "Delete a file or folder (to the trash), or restore it. Links stay "
             "unless unlink.",
    .flags = MCP_DESTRUCTIVE,
    .fields = fields,
    .args_size = sizeof(struct args),
    .run = vault_delete_run,
    .app = &(const struct tool_changer){.steps = vault_delete_steps,
                                        .done = "deleted",
                                        .change = offsetof(struct args, change)},
};
