#include "app/tools/vault_git/plain.h"

#include "app/tool_support/tool_support.h"
#include "base/path.h"
#include "mcp/call.h"
#include "vault/ask/lookup.h"
#include "vault/vault.h"

bool plain_folder(struct mcp_call *call, str path, str *clean, struct err *err)
{
    struct fs_info info;
    if (!path_clean(call->arena, path, clean, err) ||
        !vault_stat(tool_vault(call), *clean, &info, err))
        return false;
    return info.type == FS_FOLDER ||
           err_named(err, E_NOT_FOLDER,
                     "'" STR_FMT "' is a file, not a directory; read_file reads it",
                     STR_ARG(*clean));
}

bool plain_file(struct mcp_call *call, str word, str *path, struct err *err)
{
    struct fs_info info;
    if (!path_clean(call->arena, word, path, err))
        return false;
    if (!vault_stat_spelled(tool_vault(call), call->arena, *path, &info, err))
        return err->code == ERR_NOT_FOUND && tool_path(call, word, path, err);
    return info.type == FS_FILE ||
           err_named(err, E_IS_FOLDER,
                     "'" STR_FMT "' is a directory, not a file; list_directory shows it",
                     STR_ARG(*path));
}

bool plain_missing(struct mcp_call *call, str path, struct err *err)
{
    struct err why;
    str meant;
    if (err->name != E_FILE_NOT_FOUND)
        return false;
    if (tool_path(call, path, &meant, &why))
        return err_named(err, E_FILE_NOT_FOUND,
                         "File not found: " STR_FMT "; did you mean '" STR_FMT "'?",
                         STR_ARG(path), STR_ARG(meant));
    *err = why;
    return false;
}

static void said_text(struct model_text *s, const void *result)
{
    struct sbuf *out = s->out;
    const struct changed *c = result;
    sbuf_add(out, c->said);
    for (size_t i = 0; i < c->n_warnings; i++)
        sbuf_printf(out, "\n" STR_FMT, STR_ARG(c->warnings[i]));
}

const struct answer_shape plain_said_shape = {.text = said_text};

void plain_end(struct sbuf *lines, size_t end, size_t total, const char *none)
{
    if (lines->n == 0)
        sbuf_add(lines, str_c(none));
    else if (end < total)
        sbuf_printf(lines, "(%zu of %zu; continue with offset %zu)", end, total, end);
    else
        lines->n--; /* without the last line break */
}

bool plain_look(struct mcp_call *call, const struct lookup *l,
                const struct answer_shape *shape, struct err *err)
{
    struct found_files looked = {.offset = l->offset};
    const struct index *x = tool_lock(call, err);
    if (x == NULL)
        return false;
    bool ok = lookup_run(x, call->arena, l, &looked.found, err) &&
              tool_answer(call, shape, &looked, TOOL_NO_BUDGET);
    tool_unlock(call);
    return ok;
}
