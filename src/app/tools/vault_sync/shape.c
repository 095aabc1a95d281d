#include "app/tools/vault_sync/shape.h"

#include "app/kit/tool_kit.h"
#include "vault/draft.h"

bool shape_path(struct mcp_call *call, str word, str *path, struct err *err)
{
    if (kit_path(call, word, path, err))
        return true;
    return err->code == ERR_NOT_FOUND &&
           err_named(err, E_FILE_NOT_FOUND, "File not found: " STR_FMT, STR_ARG(*path));
}

bool shape_edit_failed(const struct edit_result *r, struct err *err)
{
    if (err->name == E_TEXT_NOT_FOUND)
        err_reword(err, "Text not found in file");
    else if (err->name == E_TEXT_NOT_UNIQUE)
        err_reword(err, "Text appears %zu times in file, must be unique", r->places);
    return false;
}

bool shape_commit(struct draft *d, struct err *err)
{
    struct draft_result r;
    return draft_commit(d, STR(""), &r, err);
}
