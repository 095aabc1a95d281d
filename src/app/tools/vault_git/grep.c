#include "app/answers/answer.h"
#include "app/answers/hits.h"
#include "app/tool_support/tool_support.h"
#include "app/tools/vault_git/plain.h"
#include "base/path.h"
#include "vault/text/glob.h"
#include "vault/vault.h"

struct args {
    str pattern, path;
    struct mcp_strs include;
    bool ignoreCase, literal;
    int64_t limit, offset;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, pattern, MCP_STR, MCP_REQUIRED,
              "Regular expression as in ripgrep, matched line by line"),
    MCP_FIELD(struct args, path, MCP_STR, 0, "Directory or file to search in",
              .dflt = "\".\""),
    MCP_FIELD(struct args, include, MCP_STRS, 0,
              "Globs of files, e.g. \"*.md\", \"!Archive/**\""),
    MCP_FIELD(struct args, ignoreCase, MCP_BOOL, 0, "As grep -i", .dflt = "false"),
    MCP_FIELD(struct args, literal, MCP_BOOL, 0, "The pattern is plain text, as grep -F",
              .dflt = "false"),
    MCP_FIELD(struct args, limit, MCP_INT, 0, "Max lines", .dflt = "200", .min = 1,
              .max = SEARCH_LIMIT_MAX),
    PLAIN_OFFSET_FIELD(struct args),
    {0},
};

/* Where to search: a directory, or one file. */
static bool grep_read_place(struct mcp_call *call, struct search *s, struct err *err)
{
    const struct args *in = call->args;
    struct fs_info info;
    str path;
    if (!path_clean(call->arena, in->path, &path, err) ||
        !vault_stat(tool_vault(call), path, &info, err))
        return false;
    if (info.type == FS_FOLDER) {
        s->folder = path;
        return true;
    }
    str *only = ARENA_NEW(call->arena, str);
    *only = glob_of_path(call->arena, path);
    s->globs = only;
    s->n_globs = 1;
    return true;
}

static void grep_text(struct model_text *s, const void *result)
{
    struct sbuf *out = s->out;
    enum { BYTES_MAX = TOOL_BUDGET_MAX * TOOL_TOKEN_BYTES };
    const struct hits *h = result;
    size_t i = 0;
    for (; i < h->found.n && out->n < BYTES_MAX; i++) {
        str text = h->found.hits[i].text;
        text.n -= str_ends(text, STR("\r"));
        sbuf_printf(out, STR_FMT ":%u:" STR_FMT "\n",
                    STR_ARG(h->found.hits[i].file->path), h->found.hits[i].line,
                    STR_ARG(text));
    }
    if (h->found.partial)
        sbuf_add(out, STR("(the search took too long: there may be more)\n"));
    plain_end(out, h->search->offset + i, h->found.total, "No matches found");
}

static const struct answer_shape grep_shape = {.text = grep_text};

static bool grep_run(struct mcp_call *call, struct err *err)
{
    const struct args *in = call->args;
    struct search s = {.mode = SEARCH_REGEX,
                       .lines_only = true,
                       .query = in->pattern,
                       .ignore_case = in->ignoreCase,
                       .literal = in->literal,
                       .globs = in->include.items,
                       .n_globs = in->include.n,
                       .offset = (size_t)in->offset,
                       .limit = (size_t)in->limit};
    struct hits hits;
    if (!grep_read_place(call, &s, err))
        return false;
    const struct index *x = tool_lock(call, err);
    if (x == NULL)
        return false;
    bool ok = tool_hits(call, x, &s, &hits, err) &&
              tool_answer(call, &grep_shape, &hits, TOOL_BUDGET_MAX);
    tool_unlock(call);
    return ok;
}

const struct mcp_tool tool_grep = {
    .name = "grep",
    .title = "Search Contents",
    .about = "Lines of files that match a regular expression, as path:line:text, by "
             "path.",
    .flags = MCP_READ_ONLY | MCP_OWN_FIELDS,
    .fields = fields,
    .args_size = sizeof(struct args),
    .run = grep_run,
};
