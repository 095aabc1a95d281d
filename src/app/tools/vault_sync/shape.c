#include "app/tools/vault_sync/shape.h"

#include "app/answers/changed.h"
#include "app/tool_support/tool_support.h"

bool shape_path(struct mcp_call *call, str word, str *path, struct err *err)
{
    if (tool_path(call, word, path, err))
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

static void vault_sync_changed_json(struct answer_out *out, const void *result)
{
    const struct changed *c = result;
    jsonw_object(out->w);
    jsonw_put_str(out->w, STR("path"), c->path);
    jsonw_put_bool(out->w, str_c(c->done), c->is_done);
    if ((c->parts & CHANGED_BEFORE) == 0)
        jsonw_put_int(out->w, STR("size"), (int64_t)c->after.n);
    jsonw_put_int(out->w, STR("total_lines"), (int64_t)changed_lines(c->after));
    jsonw_end(out->w);
}

const struct answer_shape shape_changed = {.json = vault_sync_changed_json};
