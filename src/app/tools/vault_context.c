#include "app/answers/put.h"
#include "app/kit/kit_change.h"
#include "app/kit/tool_kit.h"
#include "app/tools/reading.h"
#include "app/tools/rows.h"
#include "base/path.h"
#include "vault/ask/guidance.h"
#include "vault/text/hidden.h"

struct args {
    str path;
    int64_t budget;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, path, MCP_STR, 0, "Note or folder; need not exist",
              .dflt = "\"\""),
    MCP_FIELD(struct args, budget, MCP_INT, MCP_TACIT, "Most tokens", .dflt = "10000",
              .min = 100, .max = KIT_BUDGET_MAX),
    {0},
};

/* The lines of a rule that fit. */
static void put_rule(struct mcp_call *call, const struct file *f, int64_t budget)
{
    enum { AROUND = 80 }; /* bytes of a rule besides its text, twice its path */
    str text = guidance_text(f), above = str_slice(f->text, 0, f->text.n - text.n);
    struct reading r = {.part = {.content = text, .first = kit_count_lines(above) + 1}};
    struct hidden_list hidden;
    size_t room = kit_room(call, budget), around = AROUND + 2 * f->path.n;
    reading_fit(&r, room > around ? room - around : 0);
    jsonw_object(call->out);
    jsonw_put_str(call->out, STR("path"), f->path);
    jsonw_put_str(call->out, STR("text"), r.cut_line ? STR("") : r.part.content);
    hidden_find(r.part.content, r.part.first, 0, &hidden);
    put_hidden_warning(call->out, &hidden);
    if (r.truncated)
        kit_put_read_on(call->out, f->path, r.cut_line ? r.part.first : r.next);
    jsonw_end(call->out);
}

static void put_rules(struct mcp_call *call, const struct guidance *g, int64_t budget)
{
    jsonw_put_array(call->out, STR("rules"));
    for (size_t i = 0; i < g->n_rules; i++)
        put_rule(call, g->rules[i], budget);
    jsonw_end(call->out);
}

static size_t put_notes(struct mcp_call *call, const struct guidance *g, int64_t budget)
{
    struct jsonw *out = call->out;
    size_t shown = 0;
    jsonw_put_array(out, STR("notes"));
    for (; shown < g->n_notes; shown++) {
        struct kit_mark mark = kit_mark(call);
        str description = guidance_description(g->notes[shown]);
        jsonw_object(out);
        jsonw_put_str(out, STR("path"), g->notes[shown]->path);
        jsonw_put_str(out, STR("description"),
                      description.n > 0
                          ? description
                          : STR("(none yet: read it, then offer to add a description "
                                "that says when to read it)"));
        jsonw_end(out);
        if (!kit_keep(call, &mark, budget))
            break;
    }
    jsonw_end(out);
    return shown;
}

/* They are all in a list without budget for rules. */
static void put_notes_elsewhere(struct jsonw *out)
{
    jsonw_put_bool(out, STR("truncated"), true);
    jsonw_put_object(out, STR("next"));
    jsonw_put_str(out, STR("tool"), STR("vault_query"));
    jsonw_put_str(out, STR("where"), STR("tag = #claude"));
    jsonw_put_str(out, STR("select"), STR("description"));
    jsonw_end(out);
}

static bool vault_context_run(struct mcp_call *call, struct err *err)
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
    put_rules(call, &g, in->budget);
    if (put_notes(call, &g, in->budget) < g.n_notes)
        put_notes_elsewhere(call->out);
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
    .title = "Rules of a place",
    .about = "How the user wants a place handled: CLAUDE.md and AGENTS.md down to the "
             "path, and which notes tagged claude to read. Call it "
             "before you change notes.",
    .flags = MCP_READ_ONLY,
    .fields = fields,
    .args_size = sizeof(struct args),
    .run = vault_context_run,
};
