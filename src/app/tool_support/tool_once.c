#include "app/tool_support/tool_once.h"

#include "app/setup/app.h"
#include "app/setup/syncing.h"
#include "app/setup/vaults_replica.h"
#include "app/tool_support/tool_ack.h"
#include "app/tool_support/tool_support.h"
#include "base/encode.h"
#include "base/hash.h"
#include "mcp/call.h"
#include "replica/claim.h"
#include "replica/lease.h"
#include "sync/sync.h"
#include "vault/transact.h"

static struct replica *replica_of(struct mcp_call *call)
{
    return &app_of(call)->replica;
}

/* Keys of different users and vaults do not collide. */
static str tool_once_name(struct mcp_call *call, const struct transact *t)
{
    uint8_t hash[HASH_SIZE];
    str vault = vaults_replica_name(tool_served(call));
    hash_sha256(arena_printf(call->arena, STR_FMT "\n" STR_FMT "\n" STR_FMT,
                             STR_ARG(vault), STR_ARG(t->by.who), STR_ARG(t->once.key)),
                hash);
    return encode_hex(call->arena, (str){(char *)hash, sizeof(hash)});
}

/* Whether the other replica has pushed its change, if that is waited for. */
static bool is_pushed(struct mcp_call *call, const struct claim *c, bool *pushed,
                      struct err *err)
{
    *pushed = tool_served(call)->sync.ack != SYNC_ACK_PUSH;
    return *pushed ||
           claim_is_pushed(replica_of(call), vaults_replica_name(tool_served(call)), c,
                           pushed, err);
}

/* Too long for one call: the client may try again. */
static bool too_late(bool made, struct err *err)
{
    return made
               ? err_named(err, E_NOT_PUSHED,
                           "the change is made on another server, but not pushed yet: do "
                           "not make it again, repeat this call later with the same "
                           "idempotency_key")
               : err_named(
                     err, E_BUSY,
                     "another server has begun this change and has not finished it: "
                     "nothing was changed here, repeat this call later with the same "
                     "idempotency_key");
}

/* The replica that claimed it is gone, and the remote does not have it. With another key,
 * we could not know that it is the same change. */
static bool is_lost(struct mcp_call *call, bool made, struct err *err)
{
    if (made)
        err_named(err, E_NOT_PUSHED,
                  "the server that made this change stopped before it pushed it: "
                  "do not make it again");
    else
        err_named(err, E_BUSY,
                  "the server that began this change has stopped, and the remote does "
                  "not have it");
    call->why = arena_printf(
        call->arena,
        "%s%s repeat this call when that server is back, with the same idempotency_key: "
        "then the change is made once. With a new key, or without one, it is made again, "
        "and may be applied twice when that server is back: do that only if it will "
        "never "
        "be back, and read the note first",
        err->msg, made ? "," : ":");
    return false;
}

static bool find_lost(struct mcp_call *call, const struct transact *t,
                      const struct claim *c, struct tool_made *out, struct err *err)
{
    const struct syncing *s = &tool_served(call)->sync;
    struct sync_log query = {.key = transact_key(call->arena, t->by.who, t->once.key),
                             .limit = 1};
    struct sync_commit *found;
    size_t n = 0;
    int64_t number = 0;
    if (!tool_pull(call, &out->waiting, err))
        return too_late(c->number > 0, err);
    if (out->waiting)
        return true;
    if (syncing_has_history(s) &&
        !sync_history(s->sync, call->arena, &query, &found, &n, err))
        return false;
    if (n == 0)
        return is_lost(call, c->number > 0, err);
    (void)!str_to_int(found[0].change, &number);
    out->made = (struct draft_result){
        .change = (uint64_t)number, .repeated = true, .answer = c->answer};
    return true;
}

static bool tool_once_follow(struct mcp_call *call, const struct transact *t,
                             const struct claim *c, struct tool_made *out,
                             struct err *err)
{
    bool pushed = false;
    if (c->number > 0 && !is_pushed(call, c, &pushed, err))
        return false;
    out->elsewhere = true;
    if (pushed) {
        out->made = (struct draft_result){
            .change = (uint64_t)c->number, .repeated = true, .answer = c->answer};
        return true;
    }
    if (lease_is_gone(replica_of(call)->store, c->process))
        return find_lost(call, t, c, out, err);
    uint64_t waited = tool_waited(call);
    if (c->number > 0 ? tool_waits_no_more(call, waited)
                      : app_of(call)->stopping || waited >= TOOL_ONCE_MS)
        return too_late(c->number > 0, err);
    tool_wait_more(call, waited, STR("Waiting for another server"));
    out->waiting = true;
    return true;
}

/* Unless another replica makes the change, or has made it, the claim is ours. */
static bool begin_once(struct mcp_call *call, const struct transact *t, str name,
                       struct tool_made *out, struct err *err)
{
    struct claim c;
    if (!claim_take(replica_of(call), call->arena, name, t->once.request, &c, err))
        return false;
    if (!c.same)
        return err_named(
            err, E_KEY_REUSED,
            "this idempotency_key was used for another change: use a new one");
    return c.own || tool_once_follow(call, t, &c, out, err);
}

/* The change was made here, with this answer for retries; or nothing was changed. */
static void end_once(struct mcp_call *call, str name, const struct draft_result *made)
{
    if (made->change > 0)
        claim_made(replica_of(call), name, made->change, made->answer);
    else
        claim_drop(replica_of(call), name);
}

bool tool_transact(struct mcp_call *call, const struct transact *t, struct tool_made *out,
                   struct err *err)
{
    bool claims = !t->dry_run && t->once.key.n > 0 && replica_is_shared(replica_of(call));
    str name = claims ? tool_once_name(call, t) : STR("");
    *out = (struct tool_made){0};
    if (claims && !begin_once(call, t, name, out, err))
        return false;
    if (out->waiting || out->elsewhere)
        return true;
    bool ok = transact_run(tool_vault(call), call->arena, t, &out->made, err);
    if (!ok)
        out->made = (struct draft_result){0};
    if (claims)
        end_once(call, name, &out->made);
    return ok;
}
