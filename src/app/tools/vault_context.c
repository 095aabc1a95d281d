#include "app/put.h"
#include "app/tool_kit.h"
#include "app/tools.h"
#include "base/path.h"
#include "base/utf8.h"
#include "vault/guidance.h"

struct args {
    str path;
    int64_t budget;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, path, MCP_STR, 0, "Note or folder; need not exist",
              .dflt = "\"\""),
    MCP_FIELD(struct args, budget, MCP_INT, 0, "Most tokens", .dflt = "10000", .min = 100,
              .max = KIT_BUDGET_MAX),
    {0},
};

/* What is left of the budget, in bytes. */
static size_t room(const struct mcp_call *call, int64_t budget)
{
    size_t most = (size_t)budget * KIT_TOKEN_BYTES, used = call->out->out->n;
    return used < most ? most - used : 0;
}

/* How many were cut or left out. */
static size_t put_rules(struct mcp_call *call, const struct guidance *g, int64_t budget)
{
    struct jsonw *out = call->out;
    size_t cut = 0;
    jsonw_put_array(out, STR("rules"));
    for (size_t i = 0; i < g->n_rules; i++) {
        str text = guidance_text(g->rules[i]);
        str shown = utf8_cut(text, room(call, budget));
        struct hidden_list hidden;
        jsonw_object(out);
        jsonw_put_str(out, STR("path"), g->rules[i]->path);
        jsonw_put_str(out, STR("text"), shown);
        hidden_find(shown, 1, 0, &hidden);
        put_hidden_warning(out, &hidden);
        if (shown.n < text.n) {
            jsonw_put_bool(out, STR("truncated"), true);
            cut++;
        }
        jsonw_end(out);
    }
    jsonw_end(out);
    return cut;
}

static size_t put_notes(struct mcp_call *call, const struct guidance *g, int64_t budget)
{
    struct jsonw *out = call->out;
    size_t shown = 0;
    jsonw_put_array(out, STR("notes"));
    for (; shown < g->n_notes && !kit_is_full(call, budget); shown++) {
        str description = guidance_description(g->notes[shown]);
        jsonw_object(out);
        jsonw_put_str(out, STR("path"), g->notes[shown]->path);
        jsonw_put_str(out, STR("description"),
                      description.n > 0
                          ? description
                          : STR("(none yet: read it, then offer to add a description "
                                "that says when to read it)"));
        jsonw_end(out);
    }
    jsonw_end(out);
    return g->n_notes - shown;
}

static bool run(struct mcp_call *call, struct err *err)
{
    const struct args *in = call->args;
    str path;
    if (!path_clean(call->arena, in->path, &path, err))
        return false;
    const struct index *x = kit_hold(call, err);
    if (x == NULL)
        return false;
    struct guidance g;
    guidance_for(x, call->arena, path, &g);
    jsonw_object(call->out);
    jsonw_put_str(call->out, STR("path"), path);
    size_t cut = put_rules(call, &g, in->budget);
    cut += put_notes(call, &g, in->budget);
    if (cut > 0)
        jsonw_put_bool(call->out, STR("truncated"), true);
    if (g.n_rules + g.n_notes == 0)
        jsonw_put_str(call->out, STR("note"),
                      STR("No guidance here. The user may write it to CLAUDE.md in any "
                          "folder, or to notes with the tag claude."));
    jsonw_end(call->out);
    kit_let_go(call);
    return true;
}

const struct mcp_tool tool_vault_context = {
    .name = "vault_context",
    .title = "Rules of a place in the vault",
    .about = "How the user wants a place in the vault handled: CLAUDE.md and AGENTS.md "
             "down to the path (the nearest wins), and which notes tagged claude to "
             "read. Call it before you change notes.",
    .flags = MCP_READ_ONLY,
    .fields = fields,
    .args_size = sizeof(struct args),
    .run = run,
};
