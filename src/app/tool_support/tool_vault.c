/* Which vault a call is about, references to the hosted ones that it uses, and whether
 * its caller has seen newer contents at another replica. */
#include "app/setup/app.h"
#include "app/setup/callers.h"
#include "app/setup/vaults.h"
#include "app/tool_support/tool_support.h"
#include "app/tool_support/tool_trace.h"
#include "base/clock.h"
#include "base/json.h"
#include "mcp/call.h"
#include "replica/read_your_writes.h"

enum { CLONING_POLL_MS = 100 };

/* What a call holds (mcp_held): references, since when it waits for its vault, and what
 * its caller must find there. */
struct tool_held {
    struct tool_using *first;
    uint64_t since; /* clock_ms() */
    struct ryw_request seen;
};

struct tool_using {
    struct tool_using *next;
    const struct app_vault *vault;
};

static struct tool_held *held_by(struct mcp_call *call)
{
    void **held = mcp_held(call);
    if (*held == NULL) {
        str owner = call->caller->owner;
        struct tool_held *made = ARENA_NEW(call->arena, struct tool_held);
        *made = (struct tool_held){.since = clock_ms()};
        made->seen = (struct ryw_request){
            .arena = call->arena, .owner = owner.n > 0 ? owner : mcp_session(call)};
        *held = made;
    }
    return *held;
}

static bool is_held(const struct tool_held *held, const struct app_vault *v)
{
    const struct tool_using *u = held->first;
    while (u != NULL && u->vault != v)
        u = u->next;
    return u != NULL;
}

static void keep_reference(struct mcp_call *call, const struct app_vault *v)
{
    struct tool_held *held = held_by(call);
    struct tool_using *u = ARENA_NEW(call->arena, struct tool_using);
    *u = (struct tool_using){held->first, v};
    held->first = u;
}

void tool_end(void *app, const struct mcp_caller *caller, void *held)
{
    app_forget_views(app, caller); /* they must not outlive the vault */
    for (struct tool_using *u = ((struct tool_held *)held)->first; u != NULL; u = u->next)
        vaults_release(u->vault);
}

/* --- what the caller has seen elsewhere --- */

void tool_answering(void *app, void *held)
{
    ryw_saw(&((struct tool_held *)held)->seen);
}

bool tool_is_stale(struct mcp_call *call)
{
    const struct tool_held *held = *mcp_held(call);
    return held != NULL && held->seen.stale;
}

void tool_is_settled(struct mcp_call *call)
{
    struct tool_held *held = *mcp_held(call);
    if (held != NULL)
        ryw_settled(&held->seen, &tool_served(call)->replica);
}

/* A quick tool reads nothing, and must not wait for the database. */
static bool may_be_behind(const struct mcp_call *call, const struct app_vault *v)
{
    bool quick = call->tool != NULL && (call->tool->flags & MCP_QUICK) != 0;
    return replica_is_shared(&v->app->replica) && !quick;
}

/* Whether the vault is behind what the caller has seen: the call is run again soon. */
static bool is_behind(struct mcp_call *call, const struct app_vault *v)
{
    unsigned ms = may_be_behind(call, v)
                      ? ryw_hold(&held_by(call)->seen, &((struct app_vault *)v)->replica)
                      : 0;
    if (ms > 0)
        mcp_wait(call, ms);
    return ms > 0;
}

/* The same for a call that uses one vault after the other, and would begin with the first
 * if it were run again: it waits here, as it does for its vaults to be opened. */
static void wait_until_fresh(struct mcp_call *call, const struct app_vault *v,
                             uint64_t end)
{
    if (may_be_behind(call, v))
        ryw_wait(&held_by(call)->seen, &((struct app_vault *)v)->replica, end, tool_stop,
                 call);
}

/* --- choosing --- */

static void choose(struct mcp_call *call, const struct app_vault *v)
{
    struct app_choice *choice = ARENA_NEW(call->arena, struct app_choice);
    *choice = (struct app_choice){.vault = v};
    call->common = choice;
}

/* Run the call again soon, until its vault is open. */
static bool wait_for_vault(struct mcp_call *call, const struct app_vault *v,
                           struct err *err)
{
    uint64_t waited = clock_ms() - held_by(call)->since;
    if (waited > VAULTS_WAIT_MS)
        return vaults_not_yet(v, err);
    mcp_progress(call, (double)waited / 1000, 0, STR("Opening the vault"));
    mcp_wait(call, VAULTS_POLL_MS);
    return true;
}

/* Why a vault cannot be opened may name its remote, which is not for callers who may see
 * only some folders. */
static void hide_reason(const struct mcp_call *call, const struct app_vault *v,
                        struct err *err)
{
    if (app_is_restricted(v, call->caller))
        err_named(err, E_VAULT_UNAVAILABLE,
                  "'" STR_FMT "' cannot be opened now: the operator's log says why",
                  STR_ARG(v->name));
}

/* *waiting: the call is run again, because the vault is not open yet, or behind. */
static bool use_without_waiting(struct mcp_call *call, const struct app_vault *v,
                                bool *waiting, struct err *err)
{
    enum open_state state = OPEN_STATE_OPEN;
    if (v->row != NULL && !is_held(held_by(call), v)) {
        state = vaults_try(v, err);
        if (state == OPEN_STATE_OPEN)
            keep_reference(call, v);
    }
    bool coming = state == OPEN_STATE_OPENING || state == OPEN_STATE_FETCHING;
    *waiting = coming || (state == OPEN_STATE_OPEN && is_behind(call, v));
    if (coming)
        return wait_for_vault(call, v, err);
    choose(call, v);
    if (state != OPEN_STATE_OPEN)
        hide_reason(call, v, err);
    return state == OPEN_STATE_OPEN;
}

bool tool_use(struct mcp_call *call, const struct app_vault *v, struct err *err)
{
    bool waiting;
    if (!use_without_waiting(call, v, &waiting, err))
        return false;
    if (waiting)
        *err = (struct err){0};
    return !waiting;
}

void tool_use_several(struct mcp_call *call)
{
    held_by(call)->seen.several = true;
}

bool tool_use_within(struct mcp_call *call, const struct app_vault *v, unsigned ms,
                     struct err *err)
{
    uint64_t end = clock_ms() + ms;
    if (v->row != NULL && !is_held(held_by(call), v)) {
        if (!vaults_use(v, ms, err)) {
            hide_reason(call, v, err);
            return false;
        }
        keep_reference(call, v);
    }
    wait_until_fresh(call, v, end);
    choose(call, v);
    return true;
}

bool tool_awaits_clones(struct mcp_call *call, struct app_vault *const *vaults, size_t n,
                        unsigned ms)
{
    uint64_t waited = clock_ms() - held_by(call)->since;
    size_t i = 0;
    while (i < n && !vaults_is_fetching(vaults[i]))
        i++;
    if (i == n || waited > ms)
        return false;
    mcp_progress(call, (double)waited / 1000, 0, STR("Cloning a vault"));
    mcp_wait(call, CLONING_POLL_MS);
    return true;
}

void tool_leave(struct mcp_call *call)
{
    const struct app_vault *v = tool_served(call);
    struct tool_held *held = held_by(call);
    if (v->row == NULL || !is_held(held, v))
        return;
    app_forget_views(app_of(call), call->caller);
    struct tool_using **at = &held->first;
    while ((*at)->vault != v)
        at = &(*at)->next;
    *at = (*at)->next;
    vaults_release(v);
}

/* The vault that is named, or the default. */
static const struct app_vault *vault_named(struct mcp_call *call, str name,
                                           struct err *err)
{
    const struct app *app = app_of(call);
    const struct app_vault *v = name.n > 0 ? vaults_find(app, call->caller, name)
                                           : vaults_first(app, call->caller);
    if (v == NULL)
        (void)vaults_unknown(app, call->caller, name, err);
    return v;
}

bool tool_use_named(struct mcp_call *call, str name, struct err *err)
{
    const struct app_vault *v = vault_named(call, name, err);
    return v != NULL && tool_use(call, v, err);
}

/* --- the argument vault --- */

static bool chose_all(const struct app *app, const struct app_choice *c)
{
    return app->hosted != NULL ? str_eq(c->named, STR(APP_ALL_VAULTS))
                               : (size_t)c->listed == app->n_vaults && app->n_vaults > 1;
}

static bool is_about_one(struct mcp_call *call, struct err *err)
{
    const struct app_choice *choice = call->common;
    return choice == NULL || !chose_all(app_of(call), choice) ||
           err_named(err, E_INVALID_ARGUMENT,
                     "vault '" APP_ALL_VAULTS "' is only for searching: name one vault");
}

const struct app_vault *tool_chosen(struct mcp_call *call, struct err *err)
{
    const struct app *app = app_of(call);
    const struct app_choice *choice = call->common;
    if (choice != NULL && choice->vault != NULL)
        return choice->vault;
    if (!is_about_one(call, err))
        return NULL;
    if (app->hosted == NULL)
        return &app->vaults[choice != NULL ? choice->listed : 0];
    return vault_named(call, choice != NULL ? choice->named : STR(""), err);
}

bool tool_use_chosen(struct mcp_call *call, struct err *err)
{
    const struct app_vault *v = tool_chosen(call, err);
    return v != NULL && tool_use(call, v, err);
}

/* The call goes on, and can find out why its vault is not open. */
static bool choose_closed(struct mcp_call *call, const struct app_vault *v,
                          const struct err *why)
{
    struct err *closed = ARENA_NEW(call->arena, struct err);
    *closed = *why;
    choose(call, v);
    ((struct app_choice *)call->common)->closed = closed;
    return true;
}

bool tool_before(struct mcp_call *call, struct err *err)
{
    const struct app_choice *choice = call->common;
    unsigned flags = call->tool->flags;
    if (choice != NULL && (flags & APP_TAKES_ALL) != 0 &&
        chose_all(app_of(call), choice)) {
        choose(call, NULL);
        ((struct app_choice *)call->common)->all = true;
        return true;
    }
    const struct app_vault *v = tool_chosen(call, err);
    bool waiting;
    if (v == NULL)
        return false;
    if ((flags & APP_CHOOSES) != 0 && v->row != NULL)
        return true;
    return use_without_waiting(call, v, &waiting, err) ||
           ((flags & APP_TAKES_CLOSED) != 0 && choose_closed(call, v, err));
}

/* --- asking --- */

bool tool_wants_all(const struct mcp_call *call)
{
    const struct app_choice *choice = call->common;
    return choice != NULL && choice->all;
}

struct app_vault *tool_served(const struct mcp_call *call)
{
    const struct app *app = call->app;
    const struct app_choice *choice = call->common;
    if (choice != NULL && choice->vault != NULL)
        return (struct app_vault *)choice->vault;
    if (app->hosted != NULL)
        BUG("a call without a vault");
    return &app->vaults[choice != NULL ? choice->listed : 0];
}

str tool_vault_name(const struct mcp_call *call)
{
    return app_has_several(call->app) ? tool_served(call)->name : STR("");
}

static bool names_vault(struct mcp_call *call)
{
    const struct json *args;
    struct err ignored;
    return json_parse(call->arena, mcp_arguments(call), &args, &ignored) &&
           json_get(args, STR("vault")) != NULL;
}

size_t tool_other_vaults(struct mcp_call *call, const str **out)
{
    struct app_vault **list;
    const struct app_vault *own = tool_served(call);
    size_t n = 0;
    *out = NULL;
    if (!app_has_several(app_of(call)) || names_vault(call))
        return 0;
    size_t all = vaults_seen(app_of(call), call->arena, call->caller, &list);
    str *names = ARENA_ARRAY(call->arena, str, all);
    for (size_t i = 0; i < all; i++)
        if (list[i] != own)
            names[n++] = list[i]->name;
    *out = names;
    return n;
}

void tool_note_block(struct mcp_call *call, str text)
{
    call->aside = call->aside.n == 0 ? text
                                     : arena_printf(call->arena, STR_FMT "\n" STR_FMT,
                                                    STR_ARG(call->aside), STR_ARG(text));
}

const struct err *tool_closed(const struct mcp_call *call)
{
    const struct app_choice *choice = call->common;
    return choice != NULL ? choice->closed : NULL;
}

bool tool_is_using(struct mcp_call *call)
{
    const struct app_choice *choice = call->common;
    if (app_of(call)->hosted == NULL)
        return true;
    return choice != NULL && choice->vault != NULL &&
           is_held(held_by(call), choice->vault);
}

struct vault *tool_vault(const struct mcp_call *call)
{
    return tool_trace_view(call, app_vault_for(tool_served(call), call->caller));
}
