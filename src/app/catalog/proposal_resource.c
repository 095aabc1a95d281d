#include "app/catalog/proposal_resource.h"

#include "app/setup/app.h"
#include "app/setup/proposals.h"
#include "app/setup/proposed.h"
#include "app/setup/vaults.h"
#include "app/tool_support/tool_proposal.h"
#include "app/tool_support/tool_support.h"
#include "base/map.h"
#include "base/periodic.h"
#include "mcp/call.h"
#include "mcp/server.h"
#include "state/proposal_table.h"

enum { RESOURCE_DIFF_MAX = 256 << 10, OVERLAP_S = 5, NOTIFIED_MAX = 10000 };

/* --- reading --- */

static bool read_resource(struct mcp_call *call, str uri, struct err *err)
{
    struct proposed it;
    struct sbuf text = SBUF_ON(call->arena);
    struct jsonw w = JSONW_ON(&text);
    if (!tool_use_named(call, mcp_variable(call, STR("vault")), err) ||
        !tool_proposal_find(call, mcp_variable(call, STR("id")), &it, err))
        return false;
    jsonw_object(&w);
    proposed_put_row(&w, &it.row);
    if (proposed_waits(&it.row))
        jsonw_put_str(&w, STR("diff"),
                      proposed_diff(call->arena, &it.proposal, RESOURCE_DIFF_MAX));
    jsonw_end(&w);
    mcp_resource_text(call, uri, STR("application/json"), sbuf_str(&text));
    return true;
}

#define PROPOSAL_ROW(uri_)                                                               \
    {                                                                                    \
        .uri = (uri_), .name = "proposal", .title = "A change that waits for a review",  \
        .mime = "application/json", .hidden = true, .read = read_resource                \
    }

const struct mcp_resource proposal_resource = PROPOSAL_ROW("vault-proposal:///{id}");
const struct mcp_resource proposal_resource_of_many =
    PROPOSAL_ROW("vault-proposal://{vault}/{id}");

/* --- notifying --- */

struct proposal_watch {
    struct app *app;
    struct periodic periodic;
    int64_t since;       /* decisions before it were looked at */
    struct arena arena;  /* of notified */
    struct map notified; /* ids that were decided since then */
    bool begun;
};

static void notify_of(struct proposal_watch *w, struct arena *a,
                      const struct proposal_row *row)
{
    struct app_vault **list;
    size_t n = vaults_all(w->app, a, &list);
    /* without sign-in, clients have no owner */
    str owner = row->owner.n > 0 && row->owner.p[0] < ' ' ? STR("") : row->owner;
    for (size_t i = 0; i < n; i++) {
        struct proposed_place place;
        proposals_place(list[i], a, NULL, &place);
        if (str_eq(place.vault, row->vault))
            mcp_server_updated_for(w->app->mcp, tool_proposal_uri(a, list[i], row->id),
                                   owner);
    }
}

static void look_at_decision(struct proposal_watch *w, struct arena *a,
                             const struct proposal_row *row)
{
    bool is_new = map_find(&w->notified, row->id) == MAP_NONE;
    if (is_new)
        (void)map_add(&w->notified, arena_str(&w->arena, row->id));
    if (is_new && w->begun)
        notify_of(w, a, row);
    w->since = row->decided > w->since ? row->decided : w->since;
}

/* Decisions of the last seconds are looked at again: they may have been committed later than
 * their time, or by a machine whose clock is not ours. */
static void look_for_decisions(void *arg)
{
    struct proposal_watch *w = arg;
    struct arena a = {0};
    struct proposal_row *rows;
    size_t n;
    struct err ignored; /* the database is away: the next look finds it */
    if (proposal_table_decided(proposals_store(w->app), &a, w->since - OVERLAP_S, &rows,
                               &n, &ignored)) {
        if (w->notified.n > NOTIFIED_MAX) {
            arena_reset(&w->arena);
            w->notified = (struct map){.arena = &w->arena};
        }
        for (size_t i = 0; i < n; i++)
            look_at_decision(w, &a, &rows[i]);
        w->begun = true;
    }
    arena_release(&a);
}

bool proposal_watch_start(struct app *app, struct proposal_watch **out, struct err *err)
{
    *out = NULL;
    if (app->proposals == NULL)
        return true;
    struct proposal_watch *w = mem_zero(sizeof(*w));
    w->app = app;
    w->since = proposals_now(app);
    w->notified = (struct map){.arena = &w->arena};
    periodic_init(&w->periodic);
    *out = w;
    return periodic_start(&w->periodic, "proposals", PROPOSAL_WATCH_MS,
                          look_for_decisions, w, err);
}

void proposal_watch_free(struct proposal_watch *w)
{
    if (w == NULL)
        return;
    periodic_release(&w->periodic);
    arena_release(&w->arena);
    free(w);
}
