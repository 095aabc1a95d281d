#include "app/tool_support/tool_once.h"

#include "app/setup/app.h"
#include "app/setup/fresh.h"
#include "app/setup/shared.h"
#include "app/setup/syncing.h"
#include "app/tool_support/tool_ack.h"
#include "app/tool_support/tool_support.h"
#include "base/clock.h"
#include "base/encode.h"
#include "base/hash.h"
#include "mcp/call.h"
#include "replica/sql.h"
#include "state/lease.h"
#include "state/store.h"
#include "sync/sync.h"
#include "vault/transact.h"

/* What the database knows of a key. */
struct claim {
    str replica, process, answer;
    bool same; /* it is the same request */
    int64_t number;
};

static struct store *once_store(struct mcp_call *call)
{
    return app_of(call)->shared.store;
}

static str own_replica(struct mcp_call *call)
{
    return str_c(app_of(call)->shared.replica);
}

/* Keys of different users and vaults do not collide. */
static str name_of(struct mcp_call *call, const struct transact *t)
{
    uint8_t hash[HASH_SIZE];
    str vault = fresh_name(tool_served(call));
    hash_sha256(arena_printf(call->arena, STR_FMT "\n" STR_FMT "\n" STR_FMT,
                             STR_ARG(vault), STR_ARG(t->by.who), STR_ARG(t->once.key)),
                hash);
    return encode_hex(call->arena, (str){(char *)hash, sizeof(hash)});
}

static str own_process(struct mcp_call *call)
{
    return lease_own(once_store(call));
}

static bool claim(struct mcp_call *call, str name, str request, struct claim *out,
                  struct err *err)
{
    enum { REPLICA, PROCESS, REQUEST, NUMBER, ANSWER, COLUMNS };
    struct store_value v[COLUMNS];
    uint8_t hash[HASH_SIZE];
    hash_sha256(request, hash);
    if (!store_run(once_store(call), SQL_ONCE_ADD,
                   STORE_ARGS(STORE_S(name), STORE_S(own_replica(call)),
                              STORE_B(hash, sizeof(hash)),
                              STORE_N(clock_now() + TOOL_ONCE_S),
                              STORE_S(own_process(call))),
                   NULL, err) ||
        !store_get(once_store(call), call->arena, SQL_ONCE_GET, STORE_ARGS(STORE_S(name)),
                   v, COLUMNS, err))
        return false;
    *out = (struct claim){.replica = v[REPLICA].s,
                          .process = v[PROCESS].s,
                          .answer = v[ANSWER].s,
                          .same = str_eq(v[REQUEST].s, (str){(char *)hash, sizeof(hash)}),
                          .number = v[NUMBER].n};
    return true;
}

/* Whether the other replica has pushed its change. */
static bool is_pushed(struct mcp_call *call, const struct claim *c, bool *pushed,
                      struct err *err)
{
    struct store_value v[2];
    *pushed = tool_served(call)->sync.ack != SYNC_ACK_PUSH;
    if (*pushed)
        return true;
    bool ok =
        store_get(once_store(call), call->arena, SQL_HEAD_GET,
                  STORE_ARGS(STORE_S(fresh_name(tool_served(call))), STORE_S(c->replica)),
                  v, 2, err);
    *pushed = ok && v[0].n >= c->number;
    return ok || err->code == ERR_NOT_FOUND;
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

/* The replica that claimed it is gone, and the remote does not have it. With another key, we
 * could not know that it is the same change. */
static bool is_lost(struct mcp_call *call, bool made, struct err *err)
{
    if (made)
        err_named(err, E_NOT_PUSHED,
                  "the change was made on a server that has stopped before it pushed it: "
                  "do not make it again");
    else
        err_named(err, E_BUSY,
                  "the server that began this change has stopped, and the remote does "
                  "not have it");
    call->why = arena_printf(
        call->arena,
        "%s%s repeat this call when that server is back, with the same idempotency_key: "
        "then the change is made once. With a new key, or without one, it is made again, "
        "and may be there twice when that server is back: do that only if it will never "
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

static bool follow(struct mcp_call *call, const struct transact *t, const struct claim *c,
                   struct tool_made *out, struct err *err)
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
    if (lease_is_gone(once_store(call), c->process))
        return find_lost(call, t, c, out, err);
    uint64_t waited = tool_waited(call);
    if (app_of(call)->stopping || waited >= (c->number > 0 ? TOOL_ACK_MS : TOOL_ONCE_MS))
        return too_late(c->number > 0, err);
    tool_wait_more(call, waited, STR("Waiting for another server"));
    out->waiting = true;
    return true;
}

/* The claim is ours, perhaps from before a restart: others wait for us again. */
static bool resume(struct mcp_call *call, str name, const struct claim *c,
                   struct err *err)
{
    str self = own_process(call);
    return c->number > 0 || str_eq(c->process, self) ||
           store_run(once_store(call), SQL_ONCE_RESUME,
                     STORE_ARGS(STORE_S(self), STORE_S(name), STORE_S(c->replica)), NULL,
                     err);
}

/* Unless another replica makes the change, or has made it, the claim is ours. */
static bool begin_once(struct mcp_call *call, const struct transact *t, str name,
                       struct tool_made *out, struct err *err)
{
    struct claim c;
    if (!claim(call, name, t->once.request, &c, err))
        return false;
    if (!c.same)
        return err_named(
            err, E_KEY_REUSED,
            "this idempotency_key was used for another change: use a new one");
    return str_eq(c.replica, own_replica(call)) ? resume(call, name, &c, err)
                                                : follow(call, t, &c, out, err);
}

/* The change was made here, with this answer for retries; or nothing was changed. */
static void end_once(struct mcp_call *call, str name, const struct draft_result *made)
{
    struct err err = {0};
    bool ok = made->change > 0
                  ? store_run(once_store(call), SQL_ONCE_MADE,
                              STORE_ARGS(STORE_N(made->change), STORE_S(made->answer),
                                         STORE_S(name)),
                              NULL, &err)
                  : store_run(once_store(call), SQL_ONCE_DROP,
                              STORE_ARGS(STORE_S(name), STORE_S(own_replica(call))), NULL,
                              &err);
    if (!ok)
        shared_not_stored(&err);
}

bool tool_transact(struct mcp_call *call, const struct transact *t, struct tool_made *out,
                   struct err *err)
{
    bool claims = !t->dry_run && t->once.key.n > 0 && shared_is_on(&app_of(call)->shared);
    str name = claims ? name_of(call, t) : STR("");
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
