#include "app/tool_support/tool_support.h"
#include "app/tools/vault_git/plain.h"
#include "base/path.h"
#include "base/utf8.h"
#include "mcp/call.h"
#include "vault/vault.h"

enum { CONTEXT_MAX = 100000 }; /* bytes of files in one answer */

struct args {
    str path;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, path, MCP_STR, 0,
              "Directory or file you are working on; need not exist", .dflt = "\".\""),
    {0},
};

/* The current rules of one folder, if it has any. */
static void claude_context_add_rules(struct mcp_call *call, str folder, struct sbuf *out)
{
    struct vault_text t;
    struct err none;
    str path = path_join(call->arena, folder, STR("CLAUDE.md"));
    if (!vault_read(tool_vault(call), call->arena, path, 1, 0, &t, &none))
        return;
    str shown = utf8_cut(t.content, CONTEXT_MAX > out->n ? CONTEXT_MAX - out->n : 0);
    sbuf_printf(out, "%s--- " STR_FMT " ---\n" STR_FMT, out->n > 0 ? "\n" : "",
                STR_ARG(t.path), STR_ARG(shown));
    if (shown.n < t.content.n)
        sbuf_add(out, STR("\n(cut here; read_file shows all of it)"));
    if (!str_ends(sbuf_str(out), STR("\n")))
        sbuf_char(out, '\n');
}

static bool get_claude_context_run(struct mcp_call *call, struct err *err)
{
    const struct args *in = call->args;
    struct sbuf out = SBUF_ON(call->arena);
    str path;
    if (!path_clean(call->arena, in->path, &path, err))
        return false;
    claude_context_add_rules(call, STR(""), &out);
    for (size_t i = 1; i <= path.n; i++)
        if (i == path.n || path.p[i] == '/')
            claude_context_add_rules(call, str_slice(path, 0, i), &out);
    mcp_text(call, out.n > 0 ? sbuf_str(&out)
                             : arena_printf(call->arena,
                                            "No CLAUDE.md on the path to '/" STR_FMT
                                            "': the user has no rules for this place.",
                                            STR_ARG(path)));
    return true;
}

const struct mcp_tool tool_get_claude_context = {
    .name = "get_claude_context",
    .title = "Rules for a Place",
    .about = "The user's instructions for a place: every CLAUDE.md from the vault's root "
             "down to it, the nearest last, which wins. Call it before you change "
             "anything there.",
    .flags = MCP_READ_ONLY | MCP_OWN_FIELDS,
    .fields = fields,
    .args_size = sizeof(struct args),
    .run = get_claude_context_run,
};
