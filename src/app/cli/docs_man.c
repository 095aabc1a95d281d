/*
 * The manual as roff with the macros of man(7), as git has it: vaultd(1) is an overview,
 * and each command has a page of its own, such as vaultd-search(1).
 */
#include "app/catalog/tools.h"
#include "app/cli/cli.h"
#include "app/cli/docs.h"
#include "app/setup/settings.h"
#include "base/chars.h"

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

/* --- lines of at most 80 bytes, as mandoc -T lint asks for --- */

enum { MAN_LINE_MAX = 80 };

/* Where to break a line of text: at the last space that keeps it short and does not make
 * the next line a macro; its length if it need not or cannot be broken. */
static size_t docs_man_break(str line)
{
    if (line.n <= MAN_LINE_MAX)
        return line.n;
    for (size_t at = MAN_LINE_MAX; at > 0; at--)
        if (line.p[at] == ' ' && line.p[at - 1] != ' ' && str_skip(line, at).n > 1 &&
            line.p[at + 1] != '.')
            return at;
    return line.n;
}

/* Add a page. Macros and examples stay as they are. */
static void docs_man_add_page(str page, struct sbuf *out)
{
    bool example = false;
    str rest = str_trim_line(page), line;
    while (str_next(&rest, '\n', &line)) {
        example = (example || str_eq(line, STR(".EX"))) && !str_eq(line, STR(".EE"));
        bool verbatim = example || str_starts(line, STR("."));
        while (!verbatim && docs_man_break(line) < line.n) {
            size_t at = docs_man_break(line);
            sbuf_printf(out, STR_FMT "\n", STR_ARG(str_slice(line, 0, at)));
            line = str_skip(line, at + 1);
        }
        sbuf_printf(out, STR_FMT "\n", STR_ARG(line));
    }
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

static void docs_man_add_value(const struct option *o, struct sbuf *out)
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
    docs_man_add_value(o, out);
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

/* The options of a table, which may be NULL: those that most commands have, or the rest. */
static void add_options(const struct option *table, bool common, struct sbuf *out)
{
    for (const struct option *o = table; o != NULL && o->flag != NULL; o++)
        if (cli_is_common(o) == common)
            add_option(o, out);
}

static bool has_common_options(const struct option *table)
{
    for (const struct option *o = table; o != NULL && o->flag != NULL; o++)
        if (cli_is_common(o))
            return true;
    return false;
}

/* --- one command --- */

static str docs_man_upper(struct arena *a, str text)
{
    struct sbuf upper = SBUF_ON(a);
    for (size_t i = 0; i < text.n; i++)
        sbuf_char(&upper, is_letter(text.p[i]) ? (char)(text.p[i] & 0x5f) : text.p[i]);
    return sbuf_str(&upper);
}

static void add_tool_sets(struct sbuf *out)
{
    sbuf_add(out, STR(".SS Tool sets\n"));
    for (const struct tool_set *s = tool_sets; s->name != NULL; s++) {
        sbuf_printf(out, ".TP\n\\fB%s\\fR\n", s->name);
        docs_man_add_text(str_c(s->about), out);
        sbuf_add(out, STR(".\n"));
    }
}

static void add_description(const struct command_info *c, struct sbuf *out)
{
    sbuf_add(out, STR(".SH DESCRIPTION\n"));
    docs_man_add_text(str_c(c->about), out);
    sbuf_add(out, STR(".\n"));
    if (c->help != NULL)
        add_prose(c->help, out);
}

static void add_option_section(const struct command_info *c, struct sbuf *out)
{
    if (c->options == NULL)
        return;
    sbuf_add(out, STR(".SH OPTIONS\n"));
    if (c->options == settings_table)
        sbuf_add(out,
                 STR("A flag wins over the environment, which wins over the default.\n"
                     "A switch is turned off by \\fB\\-\\-no\\-\\fINAME\\fR; a list is "
                     "comma\\-separated, or its flag is repeated.\n"));
    add_options(c->options, false, out);
    if (has_common_options(c->options))
        sbuf_add(out, STR(".SS Common options\n"));
    add_options(c->options, true, out);
    if (c->help == NULL)
        add_tool_sets(out);
}

static void add_command_page(const struct command_info *c, struct sbuf *out)
{
    struct sbuf name = SBUF_ON(out->arena);
    docs_man_add_text(str_c(c->name), &name);
    str escaped = sbuf_str(&name), title = docs_man_upper(out->arena, escaped);
    sbuf_printf(out,
                ".TH VAULTD\\-" STR_FMT " 1 " VAULTD_DATE " \"vaultd " VAULTD_VERSION
                "\" \"User Commands\"\n.SH NAME\nvaultd\\-" STR_FMT " \\- ",
                STR_ARG(title), STR_ARG(escaped));
    docs_man_add_line(c->about, out);
    sbuf_printf(out, ".SH SYNOPSIS\n.B vaultd " STR_FMT "\n", STR_ARG(escaped));
    if (c->arguments[0] != '\0')
        docs_man_add_line(c->arguments, out);
    add_description(c, out);
    add_option_section(c, out);
    sbuf_add(out, STR(".SH SEE ALSO\n.BR vaultd (1)\n"));
}

void docs_man_command(const struct command_info *c, struct sbuf *out)
{
    struct sbuf page = SBUF_ON(out->arena);
    add_command_page(c, &page);
    docs_man_add_page(sbuf_str(&page), out);
}

/* --- the overview --- */

static void add_commands(const struct command_info *commands, struct sbuf *out)
{
    sbuf_add(out, STR(".SH COMMANDS\nA folder without a command is served. Alone on a "
                      "terminal, vaultd shows the first page of its help.\n"
                      "Each command has a page: \\fBman vaultd\\-search\\fR.\n"));
    for (const struct command_info *c = commands; c->name != NULL; c++) {
        sbuf_add(out, STR(".TP\n\\fBvaultd "));
        docs_man_add_text(str_c(c->name), out);
        sbuf_printf(out, "\\fR%s", c->arguments[0] != '\0' ? " " : "");
        docs_man_add_line(c->arguments, out);
        docs_man_add_text(str_c(c->about), out);
        sbuf_add(out, STR(".\n"));
    }
}

/* packaging/man_pages reads the names of the pages from here. */
static void add_see_also(const struct command_info *commands, struct sbuf *out)
{
    sbuf_add(out, STR(".SH SEE ALSO\n"));
    for (const struct command_info *c = commands; c->name != NULL; c++) {
        sbuf_add(out, STR(".BR vaultd\\-"));
        docs_man_add_text(str_c(c->name), out);
        sbuf_add(out, STR(" (1),\n"));
    }
    sbuf_add(out, STR(".BR git (1),\n.BR rg (1),\n.BR systemd.socket (5)\n"));
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
    ".EE\n";

void docs_man(const struct command_info *commands, struct sbuf *out)
{
    struct sbuf page = SBUF_ON(out->arena);
    sbuf_add(&page, str_c(head));
    add_commands(commands, &page);
    sbuf_add(&page, str_c(tail));
    add_see_also(commands, &page);
    docs_man_add_page(sbuf_str(&page), out);
}
