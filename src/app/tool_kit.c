#include "app/tool_kit.h"

#include "base/clock.h"

/* --- which vault --- */

struct app_vault *kit_served(const struct mcp_call *call)
{
    const struct app *app = call->app;
    const struct app_choice *choice = call->common;
    return &app->vaults[choice != NULL ? choice->vault : 0];
}

struct vault *kit_vault(const struct mcp_call *call)
{
    return app_vault_for(kit_served(call), call->arena, call->caller);
}

void kit_use(struct mcp_call *call, const struct app_vault *v)
{
    struct app_choice *choice = ARENA_NEW(call->arena, struct app_choice);
    choice->vault = (int)(v - v->app->vaults);
    call->common = choice;
}

/* --- reading --- */

bool kit_stop(void *call)
{
    return mcp_cancelled(call);
}

static bool tell(void *arg)
{
    struct mcp_call *call = arg;
    struct vault_progress p = vault_progress(kit_vault(call));
    mcp_progress(call, (double)p.done, (double)p.expected, STR("Reading the vault"));
    return mcp_cancelled(call);
}

const struct index *kit_hold(struct mcp_call *call, struct err *err)
{
    struct vault *v = kit_vault(call);
    return vault_wait(v, tell, call, err) ? vault_hold(v) : NULL;
}

void kit_let_go(struct mcp_call *call)
{
    vault_let_go(kit_vault(call));
}

bool kit_find(struct mcp_call *call, const struct index *x, str word,
              const struct file **out, struct err *err)
{
    return find_file(x, call->arena, word, out, err) ||
           (err->code == ERR_NOT_FOUND
                ? err_hint(err, "vault_search finds files by parts of their names")
                : false);
}

bool kit_is_full(const struct mcp_call *call, int64_t budget)
{
    return call->out->out->n >= (size_t)budget * KIT_TOKEN_BYTES;
}

struct kit_page kit_page(const struct mcp_call *call, int64_t offset, int64_t limit,
                         int64_t budget)
{
    return (struct kit_page){.call = call,
                             .offset = (size_t)offset,
                             .limit = (size_t)limit,
                             .budget = budget,
                             .end = (size_t)offset};
}

bool kit_page_takes(struct kit_page *p)
{
    bool is_next = p->total++ == p->end;
    if (!is_next || p->end - p->offset >= p->limit || kit_is_full(p->call, p->budget))
        return false;
    p->end++;
    return true;
}

void kit_put_next(struct jsonw *out, size_t shown_to, size_t total)
{
    if (shown_to >= total)
        return;
    jsonw_put_bool(out, STR("truncated"), true);
    jsonw_put_object(out, STR("next"));
    jsonw_put_int(out, STR("offset"), (int64_t)shown_to);
    jsonw_end(out);
}

/* --- changing --- */

struct change kit_as(struct mcp_call *call, const char *tool,
                     const struct kit_change *how)
{
    struct change as = {.tool = str_c(tool),
                        .who = call->caller->user,
                        .client = mcp_client_name(call),
                        .key = how->idempotency_key};
    if (as.key.n > 0 && as.who.n > 0) /* everybody has keys of their own */
        as.key = arena_printf(call->arena, STR_FMT "\n" STR_FMT, STR_ARG(as.who),
                              STR_ARG(as.key));
    if (as.key.n > 0)
        as.request =
            arena_printf(call->arena, "%s " STR_FMT, tool, STR_ARG(mcp_arguments(call)));
    return as;
}

struct draft *kit_draft(struct mcp_call *call, const char *tool,
                        const struct kit_change *how)
{
    struct change as = kit_as(call, tool, how);
    return draft_create(kit_vault(call), call->arena, &as);
}

/* The change that a call like this one made; false when there is none. */
static bool find_earlier(struct mcp_call *call, const struct change *as,
                         struct journal_change *out)
{
    struct err ignored; /* whatever is wrong, committing will say it */
    struct journal *j;
    struct vault *v = kit_vault(call);
    struct changes *changes = vault_changes(v, &ignored);
    if (changes == NULL || !changes_hold(changes, &j, &ignored))
        return false;
    const struct journal_entry *e =
        journal_with_key(j, as->key, clock_now() - CHANGE_REPEAT_S);
    bool found = e != NULL && e->state == JOURNAL_DONE &&
                 journal_read(j, call->arena, e->number, false, out, &ignored);
    changes_let_go(changes);
    return found && vault_sees_change(v, out) && str_eq(out->key, as->key) &&
           str_eq(out->request, as->request);
}

bool kit_repeated(struct mcp_call *call, const char *tool, const struct kit_change *how)
{
    struct journal_change earlier;
    const struct json *answer = NULL;
    struct err ignored;
    struct change as = kit_as(call, tool, how);
    if (as.key.n == 0 || how->dry_run || !find_earlier(call, &as, &earlier))
        return false;
    jsonw_object(call->out);
    if (json_parse(call->arena, earlier.answer, &answer, &ignored))
        for (const struct json *j = answer->child; j != NULL; j = j->next)
            jsonw_put_value(call->out, j->key, j);
    jsonw_put_int(call->out, STR("change"), (int64_t)earlier.number);
    jsonw_put_bool(call->out, STR("repeated"), true);
    jsonw_end(call->out);
    return true;
}

enum mcp_consent kit_confirm(struct mcp_call *call, const struct kit_change *how,
                             bool large, str question, struct err *err)
{
    int when = app_of(call)->settings.confirm;
    bool ask = when == CONFIRM_ALWAYS || (when == CONFIRM_LARGE && large);
    if (!ask || how->dry_run || !mcp_can(call, MCP_CAN_ELICIT))
        return MCP_ACCEPTED;
    enum mcp_consent wanted = mcp_elicit(call, STR("confirm"), question, NULL, NULL);
    if (wanted == MCP_DECLINED)
        err_named(err, ERR_DENIED, "NOT_CONFIRMED",
                  "not confirmed: the person declined, nothing was changed");
    return wanted;
}

bool kit_edit_failed(struct mcp_call *call, const struct edit_result *r,
                     const struct err *err)
{
    enum { ALIKE = 12 }; /* the message ends with a shorter form of the hint */
    str message = str_c(err->msg);
    if (r->hint.n == 0)
        return false;
    size_t lead = str_find(message, str_slice(r->hint, 0, ALIKE));
    call->why = arena_printf(call->arena, STR_FMT "%s" STR_FMT,
                             STR_ARG(str_slice(message, 0, lead)),
                             lead == STR_NONE ? "; " : "", STR_ARG(r->hint));
    return false;
}

size_t kit_count_lines(str text)
{
    size_t n = 0;
    str line;
    while (text.n > 0 && str_next(&text, '\n', &line))
        n++;
    return n;
}

bool kit_rewrite(struct mcp_call *call, struct draft *d, const struct kit_change *how,
                 const struct kit_text *t, struct err *err)
{
    struct jsonw *out = call->out;
    if (!draft_write(d, t->path, t->after, DRAFT_OVERWRITE, err))
        return false;
    jsonw_put_int(out, STR("size_before"), (int64_t)t->before.n);
    jsonw_put_int(out, STR("size"), (int64_t)t->after.n);
    if (t->line_first > 0) {
        jsonw_put_array(out, STR("changed_lines"));
        jsonw_int(out, t->line_first);
        jsonw_int(out, t->line_last);
        jsonw_end(out);
    }
    jsonw_put_int(out, STR("total_lines"), (int64_t)kit_count_lines(t->after));
    return kit_commit(call, d, how, t->warnings, t->n_warnings, err);
}

static const char *const outcomes[] = {
    [DRAFT_CREATED] = "created",
    [DRAFT_CHANGED] = "changed",
    [DRAFT_DELETED] = "deleted",
    [DRAFT_MOVED] = "moved",
};

static void put_files(struct mcp_call *call, const struct draft_result *r)
{
    enum { SHOWN = 100 };
    struct jsonw *out = call->out;
    jsonw_put_array(out, STR("files"));
    for (size_t i = 0; i < r->n && i < SHOWN; i++) {
        const struct draft_touched *f = &r->files[i];
        jsonw_object(out);
        jsonw_put_str(out, STR("path"), f->path);
        jsonw_put_str(out, STR("outcome"), str_c(outcomes[f->outcome]));
        if (f->outcome == DRAFT_MOVED)
            jsonw_put_str(out, STR("to"), f->to);
        jsonw_end(out);
    }
    jsonw_end(out);
    if (r->n > SHOWN)
        jsonw_put_int(out, STR("total_files"), (int64_t)r->n);
}

static void put_outcome(struct mcp_call *call, const struct draft_result *r, bool dry_run)
{
    struct jsonw *out = call->out;
    if (r->n == 1 &&
        (r->files[0].outcome == DRAFT_CREATED || r->files[0].outcome == DRAFT_CHANGED))
        jsonw_put_str(out, STR("etag"), draft_etag(call->arena, r->files[0].hash));
    if (r->n > 1)
        put_files(call, r);
    if (r->n == 0)
        jsonw_put_bool(out, STR("unchanged"), true);
    if (r->change > 0)
        jsonw_put_int(out, STR("change"), (int64_t)r->change);
    if (r->repeated)
        jsonw_put_bool(out, STR("repeated"), true);
    if (dry_run) {
        jsonw_put_bool(out, STR("dry_run"), true);
        jsonw_put_str(out, STR("diff"), draft_diff(call->arena, r, KIT_DIFF_MAX));
    }
}

bool kit_commit(struct mcp_call *call, struct draft *d, const struct kit_change *how,
                const str *warnings, size_t n_warnings, struct err *err)
{
    struct draft_result r;
    str answer =
        how->idempotency_key.n > 0 /* what was written so far, for kit_repeated */
            ? arena_printf(call->arena, STR_FMT "}", STR_ARG(sbuf_str(call->out->out)))
            : STR("");
    if (how->dry_run)
        draft_preview(d, &r);
    else if (!draft_commit(d, answer, &r, err))
        return false;
    put_outcome(call, &r, how->dry_run);
    if (n_warnings > 0) {
        jsonw_put_array(call->out, STR("warnings"));
        for (size_t i = 0; i < n_warnings; i++)
            jsonw_str(call->out, warnings[i]);
        jsonw_end(call->out);
    }
    jsonw_end(call->out);
    return true;
}
