#include "app/tools/obsidian_bundle/bundle.h"

#include "app/setup/app.h"
#include "app/setup/callers.h"
#include "app/tool_support/tool_support.h"
#include "base/clock.h"
#include "base/path.h"
#include "mcp/call.h"
#include "vault/ask/find.h"
#include "vault/vault.h"

static const struct {
    enum err_name name; /* E_NONE: any error with this code */
    enum err_code why;  /* ERR_NONE: any error with this name */
    int code;
    const char *error_code; /* NULL: the name itself */
} errors[] = {
    {E_OBSIDIAN_NOT_RUNNING, ERR_NONE, -32001, NULL},
    {E_VAULT_NOT_FOUND, ERR_NONE, -32002, NULL},
    {E_FILE_NOT_FOUND, ERR_NONE, -32003, NULL},
    {E_AMBIGUOUS, ERR_NONE, -32004, "AMBIGUOUS_NAME"},
    {E_TIMEOUT, ERR_NONE, -32006, NULL},
    {E_FILE_EXISTS, ERR_NONE, -32000, NULL},
    {E_NONE, ERR_DENIED, -32005, "PERMISSION_DENIED"},
    {E_NONE, ERR_NOT_FOUND, -32003, "FILE_NOT_FOUND"},
    {E_NONE, ERR_INVALID, -32602, "INVALID_PARAMS"},
    {E_NONE, ERR_INTERNAL, -32603, "INTERNAL_ERROR"},
    {E_NONE, ERR_NONE, -32000, "SERVER_ERROR"},
};

void bundle_failed(struct mcp_call *call, const struct err *err, str message)
{
    size_t i = 0;
    while (errors[i].name != E_NONE
               ? err->name != errors[i].name
               : errors[i].why != ERR_NONE && errors[i].why != err->code)
        i++;
    const char *name = errors[i].error_code != NULL ? errors[i].error_code
                                                    : err_name_text(errors[i].name);
    mcp_error(call, errors[i].code, message,
              arena_printf(call->arena, "{\"errorCode\":\"%s\"}", name));
}

static const struct bundle_args *args_of(const struct mcp_call *call)
{
    return call->args; /* the first member of every tool's arguments */
}

bool bundle_use_vault(struct mcp_call *call, struct err *err)
{
    str name = args_of(call)->vault;
    if (name.n == 0)
        return true;
    const struct app_vault *v = vaults_find(app_of(call), call->caller, name);
    if (v == NULL)
        return err_named(err, E_VAULT_NOT_FOUND,
                         "Vault not found: " STR_FMT ". Vaults: " STR_FMT, STR_ARG(name),
                         STR_ARG(vaults_names(app_of(call), call->arena, call->caller,
                                              sizeof(err->msg) / 2)));
    return tool_use(call, v, err);
}

struct waiting {
    struct mcp_call *call;
    uint64_t until_ms;
};

static bool bundle_is_late(void *arg)
{
    const struct waiting *w = arg;
    return mcp_cancelled(w->call) || clock_ms() >= w->until_ms;
}

static bool wait_for_index(struct mcp_call *call, struct err *err)
{
    uint64_t ms = (uint64_t)args_of(call)->timeout_ms;
    struct waiting w = {call, clock_ms() + ms};
    if (vault_wait(tool_vault(call), bundle_is_late, &w, err))
        return true;
    return err->code == ERR_BUSY &&
           err_named(err, E_TIMEOUT,
                     "The vault was not read within %llu ms. Please try again.",
                     (unsigned long long)ms);
}

bool bundle_find(struct mcp_call *call, str *path, struct err *err)
{
    struct fs_info info;
    const struct file *f;
    str name = args_of(call)->name;
    if (!bundle_use_vault(call, err) || !path_clean(call->arena, name, path, err))
        return false;
    bool there = vault_stat_spelled(tool_vault(call), call->arena, *path, &info, err);
    if (there && info.type == FS_FILE)
        return true;
    if (!wait_for_index(call, err))
        return false;
    bool found = find_file(vault_lock(tool_vault(call)), call->arena, name, &f, err);
    if (found)
        *path = arena_str(call->arena, f->path);
    tool_unlock(call);
    return found;
}

bool bundle_new_path(struct mcp_call *call, str name, str *path, struct err *err)
{
    str clean;
    if (str_trim(name).n == 0)
        return err_set(err, ERR_INVALID, "A note needs a name");
    if (!path_clean_file(call->arena, str_trim(name), &clean, err))
        return false;
    bool note = str_eq_nocase(path_extension(clean), STR("md"));
    *path = note ? clean : arena_printf(call->arena, STR_FMT ".md", STR_ARG(clean));
    return true;
}

void bundle_begin(struct jsonw *w, str path)
{
    jsonw_object(w);
    jsonw_put_bool(w, STR("success"), true);
    jsonw_put_object(w, STR("data"));
    jsonw_put_str(w, STR("path"), path);
}

void bundle_end(struct jsonw *w)
{
    jsonw_end(w);
    jsonw_end(w);
}

bool bundle_prepare(struct mcp_call *call, struct err *err)
{
    return bundle_use_vault(call, err) && wait_for_index(call, err);
}

static void bundle_json(struct answer_out *out, const void *result)
{
    const struct changed *c = result;
    bool moved = (c->parts & CHANGED_MOVED) != 0;
    bundle_begin(out->w, moved ? c->to : c->path);
    if (moved)
        jsonw_put_str(out->w, STR("from"), c->path);
    jsonw_put_bool(out->w, str_c(c->done), c->is_done);
    if (moved)
        jsonw_put_int(out->w, STR("updatedLinks"), (int64_t)c->links);
    bundle_end(out->w);
}

const struct answer_shape bundle_shape = {.json = bundle_json};
