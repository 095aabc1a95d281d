#include "app/kit/kit_change.h"
#include "app/tools/claude_desktop/notes.h"
#include "base/path.h"
#include "vault/index/file.h"
#include "vault/ops.h"

static const char NAME[] = "rename_note";

struct args {
    str old_name, new_name;
    bool dry_run;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, old_name, MCP_STR, MCP_REQUIRED, NOTES_NAME),
    MCP_FIELD(struct args, new_name, MCP_STR, MCP_REQUIRED,
              "New name; a path moves it to another folder"),
    MCP_FIELD(struct args, dry_run, MCP_BOOL, 0, "Only say what would happen",
              .dflt = "false"),
    {0},
};

/* A name stays in the folder, a path begins at the root. */
static bool new_path(struct mcp_call *call, str from, str name, str *out, struct err *err)
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

static enum mcp_consent rename_note_confirm(struct mcp_call *call,
                                            const struct kit_change *how,
                                            const struct ops_report *r, struct err *err)
{
    str question = arena_printf(call->arena,
                                "Rename '" STR_FMT "' to '" STR_FMT
                                "'? Links in %zu notes are rewritten.",
                                STR_ARG(r->path), STR_ARG(r->to), r->rewrites);
    return kit_confirm(call, how, r->rewrites > KIT_LARGE, question, err);
}

static bool rename_note_steps(struct mcp_call *call, struct err *err)
{
    const struct args *in = call->args;
    struct kit_change how = {.dry_run = in->dry_run};
    struct draft *d = kit_draft(call, NAME, &how);
    struct ops_report r;
    str path, to;
    if (!notes_find(call, in->old_name, &path, err) ||
        !new_path(call, path, in->new_name, &to, err) || !ops_move(d, path, to, &r, err))
        return false;
    enum mcp_consent wanted = rename_note_confirm(call, &how, &r, err);
    if (wanted != MCP_ACCEPTED)
        return wanted == MCP_PENDING;
    jsonw_object(call->out);
    jsonw_put_str(call->out, STR("old_name"), file_title(path));
    jsonw_put_str(call->out, STR("new_name"), file_title(r.to));
    jsonw_put_str(call->out, STR("path"), r.to);
    jsonw_put_bool(call->out, STR("renamed"), !in->dry_run);
    if (!notes_commit(call, d, in->dry_run, r.links, err))
        return false;
    jsonw_end(call->out);
    return true;
}

static bool rename_note_run(struct mcp_call *call, struct err *err)
{
    return kit_change(call, &notes_now, rename_note_steps, err);
}

const struct mcp_tool tool_rename_note = {
    .name = NAME,
    .title = "Rename a note",
    .about = "Rename a note and update every link to it. dry_run shows which notes that "
             "touches.",
    .flags = MCP_DESTRUCTIVE | MCP_OWN_FIELDS | MCP_PLAIN_ERRORS,
    .fields = fields,
    .args_size = sizeof(struct args),
    .run = rename_note_run,
};
