#include "app/catalog/resources.h"

#include "app/catalog/base_resource.h"
#include "app/catalog/complete.h"
#include "app/catalog/proposal_resource.h"
#include "app/catalog/resource_page.h"
#include "app/catalog/skill_resource.h"
#include "app/catalog/view.h"
#include "app/setup/app.h"
#include "app/setup/callers.h"
#include "app/tool_support/tool_read_log.h"
#include "app/tool_support/tool_support.h"
#include "base/clock.h"
#include "base/encode.h"
#include "base/path.h"
#include "mcp/call.h"
#include "vault/index/file.h"
#include "vault/index/index.h"
#include "vault/text/media.h"
#include "vault/vault.h"

bool resources_path(struct arena *a, const struct app *app,
                    const struct mcp_caller *caller, str uri, const struct app_vault **v,
                    str *path)
{
    str name, encoded;
    if (!app_uri_parts(uri, &name, &encoded))
        return false;
    *v = name.n > 0 ? vaults_find(app, caller, name) : vaults_first(app, caller);
    return *v != NULL && decode_percent(a, encoded, path);
}

/* --- reading --- */

static bool read_blob(struct mcp_call *call, str uri, str path, str type, struct err *err)
{
    str bytes;
    if (!vault_bytes(tool_vault(call), call->arena, path, RESOURCES_BLOB_MAX, &bytes,
                     err))
        return false;
    mcp_resource_blob(call, uri, type, bytes);
    return true;
}

static bool is_not_text(const struct err *err)
{
    return err->name == E_NOT_TEXT;
}

/* A file whose name says text may contain something else, and one of unknown type may be
 * text. */
static bool read_any(struct mcp_call *call, str uri, struct err *err)
{
    str path;
    if (!tool_use_named(call, mcp_variable(call, STR("vault")), err))
        return false;
    if (!path_clean(call->arena, mcp_variable(call, STR("path")), &path, err))
        return false;
    str type = media_type(path);
    bool unknown = str_eq(type, STR("application/octet-stream"));
    if (!media_is_text(type) && !unknown)
        return read_blob(call, uri, path, type, err);
    struct vault_text text;
    if (vault_read(tool_vault(call), call->arena, path, 1, 0, &text, err)) {
        mcp_resource_text(call, uri, unknown ? STR("text/plain") : type, text.content);
        resource_flag_hidden(call, uri, text.content);
        resource_flag_stale(call, uri);
        tool_saw(call, path, text.content, (struct edit_range){0, text.content.n});
        return true;
    }
    return is_not_text(err) &&
           read_blob(call, uri, path, STR("application/octet-stream"), err);
}

/* --- listing --- */

static void list_file(struct mcp_call *call, const struct file *f)
{
    char when[CLOCK_ISO_SIZE];
    str uri = app_uri(call->arena, tool_served(call), f->path);
    mcp_list(call, &(struct mcp_listed){.uri = uri,
                                        .name = f->path,
                                        .title = file_title(f->path),
                                        .mime = media_type(f->path),
                                        .size = f->info.size,
                                        .last_modified = clock_iso(f->info.mtime, when)});
}

static bool list_vault_files(struct mcp_call *call, str *after, bool *more,
                             struct err *err)
{
    const struct index *x = tool_lock(call, err);
    if (x == NULL)
        return false;
    size_t i = index_after(x, *after), end = i + RESOURCES_PAGE;
    const struct file *f;
    for (; i < end && (f = index_nth(x, i)) != NULL; i++) {
        list_file(call, f);
        *after = arena_str(call->arena, f->path);
    }
    *more = index_nth(x, i) != NULL;
    tool_unlock(call);
    return *more || skill_resource_list(call, err);
}

static bool resources_list(struct mcp_call *call, str cursor, struct err *err)
{
    bool last;
    return resource_pages(call, cursor, list_vault_files, &last, err);
}

static bool resources_complete(struct mcp_call *call, str variable, str typed,
                               struct err *err)
{
    if (str_eq(variable, STR("vault")))
        return complete_vault(call, typed);
    return tool_use_named(call, json_get_str(call->args, STR("vault")), err) &&
           complete_path(call, typed, false, err);
}

#define FILES_ROW(uri_, example)                                                         \
    {                                                                                    \
        .uri = (uri_), .name = "file", .title = "A file in the vault",                   \
        .about = "A note, text or attachment by its path from the vault's root, e.g. "   \
                 "" example ". Attachments up to 1 MB.",                                 \
        .read = read_any, .list = resources_list, .complete = resources_complete         \
    }

static const struct mcp_resource files_row =
    FILES_ROW("vault:///{+path}", "vault:///Projects/Plan.md");
static const struct mcp_resource files_row_of_many =
    FILES_ROW("vault://{vault}/{+path}", "vault://work/Projects/Plan.md");

const struct mcp_resource *const app_resources[] = {
    &view_page,         &view_graph,     &files_row, &base_resource,
    &proposal_resource, &skill_resource, NULL};
const struct mcp_resource *const app_resources_of_many[] = {&view_page,
                                                            &view_graph,
                                                            &files_row_of_many,
                                                            &base_resource_of_many,
                                                            &proposal_resource_of_many,
                                                            &skill_resource,
                                                            NULL};
