#include "app/tools/sync_now.h"

#include "app/answers/answer.h"
#include "app/setup/syncing.h"
#include "app/tool_support/tool_ack.h"
#include "app/tool_support/tool_support.h"
#include "base/clock.h"
#include "mcp/call.h"
#include "sync/sync.h"
#include "vault/vault.h"

/* Kept between the runs of a call. */
struct sync_call {
    uint64_t ticket, began;
    bool is_task;
};

/* The remote's message, and what it means for the changes made so far. */
static bool sync_now_failed(struct mcp_call *call, const struct sync_state *state,
                            struct err *err)
{
    struct err why = *err;
    if (!vault_may_read_all(tool_vault(call)))
        err_set(&why, err->code, SYNCING_FAILED);
    int64_t here = (int64_t)state->waiting + (state->ahead > 0 ? state->ahead : 0);
    call->why = arena_printf(
        call->arena,
        "%s. The notes here are safe: " STR_FMT " waiting to be "
        "sent, and vaultd will try again",
        why.msg,
        STR_ARG(arena_count(call->arena, (size_t)here, "change is", "changes are")));
    return err_named(err, E_SYNC_FAILED, "%s", why.msg);
}

static void synced_json(struct answer_out *out, const void *result)
{
    const struct sync_outcome *s = result;
    jsonw_object(out->w);
    syncing_put(out->w, &s->state, s->vault);
    jsonw_end(out->w);
}

static void synced_text(struct model_text *s, const void *result)
{
    answer_members(s, synced_json, result);
}

const struct answer_shape synced_shape = {"synced", .json = synced_json,
                                          .text = synced_text};

static bool begin(struct mcp_call *call, struct sync *sync, struct sync_call **out,
                  struct err *err)
{
    static const struct mcp_kept asked_kept = {sizeof(struct sync_call)};
    *out = mcp_kept(call, &asked_kept);
    if ((*out)->began != 0)
        return true;
    (*out)->began = clock_ms();
    (*out)->is_task =
        mcp_become_task(call); /* a slow remote must not hold up the client */
    return sync_ask(sync, &(*out)->ticket, err);
}

static bool exchange_now(struct mcp_call *call, struct sync *sync,
                         struct sync_outcome *out, struct err *err)
{
    struct sync_call *asked;
    if (!begin(call, sync, &asked, err))
        return false;
    enum sync_answer answer = sync_answer(sync, asked->ticket, err);
    uint64_t waited = clock_ms() - asked->began;
    bool late =
        app_of(call)->stopping || (!asked->is_task && tool_waits_no_more(call, waited));
    out->going_on = answer == SYNC_GOING_ON && late;
    out->waiting = answer == SYNC_GOING_ON && !late;
    if (out->waiting)
        tool_wait_more(call, waited, STR("Syncing"));
    return answer != SYNC_REFUSED;
}

bool sync_now(struct mcp_call *call, bool only_status, struct sync_outcome *out,
              struct err *err)
{
    struct sync *sync = tool_served(call)->sync.sync;
    *out = (struct sync_outcome){.vault = tool_vault(call)};
    if (sync == NULL)
        return err_named(err, E_NOT_CONFIGURED,
                         "this vault has no remote, so there is nothing to sync");
    bool ok = only_status || exchange_now(call, sync, out, err);
    if (out->waiting)
        return true;
    sync_state(sync, call->arena, &out->state);
    if (out->going_on)
        call->aside = STR("The remote has not answered yet. The sync is still running; "
                          "the notes here are safe. Check its status later.");
    return ok || sync_now_failed(call, &out->state, err);
}
