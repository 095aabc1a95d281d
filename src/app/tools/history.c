#include "app/tools/history.h"

#include "app/kit/tool_kit.h"
#include "base/clock.h"
#include "base/path.h"
#include "sync/sync.h"
#include "vault/vault.h"

enum { PATHS_SHOWN = 20 };

static struct sync *sync_of(struct mcp_call *call)
{
    return app_of(call)->sync.sync;
}

/* --- who may know --- */

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

/* Under every name it had: it may come from where the caller may not look. */
static bool check_names(struct mcp_call *call, str path, struct err *err)
{
    const struct vault *v = kit_vault(call);
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
    return (known && i == n) ||
           err_named(err, E_FILE_NOT_FOUND, "File not found: " STR_FMT, STR_ARG(path));
}

/* --- one file --- */

bool history_text(struct mcp_call *call, str path, str at, str *text, str *commit,
                  struct err *err)
{
    return check_names(call, path, err) &&
           sync_file_at(sync_of(call), call->arena, path, at, text, commit, err);
}

bool history_diff(struct mcp_call *call, str path, str from, str to, str *diff,
                  struct err *err)
{
    return check_names(call, path, err) &&
           sync_diff(sync_of(call), call->arena, path, from, to, diff, err);
}

/* --- commits --- */

static void put_paths(struct jsonw *out, const struct vault *v,
                      const struct sync_commit *c)
{
    size_t visible = 0;
    jsonw_put_array(out, STR("files"));
    for (size_t i = 0; i < c->n_paths; i++)
        if (may_know(v, c->paths[i]) && ++visible <= PATHS_SHOWN)
            jsonw_str(out, c->paths[i]);
    jsonw_end(out);
    if (visible > PATHS_SHOWN)
        jsonw_put_int(out, STR("total_files"), (int64_t)visible);
}

static void put_commit(struct jsonw *out, const struct vault *v,
                       const struct sync_commit *c)
{
    enum { SHORT = 12 };
    char when[CLOCK_ISO_SIZE];
    int64_t change;
    jsonw_object(out);
    jsonw_put_str(out, STR("commit"), str_slice(c->id, 0, SHORT));
    jsonw_put_str(out, STR("time"), clock_iso(c->when, when));
    jsonw_put_str(out, STR("author"), c->author);
    jsonw_put_str(out, STR("subject"), c->subject);
    if (str_to_int(c->change, &change))
        jsonw_put_int(out, STR("change"), change);
    if (c->client.n > 0)
        jsonw_put_str(out, STR("client"), c->client);
    put_paths(out, v, c);
    jsonw_end(out);
}

static bool touches_visible(const struct vault *v, const struct sync_commit *c)
{
    for (size_t i = 0; i < c->n_paths; i++)
        if (may_know(v, c->paths[i]))
            return may_know_all(v, c);
    return false;
}

/* Returns how many of the list were looked at: the rest does not fit. */
static size_t put_fitting(struct mcp_call *call, const struct sync_commit *list, size_t n)
{
    const struct vault *v = kit_vault(call);
    size_t shown = 0;
    for (size_t i = 0; i < n; i++) {
        struct kit_mark mark = kit_mark(call);
        if (!touches_visible(v, &list[i]))
            continue;
        put_commit(call->out, v, &list[i]);
        if (shown++ > 0 && !kit_keep(call, &mark, KIT_BUDGET))
            return i;
    }
    return n;
}

/* "FROM..TO"; what has no dots is FROM. */
static struct sync_log query_of(const struct history_wish *wish, str path)
{
    size_t dots = str_find(wish->range, STR(".."));
    return (struct sync_log){
        .path = path,
        .since = str_trim(str_slice(wish->range, 0, dots)),
        .until = dots == STR_NONE ? STR("") : str_trim(str_skip(wish->range, dots + 2)),
        .skip = (size_t)wish->offset,
        .limit = (size_t)wish->limit + 1, /* is there one more? */
    };
}

bool history_put_commits(struct mcp_call *call, const struct history_wish *wish,
                         struct err *err)
{
    struct jsonw *out = call->out;
    struct sync_commit *list;
    size_t n, limit = (size_t)wish->limit, end;
    str path = {0};
    if (wish->path.n > 0 && (!path_clean(call->arena, wish->path, &path, err) ||
                             (path.n > 0 && !check_names(call, path, err))))
        return false;
    struct sync_log query = query_of(wish, path);
    if (!sync_history(sync_of(call), call->arena, &query, &list, &n, err))
        return false;
    jsonw_object(out);
    jsonw_put_array(out, STR("commits"));
    end = put_fitting(call, list, n < limit ? n : limit);
    jsonw_end(out);
    kit_put_next(out, query.skip + end, query.skip + n);
    jsonw_end(out);
    return true;
}
