/* The table of options for users: the text of --help, and docs/settings.md. */
#include "base/options.h"

enum { HELP_WIDTH = 80, HELP_COLUMN = 30 };

/* "--port NUMBER" */
static void add_usage(const struct option *o, struct sbuf *out)
{
    sbuf_printf(out, "--%s", o->flag);
    if (o->type == OPTION_SWITCH)
        return;
    sbuf_char(out, ' ');
    if (o->value == NULL && o->type == OPTION_CHOICE)
        sbuf_join(out, o->choices, "|");
    else
        sbuf_add(out, str_c(o->value != NULL ? o->value : "VALUE"));
}

/* The variables of o, each between before and after. */
static void add_variables(const struct option *o, const char *before, const char *after,
                          struct sbuf *out)
{
    str rest = str_c(o->env), name;
    for (int i = 0; str_next(&rest, '|', &name); i++)
        sbuf_printf(out, "%s%s" STR_FMT "%s", i > 0 ? ", " : "", before, STR_ARG(name),
                    after);
}

/* Wrap words in the right column of the help; column is the current position. */
static void add_wrapped(str text, size_t column, struct sbuf *out)
{
    str word;
    while (str_next(&text, ' ', &word)) {
        if (column > HELP_COLUMN && column + 1 + word.n > HELP_WIDTH) {
            sbuf_char(out, '\n');
            column = 0;
        }
        size_t pad = column < HELP_COLUMN ? HELP_COLUMN - column : column > HELP_COLUMN;
        sbuf_printf(out, "%*s" STR_FMT, (int)pad, "", STR_ARG(word));
        column += pad + word.n;
    }
    sbuf_char(out, '\n');
}

/* The heading above o; rows before the first heading are just "Options". */
static const char *heading_of(const struct option *table, const struct option *o)
{
    if (o != table || o->heading != NULL)
        return o->heading;
    for (; o->flag != NULL; o++)
        if (o->heading != NULL)
            return "Options";
    return NULL;
}

void options_help(const struct option *table, struct sbuf *out)
{
    for (const struct option *o = table; o->flag != NULL; o++) {
        const char *heading = heading_of(table, o);
        if (heading != NULL)
            sbuf_printf(out, "%s%s:\n", o == table ? "" : "\n", heading);
        struct sbuf left = SBUF_ON(out->arena), text = SBUF_ON(out->arena);
        if (o->letter != 0)
            sbuf_printf(&left, "  -%c, ", o->letter);
        else
            sbuf_add(&left, STR("      "));
        add_usage(o, &left);
        sbuf_printf(&text, "%s", o->about);
        if (o->dflt != NULL)
            sbuf_printf(&text, " (default: %s)", o->dflt);
        if (o->env != NULL) {
            sbuf_add(&text, STR(" ["));
            add_variables(o, "", "", &text);
            sbuf_char(&text, ']');
        }
        sbuf_add(out, sbuf_str(&left));
        bool long_left = left.n + 2 > HELP_COLUMN;
        if (long_left)
            sbuf_char(out, '\n');
        add_wrapped(sbuf_str(&text), long_left ? 0 : left.n, out);
    }
}

void options_markdown(const struct option *table, struct sbuf *out)
{
    for (const struct option *o = table; o->flag != NULL; o++) {
        const char *heading = heading_of(table, o);
        if (heading != NULL)
            sbuf_printf(out, "%s## %s\n\n", o == table ? "" : "\n", heading);
        if (heading != NULL || o == table)
            sbuf_add(out,
                     STR("| flag | variable | default | meaning |\n|---|---|---|---|\n"));
        struct sbuf usage = SBUF_ON(out->arena), env = SBUF_ON(out->arena);
        sbuf_char(&usage, '`');
        add_usage(o, &usage);
        sbuf_char(&usage, '`');
        add_variables(o, "`", "`", &env);
        sbuf_char(out, '|');
        sbuf_cell(out, sbuf_str(&usage));
        sbuf_cell(out, env.n > 0 ? sbuf_str(&env) : STR("–"));
        sbuf_cell(out,
                  o->dflt != NULL ? arena_printf(out->arena, "`%s`", o->dflt) : STR("–"));
        sbuf_cell(out, str_c(o->about));
        sbuf_char(out, '\n');
    }
}
