#include "app/answers/remedy.h"

static const struct {
    const char *tool, *command;
} remedies[] = {
    [REMEDY_WRITE_ALL] = {"convert it to UTF-8 with vault_write and overwrite",
                          "convert it to UTF-8 with vaultd write --overwrite"},
    [REMEDY_MOVE_TEXT] = {"to move text in a note use vault_edit",
                          "to move text in a note use vaultd edit"},
    [REMEDY_EDIT_LINE] = {"or use vault_edit", "or use vaultd edit"},
    [REMEDY_READ_CANVAS] = {"vault_read shows ids and titles",
                            "vaultd read shows ids and titles"},
    [REMEDY_RENAME_HEADING] =
        {"rename one of them first (vault_move with heading and to)",
         "rename one of them first (vaultd move --heading)"},
    [REMEDY_RENAME_BLOCK] = {"rename one of them first (vault_move with block and to)",
                             "rename one of them first (vaultd move --block)"},
};

bool remedy_for_tools(struct err *err)
{
    return err->hint == NULL && err->remedy != REMEDY_NONE
               ? err_hint(err, remedies[err->remedy].tool)
               : false;
}

bool remedy_for_commands(struct err *err)
{
    return err->hint == NULL && err->remedy != REMEDY_NONE
               ? err_hint(err, remedies[err->remedy].command)
               : false;
}
