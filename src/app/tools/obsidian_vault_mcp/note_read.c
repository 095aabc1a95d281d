#include "app/kit/tool_kit.h"
#include "app/tools/obsidian_vault_mcp/tools.h"
#include "base/path.h"
#include "vault/index/names.h"
#include "vault/vault.h"

struct args {
    str path;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, path, MCP_STR, MCP_REQUIRED,
              "From the vault root, e.g. \"devlog/topic.md\""),
    {0},
};

/* The file that differs by case or normal form only: what note_upsert would append to. */
static bool find_twin(struct mcp_call *call, str path, str *out, struct err *err)
{
    size_t twins;
    str clean;
    if (!path_clean(call->arena, path, &clean, err))
        return false;
    const struct index *x = kit_hold(call, err);
    if (x == NULL)
        return false;
    file_id id = names_find_path(x->names, clean, &twins);
    *out = id != NO_FILE ? arena_str(call->arena, names_path(x->names, id)) : STR("");
    kit_let_go(call);
    return true;
}

/* *exists may be false: then there is no such file. */
static bool note_read_read_note(struct mcp_call *call, str path, str *content,
                                bool *exists, struct err *err)
{
    struct vault_text text = {0};
    str twin;
    *exists = vault_read(kit_vault(call), call->arena, path, 1, 0, &text, err);
    if (!*exists && err->code != ERR_NOT_FOUND)
        return false;
    if (!*exists) {
        if (!find_twin(call, path, &twin, err))
            return false;
        *exists = twin.n > 0;
        if (*exists && !vault_read(kit_vault(call), call->arena, twin, 1, 0, &text, err))
            return false;
    }
    *content = text.content;
    return true;
}

static bool note_read_run(struct mcp_call *call, struct err *err)
{
    const struct args *in = call->args;
    bool exists;
    str content;
    if (!note_read_read_note(call, in->path, &content, &exists, err))
        return false;
    jsonw_object(call->out);
    jsonw_put_str(call->out, STR("content"), content);
    jsonw_put_bool(call->out, STR("exists"), exists);
    jsonw_end(call->out);
    return true;
}

const struct mcp_tool ovm_note_read = {
    .name = "note_read",
    .title = "Read a note",
    .about = "Read a Markdown note, frontmatter included. A note that is not there is "
             "exists: false, no error.",
    .flags = MCP_READ_ONLY | MCP_OWN_FIELDS,
    .fields = fields,
    .args_size = sizeof(struct args),
    .output_schema =
        "{\"type\":\"object\",\"properties\":{\"content\":{\"type\":\"string\"},"
        "\"exists\":{\"type\":\"boolean\"}},\"required\":[\"content\",\"exists\"]}",
    .run = note_read_run,
};
