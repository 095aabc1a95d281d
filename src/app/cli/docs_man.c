/*
 * vaultd(1) as roff with the macros of man(7). The common options of all verbs, and those
 * of the server, are described once.
 */
#include "app/cli/cli.h"
#include "app/cli/docs.h"
#include "app/offer/tools.h"
#include "app/setup/settings.h"

/* Escapes everything that is special to roff. */
static void docs_man_add_text(str text, struct sbuf *out)
{
    static const struct {
        char c;
        const char *roff;
    } special[] = {{'\\', "\\e"},  {'-', "\\-"},   {'\'', "\\(aq"},
                   {'`', "\\(ga"}, {'^', "\\(ha"}, {'~', "\\(ti"}};
    if (str_starts(text, STR(".")))
        sbuf_add(out, STR("\\&"));
    for (size_t i = 0; i < text.n; i++) {
        size_t k = 0;
        while (k < COUNT_OF(special) && special[k].c != text.p[i])
            k++;
        if (k < COUNT_OF(special))
            sbuf_add(out, str_c(special[k].roff));
        else
            sbuf_char(out, text.p[i]);
    }
}

static void docs_man_add_line(const char *text, struct sbuf *out)
{
    docs_man_add_text(str_c(text), out);
    sbuf_char(out, '\n');
}

/* A help text: indented lines are examples, which are shown verbatim. */
static void add_prose(const char *text, struct sbuf *out)
{
    str rest = str_c(text), line;
    bool example = false, gap = true;
    while (str_next(&rest, '\n', &line)) {
        bool indented = str_starts(line, STR("  "));
        if (line.n == 0) {
            gap = true;
            continue;
        }
        if (example && !indented)
            sbuf_add(out, STR(".EE\n"));
        if (gap || indented != example)
            sbuf_add(out, STR(".PP\n"));
        if (indented && !example)
            sbuf_add(out, STR(".EX\n"));
        docs_man_add_text(line, out);
        sbuf_char(out, '\n');
        example = indented;
        gap = false;
    }
    if (example)
        sbuf_add(out, STR(".EE\n"));
}

/* --- options --- */

static bool is_common(const struct option *o)
{
    for (const struct option *c = cli_common_options; c->flag != NULL; c++)
        if (strcmp(o->flag, c->flag) == 0)
            return true;
    return false;
}

static void add_value(const struct option *o, struct sbuf *out)
{
    if (o->type == OPTION_SWITCH)
        return;
    sbuf_add(out, STR(" \\fI"));
    docs_man_add_text(str_c(o->value != NULL ? o->value : "VALUE"), out);
    sbuf_add(out, STR("\\fR"));
}

static void add_option(const struct option *o, struct sbuf *out)
{
    sbuf_add(out, STR(".TP\n\\fB"));
    if (o->letter != 0)
        sbuf_printf(out, "\\-%c\\fR, \\fB", o->letter);
    sbuf_add(out, STR("\\-\\-"));
    docs_man_add_text(str_c(o->flag), out);
    sbuf_add(out, STR("\\fR"));
    add_value(o, out);
    sbuf_char(out, '\n');
    docs_man_add_text(str_c(o->about), out);
    sbuf_add(out, STR(".\n"));
    if (o->type == OPTION_CHOICE) {
        struct sbuf choices = SBUF_ON(out->arena);
        sbuf_join(&choices, o->choices, ", ");
        sbuf_add(out, STR("One of: "));
        docs_man_add_text(sbuf_str(&choices), out);
        sbuf_add(out, STR(".\n"));
    }
    if (o->dflt != NULL && o->type != OPTION_SWITCH) {
        sbuf_add(out, STR("Default: "));
        docs_man_add_text(str_c(o->dflt), out);
        sbuf_add(out, STR(".\n"));
    }
    str rest = str_c(o->env), name;
    for (int i = 0; str_next(&rest, '|', &name); i++)
        sbuf_printf(out, "%s\\fB" STR_FMT "\\fR%s", i == 0 ? "Variable: " : " or ",
                    STR_ARG(name), rest.n == 0 ? ".\n" : "");
}

/* The options of a table, which may be NULL, without the common ones. */
static void add_own_options(const struct option *table, struct sbuf *out)
{
    for (const struct option *o = table; o != NULL && o->flag != NULL; o++)
        if (!is_common(o))
            add_option(o, out);
}

/* --- the page --- */

static void add_commands(const struct command_info *commands, struct sbuf *out)
{
    sbuf_add(out, STR(".SH COMMANDS\nA folder without a command is served. Alone on a "
                      "terminal, vaultd shows the first page of its help.\n"));
    for (const struct command_info *c = commands; c->name != NULL; c++) {
        sbuf_add(out, STR(".TP\n\\fBvaultd "));
        docs_man_add_text(str_c(c->name), out);
        sbuf_printf(out, "\\fR%s", c->arguments[0] != '\0' ? " " : "");
        docs_man_add_line(c->arguments, out);
        docs_man_add_text(str_c(c->about), out);
        sbuf_add(out, STR(".\n"));
    }
}

static void add_serving(struct sbuf *out)
{
    sbuf_add(out,
             STR(".SH OPTIONS OF THE SERVER\nA flag wins over the environment, which "
                 "wins over the default.\nA switch is turned off by "
                 "\\fB\\-\\-no\\-\\fINAME\\fR; a list is comma\\-separated, or its flag "
                 "is repeated.\n"));
    for (const struct option *o = settings_table; o->flag != NULL; o++)
        add_option(o, out);
    sbuf_add(out, STR(".SS Tool sets\n"));
    for (const struct tool_set *s = tool_sets; s->name != NULL; s++) {
        sbuf_printf(out, ".TP\n\\fB%s\\fR\n", s->name);
        docs_man_add_text(str_c(s->about), out);
        sbuf_add(out, STR(".\n"));
    }
}

static void add_details(const struct command_info *commands, struct sbuf *out)
{
    sbuf_add(out, STR(".SH COMMANDS FOR PEOPLE AND SCRIPTS\n"
                      ".SS Common options\n"));
    for (const struct option *o = cli_common_options; o->flag != NULL; o++)
        add_option(o, out);
    for (const struct command_info *c = commands; c->name != NULL; c++) {
        if (c->help == NULL)
            continue;
        sbuf_add(out, STR(".SS vaultd "));
        docs_man_add_line(c->name, out);
        docs_man_add_text(str_c(c->about), out);
        sbuf_add(out, STR(".\n"));
        add_prose(c->help, out);
        add_own_options(c->options, out);
    }
}

static const char head[] =
    ".TH VAULTD 1 " VAULTD_DATE " \"vaultd " VAULTD_VERSION "\" \"User Commands\"\n"
    ".SH NAME\n"
    "vaultd \\- the MCP server for Obsidian vaults\n"
    ".SH SYNOPSIS\n"
    ".B vaultd\n"
    ".RB [ serve ]\n"
    ".RI [ OPTIONS ]\n"
    ".RI [ VAULT ]\n"
    ".br\n"
    ".B vaultd serve \\-\\-stdio\n"
    ".I VAULT\n"
    ".br\n"
    ".B vaultd\n"
    ".I COMMAND\n"
    ".RI [ OPTIONS ]\n"
    ".RI [ ARGUMENTS ]\n"
    ".SH DESCRIPTION\n"
    "vaultd gives AI agents (Claude, ChatGPT, any client of the Model Context Protocol) "
    "a vault of\n"
    "Markdown notes: over HTTP, or with \\fB\\-\\-stdio\\fR to the client that starts "
    "it.\n"
    "People and scripts use the same vault through the other commands.\n"
    ".PP\n"
    "Every file is opened beneath the vault's folder; nothing outside it can be "
    "reached.\n"
    "A change is on disk before the call is answered, survives a crash completely or not "
    "at all, and\n"
    "can be undone with \\fBvaultd undo\\fR.\n";

static const char tail[] =
    ".SH FILES\n"
    ".TP\n"
    ".I ~/.local/state/vaultd\n"
    "What survives a restart (elsewhere if \\fB\\-\\-state\\-dir\\fR or "
    "\\fBXDG_STATE_HOME\\fR is given):\n"
    "the index, the journal of changes, sign\\-ins.\n"
    ".TP\n"
    ".I /etc/vaultd/vaultd.env\n"
    "Settings of the system service, one \\fIVARIABLE=value\\fR per line.\n"
    ".TP\n"
    ".I ~/.config/vaultd/vaultd.env\n"
    "The same for the service of one user.\n"
    ".SH SIGNALS\n"
    "SIGTERM and SIGINT stop the server after the running calls are answered; a second "
    "one stops it\n"
    "immediately.\n"
    ".SH EXIT STATUS\n"
    ".TP\n"
    ".B 0\n"
    "No problem.\n"
    ".TP\n"
    ".B 1\n"
    "Something failed, nothing was found, or there are problems.\n"
    ".TP\n"
    ".B 2\n"
    "Wrong usage or a wrong setting.\n"
    ".SH EXAMPLES\n"
    ".EX\n"
    "vaultd serve \\(ti/Notes            http://127.0.0.1:8090/mcp\n"
    "vaultd serve \\-\\-stdio \\(ti/Notes    for Claude Desktop and similar clients\n"
    "vaultd search garden            in the vault that contains the current folder\n"
    "vaultd docs bash                completions for bash, also for zsh and fish\n"
    ".EE\n"
    ".SH SEE ALSO\n"
    ".BR git (1),\n"
    ".BR rg (1),\n"
    ".BR systemd.socket (5)\n";

void docs_man(const struct command_info *commands, struct sbuf *out)
{
    sbuf_add(out, str_c(head));
    add_commands(commands, out);
    add_serving(out);
    add_details(commands, out);
    sbuf_add(out, str_c(tail));
}
