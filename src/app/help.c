#include "app/help.h"

#include "base/near.h"

/* --- one screen --- */

enum { SCREEN_WIDTH = 80, TITLE_WIDTH = 16 };

/* The most common commands, in few words. */
static const struct {
    const char *call, *about;
} first_ten[] = {
    {"init", "asks a few questions and sets everything up"},
    {"connect CLIENT", "adds the vault to an AI client on this computer"},
    {"serve ~/Notes", "serves it at http://127.0.0.1:8090/mcp"},
    {"doctor", "finds problems, and says how to fix them"},
    {"search rain barrel", "searches names, tags and contents"},
    {"read 'Rain barrel'", "prints a note"},
    {"tasks", "lists open tasks"},
    {"daily Bought seeds", "adds a line to today's note"},
    {"changes", "lists changes: when, by whom, what"},
    {"undo", "undoes the latest change"},
};

/* "  Read            search read list", continued below the first name. */
static void add_groups(const struct command_info *commands, struct sbuf *out)
{
    size_t column = 0;
    for (const struct command_info *c = commands; c->name != NULL; c++) {
        bool fits = column + 1 + strlen(c->name) <= SCREEN_WIDTH;
        if (c->group != NULL)
            sbuf_printf(out, "%s  %-*s", c > commands ? "\n" : "", TITLE_WIDTH - 2,
                        c->group);
        else
            sbuf_printf(out, "%s%*s", fits ? " " : "\n", fits ? 0 : TITLE_WIDTH, "");
        column = c->group == NULL && fits ? column + 1 : TITLE_WIDTH;
        sbuf_add(out, str_c(c->name));
        column += strlen(c->name);
    }
    sbuf_char(out, '\n');
}

void help_first_page(const struct command_info *commands, struct sbuf *out)
{
    sbuf_add(out,
             STR("vaultd - the MCP server for Obsidian vaults, and commands for their "
                 "notes\n\n"));
    for (size_t i = 0; i < COUNT_OF(first_ten); i++)
        sbuf_printf(out, "  vaultd %-20s %s\n", first_ten[i].call, first_ten[i].about);
    sbuf_add(out, STR("\nAll commands:\n"));
    add_groups(commands, out);
    sbuf_add(out, STR("\nvaultd help COMMAND explains one of them, vaultd help all says "
                      "what each does.\n"));
}

/* --- more --- */

void help_all(const struct command_info *commands, struct sbuf *out)
{
    sbuf_add(out, STR("usage: vaultd COMMAND [OPTIONS]\n"));
    for (const struct command_info *c = commands; c->name != NULL; c++) {
        if (c->group != NULL)
            sbuf_printf(out, "\n%s:\n", c->group);
        sbuf_printf(out, "  vaultd %s%s%s\n        %s\n", c->name,
                    c->arguments[0] != '\0' ? " " : "", c->arguments, c->about);
    }
    sbuf_add(out, STR("\nvaultd help COMMAND explains a command and its options. "
                      "vaultd FOLDER is short for\nvaultd serve FOLDER.\n"));
}

void help_command(const struct command_info *c, struct sbuf *out)
{
    sbuf_printf(out, "usage: vaultd %s%s%s\n\n%s\n\n%s", c->name,
                c->arguments[0] != '\0' ? " " : "", c->arguments, c->about, c->help);
}

void help_serve(const struct command_info *serve, struct sbuf *out)
{
    sbuf_printf(out,
                "usage: vaultd serve %s [OPTIONS]\n\n%s\n\n"
                "  vaultd serve ~/Notes             at http://127.0.0.1:8090/mcp\n"
                "  vaultd serve --stdio ~/Notes     what an AI client starts\n"
                "  vaultd serve                     the vault that contains the current "
                "folder\n\n"
                "Options with a name in [brackets] can also be set by that environment "
                "variable.\n\n",
                serve->arguments, serve->about);
    options_help(serve->options, out);
}

bool help_no_command(const struct command_info *commands, str word, bool or_folder,
                     struct err *err)
{
    enum { SLIPS_MAX = 2 };
    struct near_search near;
    near_search(&near, word, SLIPS_MAX);
    for (const struct command_info *c = commands; c->name != NULL; c++)
        (void)near_offer(&near, str_c(c->name));
    if (near.best.n > 0)
        return err_set(err, ERR_INVALID,
                       "no such command '" STR_FMT "'; did you mean '" STR_FMT "'?",
                       STR_ARG(word), STR_ARG(near.best));
    return err_set(err, ERR_INVALID,
                   "no such command '" STR_FMT "'%s; vaultd help lists the commands",
                   STR_ARG(word), or_folder ? ", and no such folder" : "");
}
