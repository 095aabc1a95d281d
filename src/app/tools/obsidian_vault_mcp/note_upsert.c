#include "app/tool_support/tool_change.h"
#include "app/tools/obsidian_vault_mcp/tools.h"
#include "base/path.h"
#include "vault/draft.h"
#include "vault/note/matter.h"
#include "vault/note/prop.h"
#include "vault/vault.h"

struct args {
    str path, content;
    const struct json *frontmatter;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, path, MCP_STR, MCP_REQUIRED,
              "From the vault root, e.g. \"devlog/topic.md\""),
    MCP_FIELD(struct args, content, MCP_STR, MCP_REQUIRED,
              "The text of a new note, or the text to append to an existing one"),
    MCP_FIELD(struct args, frontmatter, MCP_OBJECT, 0,
              "Properties of a new note; ignored when it exists"),
    {0},
};

static bool note_upsert_create(struct tool_changing *c, str path, struct err *err)
{
    struct arena *a = c->call->arena;
    const struct args *in = c->call->args;
    struct prop *props = NULL;
    str text;
    return (in->frontmatter == NULL || prop_of_json(a, in->frontmatter, &props, err)) &&
           matter_write(a, props, in->content, &text, err) &&
           draft_write(c->draft, path, text, DRAFT_CREATE, err);
}

static bool note_upsert_append(struct tool_changing *c, str path, struct err *err)
{
    const struct args *in = c->call->args;
    struct sbuf text = SBUF_ON(c->call->arena);
    struct vault_text is_text;
    struct draft_file f;
    if (!draft_read(c->draft, path, &f, err) ||
        !vault_cut(f.path, f.text, 1, 0, &is_text, err))
        return false;
    sbuf_add(&text, f.text);
    sbuf_char(&text, '\n');
    sbuf_add(&text, in->content);
    return draft_write(c->draft, f.path, sbuf_str(&text), DRAFT_EDIT, err);
}

static bool note_upsert_steps(struct tool_changing *c, struct err *err)
{
    const struct args *in = c->call->args;
    str path;
    if (!path_clean_file(c->call->arena, in->path, &path, err))
        return false;
    c->out.is_done = !draft_exists(c->draft, path);
    return (c->out.is_done ? note_upsert_create : note_upsert_append)(c, path, err);
}

const struct mcp_tool ovm_note_upsert = {
    .name = "note_upsert",
    .title = "Create or append",
    .about = "Create a note with its folders, or append to the one that exists, after a "
             "line break. Existing text is never changed.",
    .flags = MCP_OWN_FIELDS,
    .fields = fields,
    .args_size = sizeof(struct args),
    .output_schema =
        "{\"type\":\"object\",\"properties\":{\"created\":{\"type\":\"boolean\"}},"
        "\"required\":[\"created\"]}",
    TOOL_CHANGES(.unchecked = true, .steps = note_upsert_steps,
                 .shape = &ovm_changed_shape, .done = "created"),
};
