#include "app/tools/sync_now.h"

#include "app/answers/answer.h"
#include "app/kit/tool_kit.h"
#include "app/setup/syncing.h"
#include "base/clock.h"
#include "mcp/call.h"
#include "sync/sync.h"

struct waiting {
    struct mcp_call *call;
    uint64_t began;
};

static bool sync_now_progress(void *arg)
{
    const struct waiting *w = arg;
    mcp_progress(w->call, (double)(clock_ms() - w->began) / 1000, 0, STR("Syncing"));
    return mcp_cancelled(w->call) || app_of(w->call)->stopping;
}

/* The remote's message, and what it means for the changes made so far. */
static bool failed(struct mcp_call *call, const struct sync_state *state, struct err *err)
{
    struct err why = *err;
    int64_t here = (int64_t)state->waiting + (state->ahead > 0 ? state->ahead : 0);
    call->why = arena_printf(call->arena,
                             "%s. The notes here are safe: %lld changes are waiting to "
                             "be sent, and vaultd will try again",
                             why.msg, (long long)here);
    return err_named(err, E_SYNC_FAILED, "%s", why.msg);
}

static void synced_json(struct answer_out *out, const void *result)
{
    const struct synced *s = result;
    jsonw_object(out->w);
    syncing_put(out->w, &s->state, s->vault);
    jsonw_end(out->w);
}

const struct answer_shape synced_shape = {"synced", .json = synced_json};

bool sync_now(struct mcp_call *call, bool only_status, struct synced *out,
              struct err *err)
{
    struct waiting waiting = {call, clock_ms()};
    struct sync *sync = app_of(call)->sync.sync;
    if (!only_status)
        mcp_become_task(call); /* a slow remote must not hold up the client */
    bool ok = only_status || sync_ask(sync, true, sync_now_progress, &waiting, err);
    out->vault = kit_vault(call);
    sync_state(sync, call->arena, &out->state);
    return ok || failed(call, &out->state, err);
}
