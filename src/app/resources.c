#include "app/resources.h"

#include "app/complete.h"
#include "app/media.h"
#include "app/tool_kit.h"
#include "base/clock.h"
#include "base/encode.h"
#include "base/path.h"

str resources_uri(struct arena *a, str path)
{
    return arena_printf(a, RESOURCES_URI STR_FMT, STR_ARG(encode_percent(a, path)));
}

/* --- reading --- */

static bool read_blob(struct mcp_call *call, str uri, str path, str type, struct err *err)
{
    str bytes;
    if (!fs_read(vault_root(app_of(call)->vault), call->arena, path, RESOURCES_BLOB_MAX,
                 &bytes, err))
        return false;
    mcp_resource_blob(call, uri, type, bytes);
    return true;
}

static bool is_not_text(const struct err *err)
{
    return err->name != NULL && strcmp(err->name, "NOT_TEXT") == 0;
}

/* A name that promises text may still hold something else; one that promises nothing may
 * well be text. */
static bool read_any(struct mcp_call *call, str uri, struct err *err)
{
    str path;
    if (!path_clean(call->arena, mcp_variable(call, STR("path")), &path, err))
        return false;
    str type = media_type(path);
    bool unknown = str_eq(type, STR("application/octet-stream"));
    if (!media_is_text(type) && !unknown)
        return read_blob(call, uri, path, type, err);
    struct vault_text text;
    if (vault_read(app_of(call)->vault, call->arena, path, 1, 0, &text, err)) {
        mcp_resource_text(call, uri, unknown ? STR("text/plain") : type, text.content);
        return true;
    }
    return is_not_text(err) &&
           read_blob(call, uri, path, STR("application/octet-stream"), err);
}

/* --- listing --- */

static void list_file(struct mcp_call *call, const struct file *f)
{
    char when[CLOCK_ISO_SIZE];
    mcp_list(call, &(struct mcp_listed){.uri = resources_uri(call->arena, f->path),
                                        .name = f->path,
                                        .title = file_title(f->path),
                                        .mime = media_type(f->path),
                                        .size = f->info.size,
                                        .last_modified = clock_iso(f->info.mtime, when)});
}

/* The cursor is the last path shown, so a file that comes or goes moves nothing. */
static bool list(struct mcp_call *call, str cursor, struct err *err)
{
    const struct index *x = kit_hold(call, err);
    if (x == NULL)
        return false;
    const struct file **files;
    size_t n = index_sorted(x, call->arena, &files), i = 0, shown = 0;
    while (i < n && cursor.n > 0 && str_cmp(files[i]->path, cursor) <= 0)
        i++;
    for (; i < n && shown < RESOURCES_PAGE; i++, shown++)
        list_file(call, files[i]);
    if (i < n)
        mcp_list_more(call, arena_str(call->arena, files[i - 1]->path));
    kit_let_go(call);
    return true;
}

static bool complete(struct mcp_call *call, str variable, str typed, struct err *err)
{
    return complete_path(call, typed, false, err);
}

static const struct mcp_resource files_row = {
    .uri = RESOURCES_URI "{+path}",
    .name = "file",
    .title = "A file of the vault",
    .about = "A note, text or attachment by its path from the vault's root, e.g. "
             "vault:///Projects/Plan.md. Attachments up to 1 MB.",
    .read = read_any,
    .list = list,
    .complete = complete,
};

const struct mcp_resource *const app_resources[] = {&files_row, NULL};
