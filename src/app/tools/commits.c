#include "app/tools/commits.h"

#include "app/answers/answer.h"
#include "app/answers/model_text.h"
#include "app/tool_support/tool_support.h"
#include "base/clock.h"
#include "base/path.h"
#include "sync/sync.h"
#include "vault/vault.h"

enum { PATHS_FEW = 20, COMMIT_SHORT = 12 };

static struct sync *sync_of(struct mcp_call *call)
{
    return tool_served(call)->sync.sync;
}

/* --- what the caller may know --- */

static bool may_know(const struct vault *v, str path)
{
    return path_is_visible(path) && vault_may_read(v, path);
}

static bool may_know_all(const struct vault *v, const struct sync_commit *c)
{
    for (size_t i = 0; i < c->n_paths; i++)
        if (!vault_may_read(v, c->paths[i]))
            return false;
    return true;
}

static bool no_such_file(str path, struct err *err)
{
    return err_named(err, E_FILE_NOT_FOUND, "File not found: " STR_FMT, STR_ARG(path));
}

/* Check every name the file has had: it may come from a folder that the caller may not
 * read. */
static bool check_names(struct mcp_call *call, str path, struct err *err)
{
    const struct vault *v = tool_vault(call);
    struct sync_commit *list;
    size_t n = 0, i = 0;
    bool known = may_know(v, path);
    if (known && !vault_may_read_all(v)) {
        if (!sync_history(sync_of(call), call->arena, &(struct sync_log){.path = path},
                          &list, &n, err))
            return false;
        while (i < n && may_know_all(v, &list[i]))
            i++;
    }
    return (known && i == n) || no_such_file(path, err);
}

/* --- one file --- */

/* What a caller may not know fails as what never existed does, whatever the revision. */
static bool missing_at(struct mcp_call *call, str path, str at, struct err *err)
{
    return sync_missing_at(sync_of(call), call->arena, path, at, err);
}

bool commits_text(struct mcp_call *call, str path, str at, str *text, str *commit,
                  struct err *err)
{
    struct err unknown;
    if (!check_names(call, path, &unknown))
        return missing_at(call, path, at, err);
    return sync_file_at(sync_of(call), call->arena, path, at, text, commit, err) &&
           (vault_may_read_version(tool_vault(call), path, *text) ||
            missing_at(call, path, at, err));
}

/* What does not exist at a revision is not hidden there: sync_diff() says what is wrong. */
static bool is_hidden_at(struct mcp_call *call, str path, str at)
{
    str text, commit;
    struct err ignored;
    return at.n > 0 &&
           sync_file_at(sync_of(call), call->arena, path, at, &text, &commit, &ignored) &&
           !vault_may_read_version(tool_vault(call), path, text);
}

/* The last of both that is missing is named, as in sync_diff(). */
static bool missing_diff(struct mcp_call *call, str path, str from, str to,
                         struct err *err)
{
    (void)missing_at(call, path, from.n > 0 ? from : STR("HEAD"), err);
    if (err->name != E_FILE_NOT_FOUND)
        return false;
    return to.n > 0 ? missing_at(call, path, to, err) : no_such_file(path, err);
}

bool commits_diff(struct mcp_call *call, str path, str from, str to, str *diff,
                  struct err *err)
{
    struct err unknown;
    if (!check_names(call, path, &unknown) || is_hidden_at(call, path, from) ||
        is_hidden_at(call, path, to))
        return missing_diff(call, path, from, to, err);
    return sync_diff(sync_of(call), call->arena, tool_vault(call), path, from, to, diff,
                     err);
}

/* --- commits --- */

struct commits {
    const struct vault *vault; /* the caller's view */
    const struct sync_commit **visible;
    size_t *at; /* their positions in the log */
    size_t n, skip, looked, total;
};

static void put_paths(struct answer_out *out, const struct vault *v,
                      const struct sync_commit *c)
{
    size_t visible = 0, most = answer_some(out, c->n_paths, PATHS_FEW);
    jsonw_put_array(out->w, STR("files"));
    for (size_t i = 0; i < c->n_paths; i++)
        if (may_know(v, c->paths[i]) && ++visible <= most)
            jsonw_str(out->w, c->paths[i]);
    jsonw_end(out->w);
    if (visible > most)
        jsonw_put_int(out->w, STR("total_files"), (int64_t)visible);
}

static void put_commit(struct answer_out *out, const void *result, size_t i)
{
    const struct commits *all = result;
    const struct sync_commit *c = all->visible[i];
    char when[CLOCK_ISO_SIZE];
    int64_t change;
    jsonw_object(out->w);
    jsonw_put_str(out->w, STR("commit"), str_slice(c->id, 0, COMMIT_SHORT));
    jsonw_put_str(out->w, STR("time"), clock_iso(c->when, when));
    jsonw_put_str(out->w, STR("author"), c->author);
    jsonw_put_str(out->w, STR("subject"), c->subject);
    if (str_to_int(c->change, &change))
        jsonw_put_int(out->w, STR("change"), change);
    jsonw_put_text(out->w, STR("client"), c->client);
    put_paths(out, all->vault, c);
    jsonw_end(out->w);
}

static void commits_json(struct answer_out *out, const void *result)
{
    const struct commits *c = result;
    jsonw_object(out->w);
    size_t shown = answer_items(out, STR("commits"), c, c->n, put_commit);
    answer_next(out, c->skip + (shown < c->n ? c->at[shown] : c->looked),
                c->skip + c->total);
    jsonw_end(out->w);
}

static void commits_text_one(struct model_text *s, const void *result, size_t i)
{
    const struct commits *all = result;
    const struct sync_commit *c = all->visible[i];
    size_t visible = 0;
    char when[CLOCK_ISO_SIZE];
    sbuf_printf(s->out, STR_FMT " " STR_FMT " " STR_FMT ": ",
                STR_ARG(str_slice(c->id, 0, COMMIT_SHORT)),
                STR_ARG(clock_iso(c->when, when)), STR_ARG(c->author));
    mt_line(s, c->subject);
    for (size_t k = 0; k < c->n_paths; k++)
        if (may_know(all->vault, c->paths[k]) && ++visible <= PATHS_FEW)
            sbuf_printf(s->out, "%s" STR_FMT, visible > 1 ? ", " : "; ",
                        STR_ARG(c->paths[k]));
    if (visible > PATHS_FEW)
        sbuf_printf(s->out, " and %zu more", visible - PATHS_FEW);
    sbuf_char(s->out, '\n');
}

static void commits_text_all(struct model_text *s, const void *result)
{
    const struct commits *c = result;
    mt_count(s, c->n, "commit", "commits");
    sbuf_char(s->out, '\n');
    size_t shown = mt_items(s, c, c->n, commits_text_one);
    mt_next(s, c->skip + (shown < c->n ? c->at[shown] : c->looked), c->skip + c->total);
}

static const struct answer_shape commits_shape = {"commits", .json = commits_json,
                                                  .text = commits_text_all};

static bool touches_visible(const struct vault *v, const struct sync_commit *c)
{
    for (size_t i = 0; i < c->n_paths; i++)
        if (may_know(v, c->paths[i]))
            return may_know_all(v, c);
    return false;
}

/* "FROM..TO"; without dots, the whole text is FROM. */
static struct sync_log query_of(const struct commits_request *request, str path)
{
    size_t dots = str_find(request->range, STR(".."));
    return (struct sync_log){
        .path = path,
        .since = str_trim(str_slice(request->range, 0, dots)),
        .until =
            dots == STR_NONE ? STR("") : str_trim(str_skip(request->range, dots + 2)),
        .skip = (size_t)request->offset,
        .limit = (size_t)request->limit + 1, /* to learn whether there are more */
    };
}

bool commits_answer(struct mcp_call *call, const struct commits_request *request,
                    struct err *err)
{
    struct sync_commit *list;
    struct commits c = {.vault = tool_vault(call)};
    size_t limit = (size_t)request->limit;
    str path = {0};
    struct err unknown;
    bool known = true;
    if (request->path.n > 0 && !path_clean(call->arena, request->path, &path, err))
        return false;
    if (path.n > 0)
        known = check_names(call, path, &unknown);
    struct sync_log query = query_of(request, path);
    query.whole = !vault_may_read_all(c.vault);
    if (!sync_history(sync_of(call), call->arena, &query, &list, &c.total, err))
        return false;
    if (!known) /* as of a file that never existed */
        c.total = 0;
    c.skip = query.skip;
    c.looked = c.total < limit ? c.total : limit;
    c.visible = ARENA_ARRAY(call->arena, const struct sync_commit *, c.looked);
    c.at = ARENA_ARRAY(call->arena, size_t, c.looked);
    for (size_t i = 0; i < c.looked; i++) {
        if (!touches_visible(c.vault, &list[i]))
            continue;
        c.at[c.n] = i;
        c.visible[c.n++] = &list[i];
    }
    return tool_answer(call, &commits_shape, &c, TOOL_BUDGET);
}
