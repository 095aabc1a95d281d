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

/* What rooms below call an argument, and the option for it. */
static const struct {
    str tool, command;
} phrases[] = {
    {STR(", or replace_all"), STR(", or give -a")},
    {STR("give its path and overwrite;"), STR("give its path and --overwrite;")},
    {STR("offset "), STR("line ")},
};

str remedy_command_words(struct arena *a, str message)
{
    for (size_t i = 0; i < COUNT_OF(phrases); i++) {
        size_t at = str_find(message, phrases[i].tool);
        bool begins = phrases[i].tool.p[phrases[i].tool.n - 1] == ' '; /* a prefix */
        if (at != STR_NONE && (!begins || at == 0))
            message = arena_printf(a, STR_FMT STR_FMT STR_FMT,
                                   STR_ARG(str_slice(message, 0, at)),
                                   STR_ARG(phrases[i].command),
                                   STR_ARG(str_skip(message, at + phrases[i].tool.n)));
    }
    return message;
}
