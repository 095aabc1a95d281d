#include "app/tool_support/tool_proposal.h"

#include "app/answers/answer.h"
#include "app/answers/history.h"
#include "app/setup/app.h"
#include "app/setup/proposals.h"
#include "app/setup/proposed.h"
#include "app/tool_support/tool_change.h"
#include "app/tool_support/tool_support.h"
#include "base/clock.h"
#include "base/encode.h"
#include "base/text.h"
#include "mcp/call.h"
#include "state/proposal_table.h"
#include "vault/change/proposal.h"
#include "vault/vault.h"

enum { PROPOSAL_DIFF_MAX = 16 << 10 };

/* False: this server keeps no proposals. */
static bool own_place(struct mcp_call *call, struct proposed_place *out)
{
    struct actor by = tool_actor(call, "");
    if (app_of(call)->proposals == NULL)
        return false;
    str *owner = ARENA_NEW(call->arena, str);
    *owner = proposals_owner(call->arena, &by);
    proposals_place(tool_served(call), call->arena, NULL, out);
    out->owner = owner;
    return true;
}

bool tool_proposal_find(struct mcp_call *call, str id, struct proposed *out,
                        struct err *err)
{
    struct proposed_place place;
    return own_place(call, &place) ? proposed_find(&place, call->arena, id, out, err)
                                   : proposal_table_unknown(id, err);
}

/* --- its outcome --- */

struct proposal_answer {
    struct arena *a;
    const struct proposed *it;
    str uri;
};

static void proposal_json(struct answer_out *out, const void *result)
{
    const struct proposal_answer *p = result;
    jsonw_object(out->w);
    proposed_put_row(out->w, &p->it->row);
    jsonw_put_str(out->w, STR("uri"), p->uri);
    if (proposed_waits(&p->it->row))
        jsonw_put_str(out->w, STR("diff"),
                      proposed_diff(p->a, &p->it->proposal, PROPOSAL_DIFF_MAX));
    jsonw_end(out->w);
}

static void proposal_text(struct model_text *s, const void *result)
{
    answer_members(s, proposal_json, result);
}

static const struct answer_shape proposal_shape = {"proposal", .json = proposal_json,
                                                   .text = proposal_text};

/* Kept between the runs of a call. */
struct proposal_waiting {
    uint64_t began;
    bool is_task;
};

/* Whether the call is run again. */
static bool waits_more(struct mcp_call *call, int64_t wait_s)
{
    static const struct mcp_kept waiting_kept = {sizeof(struct proposal_waiting)};
    struct proposal_waiting *w = mcp_kept(call, &waiting_kept);
    if (w->began == 0) {
        w->began = clock_ms();
        w->is_task = mcp_become_task(call);
    }
    int64_t most = w->is_task ? TOOL_PROPOSAL_TASK_S : TOOL_PROPOSAL_WAIT_S;
    uint64_t ms = (uint64_t)(wait_s < most ? wait_s : most) * 1000;
    if (clock_ms() - w->began >= ms || atomic_load(&app_of(call)->stopping))
        return false;
    mcp_wait(call, TOOL_PROPOSAL_POLL_MS);
    return true;
}

bool tool_proposal_answer(struct mcp_call *call, str id, int64_t wait_s, struct err *err)
{
    struct proposed it;
    if (!tool_proposal_find(call, id, &it, err))
        return false;
    if (proposed_waits(&it.row) && wait_s > 0 && waits_more(call, wait_s))
        return true;
    struct proposal_answer answer = {
        call->arena, &it, tool_proposal_uri(call->arena, tool_served(call), it.row.id)};
    return tool_answer(call, &proposal_shape, &answer, TOOL_BUDGET);
}

void tool_proposals_list(struct mcp_call *call, struct history *out)
{
    struct proposed_place place;
    struct proposal_row *rows;
    size_t n;
    struct err ignored; /* the changes are what was asked for */
    if (!own_place(call, &place) ||
        !proposed_list(&place, call->arena, &rows, &n, &ignored))
        return;
    out->n_proposals = n < TOOL_PROPOSALS_LISTED ? n : TOOL_PROPOSALS_LISTED;
    out->proposals = ARENA_ARRAY(call->arena, struct history_proposal, out->n_proposals);
    for (size_t i = 0; i < out->n_proposals; i++)
        out->proposals[i] =
            (struct history_proposal){.id = rows[i].id,
                                      .state = str_c(proposal_state_name(rows[i].state)),
                                      .summary = rows[i].summary,
                                      .reason = rows[i].reason,
                                      .accepted = rows[i].choice,
                                      .time = rows[i].created,
                                      .change = rows[i].change};
}

/* --- building on it --- */

bool tool_proposal_text(const struct proposed *p, str path, bool *exists, str *bytes)
{
    for (size_t i = 0; i < p->proposal.n; i++) {
        const struct change_op *op = &p->proposal.ops[i].op;
        if (!str_eq(op->path, path))
            continue;
        *exists = op->kind == JOURNAL_WRITE;
        *bytes = *exists ? op->text : (str){0};
        return true;
    }
    return false;
}

static bool find_base(void *arg, str path, bool *exists, str *bytes)
{
    return tool_proposal_text(arg, path, exists, bytes);
}

bool tool_proposal_base(struct mcp_call *call, str id, struct draft_base *out,
                        struct err *err)
{
    if (id.n == 0)
        return true;
    struct proposed *it = ARENA_NEW(call->arena, struct proposed);
    if (!tool_proposal_find(call, id, it, err))
        return false;
    if (!proposed_waits(&it->row))
        return err_set(err, ERR_CONFLICT,
                       "proposal " STR_FMT
                       " is %s: leave out proposal, and read the notes "
                       "again",
                       STR_ARG(it->row.id), proposal_state_name(it->row.state));
    if (!proposal_is_by_file(&it->proposal))
        return err_set(err, ERR_INVALID,
                       "proposal " STR_FMT
                       " moves files, so nothing can build on it: wait "
                       "for its review",
                       STR_ARG(it->row.id));
    *out = (struct draft_base){find_base, it};
    return true;
}

/* --- reading --- */

static bool has_path(str paths, str path)
{
    for (size_t at = 0, end; at < paths.n; at = end) {
        end = text_next_line(paths, at);
        if (str_eq(str_slice(paths, at, end - 1), path))
            return true;
    }
    return false;
}

void tool_proposals_note(struct mcp_call *call, str path)
{
    struct proposed_place place;
    struct proposal_paths *all;
    size_t n, found = 0;
    struct err ignored; /* the note is what was asked for */
    struct sbuf ids = SBUF_ON(call->arena);
    if (!vault_has_review(tool_vault(call)) || !own_place(call, &place) ||
        !proposal_table_paths(place.store, call->arena, place.vault, *place.owner, &all,
                              &n, &ignored))
        return;
    for (size_t i = 0; i < n; i++)
        if (has_path(all[i].paths, path))
            sbuf_printf(&ids, "%s" STR_FMT, found++ > 0 ? ", " : "", STR_ARG(all[i].id));
    if (found > 0)
        tool_note_block(
            call, arena_printf(call->arena,
                               "(you have proposed changes to this note that wait for "
                               "review: " STR_FMT
                               "; the argument proposal reads and edits the note as "
                               "one of them leaves it)",
                               STR_ARG(sbuf_str(&ids))));
}

/* --- as a resource --- */

str tool_proposal_uri(struct arena *a, const struct app_vault *v, str id)
{
    str name = app_has_several(v->app) ? encode_percent(a, v->name) : STR("");
    return arena_printf(a, TOOL_PROPOSAL_SCHEME STR_FMT "/" STR_FMT, STR_ARG(name),
                        STR_ARG(id));
}
