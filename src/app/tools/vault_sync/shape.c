#include "app/tools/vault_sync/shape.h"

#include "app/kit/tool_kit.h"
#include "vault/draft.h"

bool shape_path(struct mcp_call *call, str word, str *path, struct err *err)
{
    if (kit_path(call, word, path, err))
        return true;
    return err->code == ERR_NOT_FOUND &&
           err_named(err, ERR_NOT_FOUND, "FILE_NOT_FOUND", "File not found: " STR_FMT,
                     STR_ARG(*path));
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
