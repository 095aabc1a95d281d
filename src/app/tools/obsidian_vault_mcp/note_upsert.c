#include "app/kit/kit_change.h"
#include "app/tools/obsidian_vault_mcp/tools.h"
#include "base/path.h"
#include "vault/draft.h"
#include "vault/note/matter.h"
#include "vault/note/prop.h"
#include "vault/vault.h"

static const char NAME[] = "note_upsert";
static const struct kit_change plainly = {0};

struct args {
    str path, content;
    const struct json *frontmatter;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, path, MCP_STR, MCP_REQUIRED,
              "From the vault root, e.g. \"devlog/topic.md\""),
    MCP_FIELD(struct args, content, MCP_STR, MCP_REQUIRED,
              "The text of a new note, or what is added to one that exists"),
    MCP_FIELD(struct args, frontmatter, MCP_OBJECT, 0,
              "Properties of a new note; ignored when it exists"),
    {0},
};

static bool create(struct mcp_call *call, struct draft *d, str path, struct err *err)
{
    const struct args *in = call->args;
    struct prop *props = NULL;
    str text;
    return (in->frontmatter == NULL ||
            prop_of_json(call->arena, in->frontmatter, &props, err)) &&
           matter_write(call->arena, props, in->content, &text, err) &&
           draft_write(d, path, text, DRAFT_CREATE, err);
}

static bool note_upsert_append(struct mcp_call *call, struct draft *d, str path,
                               struct err *err)
{
    const struct args *in = call->args;
    struct sbuf text = SBUF_ON(call->arena);
    struct vault_text is_text;
    struct draft_file f;
    if (!draft_read(d, path, &f, err) || !vault_cut(f.path, f.text, 1, 0, &is_text, err))
        return false;
    sbuf_add(&text, f.text);
    sbuf_char(&text, '\n');
    sbuf_add(&text, in->content);
    return draft_write(d, f.path, sbuf_str(&text), DRAFT_OVERWRITE, err);
}

static bool note_upsert_steps(struct mcp_call *call, struct err *err)
{
    const struct args *in = call->args;
    struct draft *d = kit_draft(call, NAME, &plainly);
    struct draft_result made;
    str path;
    if (!path_clean_file(call->arena, in->path, &path, err))
        return false;
    bool exists = draft_exists(d, path);
    if (!(exists ? note_upsert_append : create)(call, d, path, err) ||
        !draft_commit(d, STR(""), &made, err))
        return false;
    jsonw_object(call->out);
    jsonw_put_bool(call->out, STR("created"), !exists);
    jsonw_end(call->out);
    return true;
}

static bool note_upsert_run(struct mcp_call *call, struct err *err)
{
    return kit_change(call, &plainly, note_upsert_steps, err);
}

const struct mcp_tool ovm_note_upsert = {
    .name = NAME,
    .title = "Create or append",
    .about = "Create a note with its folders, or append to the one that exists, after a "
             "line break. Nothing that is there is ever changed.",
    .flags = MCP_OWN_FIELDS,
    .fields = fields,
    .args_size = sizeof(struct args),
    .output_schema =
        "{\"type\":\"object\",\"properties\":{\"created\":{\"type\":\"boolean\"}},"
        "\"required\":[\"created\"]}",
    .run = note_upsert_run,
};
