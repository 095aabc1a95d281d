#include "app/tools/search_all.h"

#include "app/answers/hits.h"
#include "app/answers/multi_vault_hits.h"
#include "app/setup/app.h"
#include "app/setup/callers.h"
#include "app/setup/vaults.h"
#include "app/tool_support/tool_support.h"
#include "base/clock.h"
#include "mcp/call.h"
#include "vault/vault.h"

struct search_all {
    struct mcp_call *call;
    uint64_t end;             /* clock_ms() */
    struct search_plan *plan; /* the query, read once */
    struct multi_vault_hits found;
};

static bool search_all_is_late(void *arg)
{
    const struct search_all *all = arg;
    return mcp_cancelled(all->call) || clock_ms() >= all->end;
}

static bool is_left_out(struct err *err)
{
    return err_set(err, ERR_BUSY, "the vault could not be searched in time");
}

/* False: the vault could not be searched; ERR_INVALID if the search itself is wrong. */
static bool search_one(struct search_all *all, const struct app_vault *v, struct err *err)
{
    struct mcp_call *call = all->call;
    struct hits hits;
    struct err ignored;
    if (!vault_wait(tool_vault(call), search_all_is_late, all, &ignored))
        return is_left_out(err);
    if (hits_hold(tool_vault(call), call->arena, all->plan, &hits, err) == NULL)
        return false;
    multi_vault_add(&all->found, call->arena, v->name, &hits);
    tool_unlock(call);
    return true;
}

static bool search_next(struct search_all *all, const struct app_vault *v,
                        struct err *err)
{
    uint64_t now = clock_ms();
    struct err ignored;
    if (now >= all->end ||
        !tool_use_within(all->call, v, (unsigned)(all->end - now), &ignored))
        return is_left_out(err);
    bool ok = search_one(all, v, err);
    tool_leave(all->call);
    return ok;
}

/* The best of each are merged, so each must find as many as are skipped and shown. */
bool search_all(struct mcp_call *call, const struct search *s, int64_t budget,
                struct err *err)
{
    const struct app *app = app_of(call);
    struct search_all all = {.call = call, .end = clock_ms() + SEARCH_ALL_MS};
    struct search each = *s;
    struct app_vault **vaults;
    size_t n = vaults_seen(app, call->arena, call->caller, &vaults), done = 0;
    size_t max = app->hosted != NULL ? VAULTS_SEARCHED_MAX : n;
    if (n == 0)
        return vaults_unknown(app, call->caller, STR(""), err);
    if (tool_awaits_clones(call, vaults, n, SEARCH_ALL_MS))
        return false;
    all.found =
        (struct multi_vault_hits){.search = s, .offset = s->offset, .limit = s->limit};
    each.offset = 0;
    each.limit = s->offset + s->limit;
    all.plan = tool_plan_search(call, &each);
    tool_use_several(call);
    for (size_t i = 0; i < n; i++) {
        struct err why = {0};
        if (done < max && search_next(&all, vaults[i], &why))
            done++;
        else if (why.code == ERR_INVALID) { /* it would be in every vault */
            *err = why;
            return false;
        } else
            multi_vault_leave_out(&all.found, call->arena, vaults[i]->name);
    }
    if (tool_awaits_clones(call, vaults, n, SEARCH_ALL_MS))
        return false;
    if (mcp_cancelled(call))
        return err_set(err, ERR_BUSY, "the client cancelled the call");
    multi_vault_merge(&all.found);
    return tool_answer(call, &multi_vault_shape, &all.found, budget);
}
