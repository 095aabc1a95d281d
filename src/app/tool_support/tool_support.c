#include "app/tool_support/tool_support.h"

#include "app/answers/answer.h"
#include "app/answers/hits.h"
#include "app/setup/app.h"
#include "app/tool_support/tool_trace.h"
#include "base/path.h"
#include "mcp/call.h"
#include "mcp/tool.h"
#include "vault/ask/find.h"
#include "vault/ask/search.h"
#include "vault/index/file.h"
#include "vault/index/index.h"
#include "vault/vault.h"

/* --- reading --- */

bool tool_stop(void *call)
{
    return mcp_cancelled(call);
}

struct stop tool_stopping(struct mcp_call *call)
{
    return (struct stop){
        .asked = tool_stop, .arg = call, .arena = call->arena, .max = TOOL_MEMORY_MAX};
}

static bool tool_support_progress(void *arg)
{
    struct mcp_call *call = arg;
    struct vault_progress p = vault_progress(tool_vault(call));
    mcp_progress(call, (double)p.done, (double)p.expected, STR("Reading the vault"));
    return mcp_cancelled(call);
}

const struct index *tool_lock(struct mcp_call *call, struct err *err)
{
    struct vault *v = tool_vault(call);
    return vault_wait(v, tool_support_progress, call, err) && vault_prepare(v, err)
               ? vault_lock(v)
               : NULL;
}

void tool_unlock(struct mcp_call *call)
{
    vault_unlock(tool_vault(call));
}

bool tool_with_index(struct mcp_call *call, tool_question *read, struct err *err)
{
    const struct index *x = tool_lock(call, err);
    if (x == NULL)
        return false;
    bool ok = read(call, x, err);
    tool_unlock(call);
    return ok;
}

bool tool_run_reader(struct mcp_call *call, struct err *err)
{
    const struct tool_reads *row = call->tool->app;
    return tool_with_index(call, row->read, err);
}

bool tool_file(struct mcp_call *call, const struct index *x, str word,
               const struct file **out, struct err *err)
{
    str clean;
    return path_clean(call->arena, word, &clean, err) &&
           find_file(x, call->arena, word, out, err);
}

static bool find_note_named(struct mcp_call *call, str word, str *path, struct err *err)
{
    const struct file *f;
    const struct index *x = tool_lock(call, err);
    if (x == NULL)
        return false;
    bool found = tool_file(call, x, word, &f, err);
    if (found)
        *path = arena_str(call->arena, f->path);
    tool_unlock(call);
    return found;
}

bool tool_path(struct mcp_call *call, str word, str *path, struct err *err)
{
    struct fs_info info;
    if (!path_clean(call->arena, word, path, err))
        return false;
    if (vault_stat_spelled(tool_vault(call), call->arena, *path, &info, err))
        return info.type == FS_FILE
                   ? find_check_slash(word, *path, err)
                   : find_note_named(call, word, path, err) || err->code == ERR_NOT_FOUND;
    return err->code == ERR_NOT_FOUND && find_note_named(call, word, path, err);
}

static void limit_search(struct mcp_call *call, struct search *s)
{
    s->within_ms = TOOL_SEARCH_MS;
    s->stop = tool_stopping(call);
    s->pool = app_of(call)->pool;
}

struct search_plan *tool_plan_search(struct mcp_call *call, struct search *s)
{
    limit_search(call, s);
    return search_read(call->arena, s);
}

bool tool_early_hits(struct mcp_call *call, const struct search_plan *p, struct hits *out,
                     struct index **x)
{
    struct vault *v = tool_vault(call);
    const struct search *s = search_of(p);
    if (vault_progress(v).ready || !search_is_for_text(p))
        return false;
    *x = vault_early_index(v, s->query, app_of(call)->pool, &s->stop);
    if (*x == NULL)
        return false;
    struct search early = *s;
    struct err ignored;
    early.mode = SEARCH_TEXT;
    *out = (struct hits){.search = s, .unpaged = vault_unpaged(v, *x)};
    if (search_run(*x, call->arena, &early, &out->found, &ignored) &&
        out->found.total > 0 && !out->found.partial)
        return true;
    index_free(*x);
    return false;
}

bool tool_hits(struct mcp_call *call, const struct index *x, struct search *s,
               struct hits *out, struct err *err)
{
    limit_search(call, s);
    return hits_find(tool_vault(call), x, call->arena, s, out, err);
}

const struct index *tool_lock_hits(struct mcp_call *call, struct search_plan *p,
                                   struct hits *out, struct err *err)
{
    struct vault *v = tool_vault(call);
    return vault_wait(v, tool_support_progress, call, err)
               ? hits_hold(v, call->arena, p, out, err)
               : NULL;
}

/* The tools of other servers answer in the form that their clients expect. */
bool tool_in_words(struct mcp_call *call, const struct answer_shape *shape)
{
    bool wanted = app_of(call)->settings.answers == ANSWERS_TEXT &&
                  (call->tool->flags & MCP_OWN_FIELDS) == 0;
    return shape->text != NULL && (wanted || shape->json == NULL);
}

/* Whether a page is shown beside the answer, which needs it as JSON. */
static bool has_view(const struct mcp_call *call)
{
    return call->tool->ui != NULL && mcp_can(call, MCP_CAN_SHOW_UI);
}

/* Words have no structure in which a path could be told from a text. */
static void keep_for_trace(struct mcp_call *call, const struct answer_shape *shape,
                           const void *result, size_t max)
{
    struct tool_trace *t = tool_trace_of(call);
    if (t == NULL || shape->json == NULL || call->structured)
        return;
    t->json = SBUF_ON(call->arena);
    struct jsonw w = JSONW_ON(&t->json);
    answer_print(call->arena, &(struct answer_out){&w, max}, shape, result);
}

bool tool_has(const struct mcp_call *call, const char *name)
{
    const struct app *app = call->app;
    for (const struct mcp_tool *const *t = app->tools; *t != NULL; t++)
        if (strcmp((*t)->name, name) == 0)
            return mcp_server_offers(app->mcp, call->caller, *t);
    return false;
}

static bool tool_has_by_name(const void *call, const char *name)
{
    return tool_has(call, name);
}

bool tool_answer(struct mcp_call *call, const struct answer_shape *shape,
                 const void *result, int64_t budget)
{
    size_t max = budget == TOOL_NO_BUDGET ? SIZE_MAX : (size_t)budget * TOOL_TOKEN_BYTES;
    bool words = tool_in_words(call, shape);
    struct answer_tools tools = {tool_has_by_name, call};
    struct answer_out out = {.w = call->out, .max = max, .tools = &tools};
    struct sbuf text = SBUF_ON(call->arena);
    struct model_text say = {&text, max, &tools};
    if (words) {
        answer_text(&say, shape, result);
        call->text = sbuf_str(&text);
        call->structured = shape->json != NULL && has_view(call);
        keep_for_trace(call, shape, result, max);
    }
    if (!words || call->structured)
        answer_print(call->arena, &out, shape, result);
    return true;
}

bool tool_find(struct mcp_call *call, const struct index *x, str word,
               const struct file **out, struct err *err)
{
    struct err ignored;
    str clean;
    if (tool_file(call, x, word, out, err))
        return true;
    if (err->code != ERR_NOT_FOUND)
        return false;
    if (path_clean(call->arena, word, &clean, &ignored) && index_has_below(x, clean)) {
        err_set(err, ERR_INVALID, "'" STR_FMT "' is a folder, not a file",
                STR_ARG(clean));
        return err_hint(err, "use vault_list to see what is in it");
    }
    return err_hint(err, "vault_search finds files by parts of their names");
}
