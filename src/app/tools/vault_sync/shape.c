#include "app/tools/vault_sync/shape.h"

#include "base/path.h"

bool shape_path(struct mcp_call *call, str word, str *path, struct err *err)
{
    struct fs_info info;
    const struct file *f;
    if (!path_clean(call->arena, word, path, err))
        return false;
    bool there = vault_stat(kit_vault(call), *path, &info, err);
    if (there ? info.type == FS_FILE : err->code != ERR_NOT_FOUND)
        return there;
    const struct index *x = kit_hold(call, err);
    if (x == NULL)
        return false;
    bool found = find_file(x, call->arena, word, &f, err);
    if (found)
        *path = arena_str(call->arena, f->path);
    kit_let_go(call);
    if (!found && err->code == ERR_NOT_FOUND)
        return err_named(err, ERR_NOT_FOUND, "FILE_NOT_FOUND", "File not found: " STR_FMT,
                         STR_ARG(*path));
    return found;
}

bool shape_edit_failed(struct err *err)
{
    static const char *const sentences[] = {"Text not found in file",
                                            "times in file, must be unique"};
    for (size_t i = 0; i < COUNT_OF(sentences); i++) {
        char *found = strstr(err->msg, sentences[i]);
        if (found != NULL)
            found[strlen(sentences[i])] = '\0';
    }
    return false;
}

bool shape_commit(struct draft *d, struct err *err)
{
    struct draft_result r;
    return draft_commit(d, STR(""), &r, err);
}
