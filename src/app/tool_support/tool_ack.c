#include "app/tool_support/tool_ack.h"

#include "app/setup/syncing.h"
#include "app/tool_support/tool_support.h"
#include "base/clock.h"
#include "mcp/call.h"
#include "sync/sync.h"
#include "vault/vault.h"

enum { POLL_MIN_MS = 10, POLL_MAX_MS = 250 };

/* Kept between the runs of a call. */
struct acking {
    void *made; /* NULL: not yet */
    uint64_t ticket, began;
    uint64_t pull; /* ticket of tool_pull(); 0: none */
};

static const struct mcp_kept acking_kept = {sizeof(struct acking)};

static struct acking *kept(struct mcp_call *call)
{
    struct acking *k = mcp_kept(call, &acking_kept);
    if (k->began == 0)
        k->began = clock_ms();
    return k;
}

uint64_t tool_waited(struct mcp_call *call)
{
    return clock_ms() - kept(call)->began;
}

bool tool_waits_no_more(struct mcp_call *call, uint64_t waited_ms)
{
    return app_of(call)->stopping || waited_ms >= tool_served(call)->sync.wait_ms;
}

void *tool_acking(struct mcp_call *call)
{
    const struct acking *k = mcp_kept(call, &acking_kept);
    return k->made;
}

void tool_wait_more(struct mcp_call *call, uint64_t waited_ms, str message)
{
    uint64_t ms = waited_ms / 8;
    ms = ms < POLL_MIN_MS ? POLL_MIN_MS : ms > POLL_MAX_MS ? POLL_MAX_MS : ms;
    mcp_progress(call, (double)waited_ms / 1000, 0, message);
    mcp_wait(call, (unsigned)ms);
}

static bool wants_push(struct mcp_call *call)
{
    return tool_served(call)->sync.ack == SYNC_ACK_PUSH;
}

/* The change must not be made again, and its client must know that. */
static bool not_pushed(struct mcp_call *call, const char *why, struct err *err)
{
    bool sees_all = vault_may_read_all(tool_vault(call));
    call->why = arena_printf(
        call->arena,
        "the change is made on this server and can be read here, but the "
        "remote has not confirmed it: %s. It will be pushed: do not make it "
        "again, because that would change the note twice. Only a call that "
        "had an idempotency_key may be repeated, with the same one%s",
        sees_all ? why : SYNCING_FAILED,
        tool_has(call, "vault_sync") ? "; vault_sync shows what is not pushed yet" : "");
    return err_named(err, E_NOT_PUSHED, "the change is made here, but not pushed yet: %s",
                     sees_all ? why : SYNCING_FAILED);
}

static bool begin_ack(struct mcp_call *call, void *made, struct acking **out,
                      struct err *err)
{
    *out = kept(call);
    if ((*out)->made != NULL)
        return true;
    (*out)->made = made;
    tool_is_settled(call);
    return sync_push(tool_served(call)->sync.sync, &(*out)->ticket, err);
}

bool tool_ack(struct mcp_call *call, void *made, bool *waiting, struct err *err)
{
    struct acking *k;
    *waiting = false;
    if (!wants_push(call))
        return true;
    if (!begin_ack(call, made, &k, err))
        return false;
    struct err why = {0};
    uint64_t waited = tool_waited(call);
    switch (sync_answer(tool_served(call)->sync.sync, k->ticket, &why)) {
    case SYNC_SUCCEEDED:
        return true;
    case SYNC_REFUSED:
        return not_pushed(call, why.msg, err);
    case SYNC_GOING_ON:
        break;
    }
    if (tool_waits_no_more(call, waited))
        return not_pushed(call, "it has not answered in time", err);
    tool_wait_more(call, waited, STR("Pushing"));
    *waiting = true;
    return true;
}

bool tool_pull(struct mcp_call *call, bool *waiting, struct err *err)
{
    struct sync *sync = tool_served(call)->sync.sync;
    struct acking *k = kept(call);
    *waiting = false;
    if (sync == NULL)
        return true;
    if (k->pull == 0 && !sync_ask(sync, &k->pull, err))
        return false;
    enum sync_answer answer = sync_answer(sync, k->pull, err);
    if (answer != SYNC_GOING_ON)
        return answer == SYNC_SUCCEEDED;
    uint64_t waited = tool_waited(call);
    if (tool_waits_no_more(call, waited))
        return err_set(err, ERR_BUSY, "the remote has not answered in time");
    tool_wait_more(call, waited, STR("Waiting for the remote"));
    *waiting = true;
    return true;
}
