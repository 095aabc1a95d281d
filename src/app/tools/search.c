#include "app/answers/answer.h"
#include "app/answers/hits.h"
#include "app/setup/app.h"
#include "app/setup/callers.h"
#include "app/setup/vaults.h"
#include "app/tool_support/tool_support.h"
#include "app/tools/chatgpt.h"
#include "app/tools/rows.h"
#include "vault/index/file.h"
#include "vault/text/obsidian_url.h"
#include "vault/vault.h"

enum { RESULTS = 20 }; /* per search, over all vaults */

struct args {
    str query;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, query, MCP_STR, MCP_REQUIRED,
              "Words to look for; \"phrases\", prefix* and -without work"),
    {0},
};

/* The results from one vault, best first. */
struct vault_results {
    const struct app_vault *vault;
    str name; /* as Obsidian calls it */
    str paths[RESULTS];
    size_t n;
};

static bool search_vault(struct mcp_call *call, str query, struct vault_results *out,
                         struct err *err)
{
    const struct index *x = tool_lock(call, err);
    if (x == NULL)
        return false;
    struct search s = {
        .mode = SEARCH_WORDS,
        .query = query,
        .limit = RESULTS,
    };
    struct hits hits;
    bool ok = tool_hits(call, x, &s, &hits, err);
    out->vault = tool_served(call);
    out->name = arena_str(call->arena, vault_name(out->vault->vault));
    for (size_t i = 0; ok && i < hits.found.n; i++)
        out->paths[out->n++] = arena_str(call->arena, hits.found.hits[i].file->path);
    tool_unlock(call);
    return ok;
}

/* The results from all vaults. */
struct found_all {
    struct arena *arena;
    struct vault_results *vaults;
    size_t n;
};

static void search_put(struct answer_out *out, struct arena *a,
                       const struct vault_results *f, str path)
{
    jsonw_object(out->w);
    jsonw_put_str(out->w, STR("id"), chatgpt_id(a, f->vault, path));
    jsonw_put_str(out->w, STR("title"), file_title(path));
    jsonw_put_str(out->w, STR("url"), obsidian_url(a, f->name, path));
    jsonw_end(out->w);
}

/* The best of each vault, then the second best of each: scores of different vaults cannot
 * be compared. */
static void search_json(struct answer_out *out, const void *result)
{
    const struct found_all *f = result;
    size_t shown = 0;
    jsonw_object(out->w);
    jsonw_put_array(out->w, STR("results"));
    for (size_t rank = 0; rank < RESULTS; rank++)
        for (size_t i = 0; i < f->n; i++)
            if (rank < f->vaults[i].n && shown++ < RESULTS)
                search_put(out, f->arena, &f->vaults[i], f->vaults[i].paths[rank]);
    jsonw_end(out->w);
    jsonw_end(out->w);
}

static const struct answer_shape search_shape = {"chatgpt_results", .json = search_json};

/* The answer has no place for vaults that cannot be opened now, so they are named after
 * it. */
static void leave_out(struct mcp_call *call, const struct app_vault *v,
                      const struct err *why)
{
    tool_note_block(call, arena_printf(call->arena,
                                       "Not searched: the vault '" STR_FMT "' (%s).",
                                       STR_ARG(v->name), why->msg));
}

static bool search_run_mode(struct mcp_call *call, struct err *err)
{
    const struct args *in = call->args;
    struct app_vault **vaults;
    size_t n = vaults_seen(app_of(call), call->arena, call->caller, &vaults);
    n = app_of(call)->hosted != NULL && n > VAULTS_SEARCHED_MAX ? VAULTS_SEARCHED_MAX : n;
    struct found_all all = {call->arena,
                            ARENA_ARRAY(call->arena, struct vault_results, n), 0};
    struct err closed = {0};
    tool_use_several(call);
    if (tool_awaits_clones(call, vaults, n, VAULTS_WAIT_MS))
        return false;
    for (size_t i = 0; i < n; i++) {
        if (!tool_use_within(call, vaults[i], VAULTS_WAIT_MS, &closed)) {
            leave_out(call, vaults[i], &closed);
            continue;
        }
        if (!search_vault(call, in->query, &all.vaults[all.n++], err))
            return false;
        tool_leave(call);
    }
    if (tool_awaits_clones(call, vaults, n, VAULTS_WAIT_MS))
        return false;
    if (all.n > 0)
        return tool_answer(call, &search_shape, &all, TOOL_NO_BUDGET);
    *err = closed;
    return false;
}

const struct mcp_tool tool_search = {
    .name = "search",
    .title = "Search the notes",
    .about = "Search the user's notes by words, best first; fetch gives the text of a "
             "result by its id.",
    .flags = MCP_READ_ONLY | MCP_OWN_FIELDS | APP_CHOOSES,
    .fields = fields,
    .args_size = sizeof(struct args),
    .output_schema =
        "{\"type\":\"object\",\"properties\":{\"results\":{\"type\":\"array\",\"items\":{"
        "\"type\":\"object\",\"properties\":{\"id\":{\"type\":\"string\"},\"title\":{"
        "\"type\":\"string\"},\"url\":{\"type\":\"string\"}},\"required\":[\"id\","
        "\"title\",\"url\"]}}},\"required\":[\"results\"]}",
    .run = search_run_mode,
};
