#include "app/kit/kit_ack.h"

#include "app/kit/tool_kit.h"
#include "app/setup/syncing.h"
#include "base/clock.h"
#include "mcp/call.h"
#include "sync/sync.h"
#include "vault/vault.h"

enum { POLL_MIN_MS = 10, POLL_MAX_MS = 250 };

/* Kept between the runs of a call. */
struct acking {
    void *made;
    uint64_t ticket, began;
};

void *kit_acking(struct mcp_call *call)
{
    const struct acking *k = *mcp_kept(call);
    return k != NULL ? k->made : NULL;
}

void kit_wait_more(struct mcp_call *call, uint64_t waited_ms, str message)
{
    uint64_t ms = waited_ms / 8;
    ms = ms < POLL_MIN_MS ? POLL_MIN_MS : ms > POLL_MAX_MS ? POLL_MAX_MS : ms;
    mcp_progress(call, (double)waited_ms / 1000, 0, message);
    mcp_wait(call, (unsigned)ms);
}

static bool wants_push(struct mcp_call *call)
{
    const struct app *app = app_of(call);
    return app->sync.ack == SYNC_ACK_PUSH && kit_served(call) == &app->vaults[0];
}

/* The change must not be made again, and its client must know that. */
static bool not_pushed(struct mcp_call *call, const char *why, struct err *err)
{
    bool sees_all = vault_may_read_all(kit_vault(call));
    call->why =
        arena_printf(call->arena,
                     "the change is made on this server, but not confirmed by the "
                     "remote: %s. It will be pushed: do not make it again, see "
                     "vault_sync",
                     sees_all ? why : SYNCING_FAILED);
    return err_named(err, E_NOT_PUSHED, "the change is made here, but not pushed yet: %s",
                     sees_all ? why : SYNCING_FAILED);
}

static bool begin_ack(struct mcp_call *call, void *made, struct acking **out,
                      struct err *err)
{
    *out = *mcp_kept(call);
    if (*out != NULL)
        return true;
    *mcp_kept(call) = *out = ARENA_NEW(call->arena, struct acking);
    **out = (struct acking){.made = made, .began = clock_ms()};
    return sync_push(app_of(call)->sync.sync, &(*out)->ticket, err);
}

bool kit_ack(struct mcp_call *call, void *made, bool *waiting, struct err *err)
{
    struct acking *k;
    *waiting = false;
    if (!wants_push(call))
        return true;
    if (!begin_ack(call, made, &k, err))
        return false;
    struct err why = {0};
    uint64_t waited = clock_ms() - k->began;
    switch (sync_answer(app_of(call)->sync.sync, k->ticket, &why)) {
    case SYNC_SUCCEEDED:
        return true;
    case SYNC_REFUSED:
        return not_pushed(call, why.msg, err);
    case SYNC_GOING_ON:
        break;
    }
    if (app_of(call)->stopping || waited >= KIT_ACK_MS)
        return not_pushed(call, "it has not answered in time", err);
    kit_wait_more(call, waited, STR("Pushing"));
    *waiting = true;
    return true;
}
