#include "app/tool_support/tool_change.h"
#include "app/tool_support/tool_support.h"
#include "app/tools/adr.h"
#include "app/tools/rows.h"
#include "base/path.h"
#include "mcp/call.h"
#include "vault/ask/export.h"
#include "vault/index/names.h"
#include "vault/vault.h"

struct args {
    str path;
    bool dry_run;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, path, MCP_STR, MCP_REQUIRED, "The note"),
    MCP_FIELD(struct args, dry_run, MCP_BOOL, 0, "Only show what would be published"),
    {0},
};

static bool is_accepted(const struct file *f, str *status)
{
    const struct prop *p = f->props != NULL ? f->props->child : NULL;
    while (p != NULL && !str_eq_nocase(p->key, STR("status")))
        p = p->next;
    *status = p != NULL ? p->text : (str){0};
    return f->kind == FILE_NOTE && str_eq_nocase(*status, STR("accepted"));
}

/* Only the name of a record counts in the repository: one would replace the other. */
static bool has_own_name(struct mcp_call *call, const struct index *x,
                         const struct file *f, struct err *err)
{
    file_id *ids;
    str ignored;
    size_t n = names_find_name(x->names, call->arena, path_name(f->path), &ids);
    for (size_t i = 0; i < n; i++)
        if (ids[i] != f->id && is_accepted(x->files[ids[i]], &ignored))
            return err_named(err, E_AMBIGUOUS,
                             "'" STR_FMT
                             "' is accepted and has the same name, under which "
                             "both would be published: rename one of them",
                             STR_ARG(x->files[ids[i]]->path));
    return true;
}

static bool counts_as_record(const struct file *f)
{
    str ignored;
    return is_accepted(f, &ignored);
}

/* The same for notes that this caller does not see: neither may it replace their records,
 * nor learn where they are. */
static bool is_unused_elsewhere(struct mcp_call *call, str path, struct err *err)
{
    return !vault_name_is_taken(tool_vault(call), path, counts_as_record) ||
           err_named(err, E_AMBIGUOUS,
                     "another accepted note has the name '" STR_FMT
                     "', under which both would be published: rename this one",
                     STR_ARG(path_name(path)));
}

static bool may_publish(struct mcp_call *call, const struct index *x,
                        const struct file *f, struct err *err)
{
    str status;
    if (is_accepted(f, &status))
        return has_own_name(call, x, f, err);
    return err_named(err, E_NOT_ACCEPTED,
                     "'" STR_FMT "' has the status '" STR_FMT
                     "': only notes with status: accepted are published",
                     STR_ARG(f->path), STR_ARG(status));
}

static bool adr_publish_read_note(struct mcp_call *call, str word, str *path, str *text,
                                  struct err *err)
{
    const struct file *f;
    if (!tool_path(call, word, path, err))
        return false;
    vault_refresh(tool_vault(call), path,
                  1); /* a push cannot be undone: publish what is */
    const struct index *x = tool_lock(call, err);
    if (x == NULL)
        return false;
    bool ok = tool_file(call, x, *path, &f, err) && may_publish(call, x, f, err);
    if (ok)
        *text = export_note(call->arena, x, f);
    tool_unlock(call);
    return ok && is_unused_elsewhere(call, *path, err);
}

static bool adr_publish_stop(void *arg)
{
    struct mcp_call *call = arg;
    return mcp_cancelled(call) || app_of(call)->stopping;
}

static bool adr_publish_run(struct mcp_call *call, struct err *err)
{
    const struct args *in = call->args;
    struct app *app = app_of(call);
    struct jsonw *out = call->out;
    bool changed = false;
    str path, text;
    if (!in->dry_run && app->settings.adr_repo.n == 0)
        return err_named(
            err, E_NOT_CONFIGURED,
            "no repository to publish to: start vaultd with --adr-repo URL (ADR_REPO)");
    if (!adr_publish_read_note(call, in->path, &path, &text, err))
        return false;
    if (!in->dry_run && !vault_writes(tool_vault(call), path))
        return err_named(err, E_PATH_NOT_ALLOWED,
                         "'" STR_FMT
                         "' would be published without a review: only clients "
                         "that may change it can publish it",
                         STR_ARG(path));
    struct adr adr = {.name = path_name(path),
                      .text = text,
                      .user = call->caller->user,
                      .client = tool_client(call),
                      .stop = adr_publish_stop,
                      .arg = call};
    if (!in->dry_run && !adr_publish(app, &adr, &changed, err))
        return changed ? err_hint(err, "the record is committed here, and is pushed with "
                                       "the next one that is published")
                       : false;
    jsonw_object(out);
    jsonw_put_str(out, STR("path"), path);
    jsonw_key(out, STR("published"));
    jsonw_printf(out, ADR_FOLDER "/" STR_FMT, STR_ARG(adr.name));
    jsonw_put_text(out, STR("branch"), app->settings.adr_branch);
    jsonw_put_bool(out, STR("changed"), changed);
    if (in->dry_run)
        jsonw_put_str(out, STR("content"), text);
    jsonw_end(out);
    return true;
}

const struct mcp_tool tool_adr_publish = {
    .name = "adr_publish",
    .title = "Publish a decision record",
    .about = "Publish a decision record (ADR) with status: accepted to the code's "
             "repository, in docs/adr/, as a pushed commit; links become relative. "
             "Publishing again updates it.",
    .flags = MCP_IDEMPOTENT | MCP_OPEN_WORLD,
    .fields = fields,
    .args_size = sizeof(struct args),
    .run = adr_publish_run,
};
