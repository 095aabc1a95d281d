#include "app/answers/answer.h"
#include "app/tool_support/tool_support.h"
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

/* The file whose path differs only by case or Unicode normal form: note_upsert would
 * append to it. */
static bool find_twin(struct mcp_call *call, str path, str *out, struct err *err)
{
    size_t twins;
    str clean;
    if (!path_clean(call->arena, path, &clean, err))
        return false;
    const struct index *x = tool_lock(call, err);
    if (x == NULL)
        return false;
    file_id id = names_find_path(x->names, clean, &twins);
    *out = id != NO_FILE ? arena_str(call->arena, names_path(x->names, id)) : STR("");
    tool_unlock(call);
    return true;
}

struct note_text {
    str content;
    bool exists; /* false: there is no such file */
};

static void note_read_json(struct answer_out *out, const void *result)
{
    const struct note_text *n = result;
    jsonw_object(out->w);
    jsonw_put_str(out->w, STR("content"), n->content);
    jsonw_put_bool(out->w, STR("exists"), n->exists);
    jsonw_end(out->w);
}

static const struct answer_shape note_read_shape = {.json = note_read_json};

static bool note_read_run(struct mcp_call *call, struct err *err)
{
    const struct args *in = call->args;
    struct vault_text text = {0};
    bool exists = vault_read(tool_vault(call), call->arena, in->path, 1, 0, &text, err);
    str twin;
    if (!exists && err->code != ERR_NOT_FOUND)
        return false;
    if (!exists) {
        if (!find_twin(call, in->path, &twin, err))
            return false;
        exists = twin.n > 0;
        if (exists && !vault_read(tool_vault(call), call->arena, twin, 1, 0, &text, err))
            return false;
    }
    return tool_answer(call, &note_read_shape, &(struct note_text){text.content, exists},
                       TOOL_NO_BUDGET);
}

const struct mcp_tool ovm_note_read = {
    .name = "note_read",
    .title = "Read a note",
    .about = "Read a Markdown note, frontmatter included. A missing note gives exists: "
             "false, not an error.",
    .flags = MCP_READ_ONLY | MCP_OWN_FIELDS,
    .fields = fields,
    .args_size = sizeof(struct args),
    .output_schema =
        "{\"type\":\"object\",\"properties\":{\"content\":{\"type\":\"string\"},"
        "\"exists\":{\"type\":\"boolean\"}},\"required\":[\"content\",\"exists\"]}",
    .run = note_read_run,
};
