#include "app/cli/docs.h"

#include "app/offer/tools.h"
#include "app/setup/settings.h"
#include "mcp/schema.h"

static void write_settings(const struct command_info *commands, struct sbuf *out)
{
    sbuf_add(out,
             STR("# Settings\n\nMade by `vaultd docs settings`. A flag wins over the "
                 "environment, which wins over the default.\n\n"));
    options_markdown(settings_table, out);
}

static void write_tool(struct sbuf *out, const struct mcp_tool *t)
{
    sbuf_printf(out, "\n## %s\n\n%s\n\n", t->name, t->about);
    if (t->fields == NULL)
        sbuf_add(out, STR("No parameters.\n"));
    else
        sbuf_add(out,
                 STR("| parameter | type | default | meaning |\n|---|---|---|---|\n"));
    for (const struct mcp_field *f = t->fields; f != NULL && f->name != NULL; f++)
        sbuf_printf(out, "| `%s`%s | %s | %s%s%s | %s |\n", f->name,
                    f->flags & MCP_REQUIRED ? ", required" : "", mcp_type_name(f),
                    f->dflt != NULL ? "`" : "", f->dflt != NULL ? f->dflt : "",
                    f->dflt != NULL ? "`" : "", f->about);
}

static void write_tools(const struct command_info *commands, struct sbuf *out)
{
    sbuf_add(out, STR("# Tools\n\nMade by `vaultd docs tools`. `--tools` says which sets "
                      "of them are offered:\n\n"));
    for (const struct tool_set *s = tool_sets; s->name != NULL; s++)
        sbuf_printf(out, "- `%s`: %s\n", s->name, s->about);
    sbuf_add(out, STR("\nSets of [profiles](profiles.md) are described there.\n"
                      "\nWhere several vaults are served, every tool but those of "
                      "`chatgpt` also takes `vault`, the name of one of them.\n"));
    for (const struct tool_set *s = tool_sets; s->name != NULL; s++) {
        if (s->foreign)
            continue;
        sbuf_printf(out, "\n# The set `%s`\n", s->name);
        for (const struct mcp_tool *const *t = s->tools; *t != NULL; t++)
            write_tool(out, *t);
    }
}

static const struct {
    const char *name;
    void (*write)(const struct command_info *commands, struct sbuf *out);
} pages[] = {
    {"settings", write_settings}, {"tools", write_tools}, {"man", docs_man},
    {"bash", docs_bash},          {"zsh", docs_zsh},      {"fish", docs_fish},
};

bool docs_page(str name, const struct command_info *commands, struct sbuf *out,
               struct err *err)
{
    for (size_t i = 0; i < COUNT_OF(pages); i++) {
        if (str_eq(name, str_c(pages[i].name))) {
            pages[i].write(commands, out);
            return true;
        }
    }
    return err_set(err, ERR_INVALID, "docs takes one page: %s", DOCS_PAGES);
}
