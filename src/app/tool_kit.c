#include "app/tool_kit.h"

/* --- reading --- */

bool kit_stop(void *call)
{
    return mcp_cancelled(call);
}

static bool tell(void *arg)
{
    struct mcp_call *call = arg;
    struct vault_progress p = vault_progress(app_of(call)->vault);
    mcp_progress(call, (double)p.done, (double)p.expected, STR("Reading the vault"));
    return mcp_cancelled(call);
}

const struct index *kit_hold(struct mcp_call *call, struct err *err)
{
    struct vault *v = app_of(call)->vault;
    return vault_wait(v, tell, call, err) ? vault_hold(v) : NULL;
}

void kit_let_go(struct mcp_call *call)
{
    vault_let_go(app_of(call)->vault);
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

struct draft *kit_draft(struct mcp_call *call, const char *tool,
                        const struct kit_change *how)
{
    struct change as = {.tool = str_c(tool),
                        .key = how->idempotency_key,
                        .request =
                            how->idempotency_key.n > 0 ? mcp_arguments(call) : STR("")};
    return draft_create(app_of(call)->vault, call->arena, &as);
}

bool kit_repeated(struct mcp_call *call, struct draft *d, struct err *err)
{
    struct draft_result r = {0};
    if (!draft_repeated(d, &r, err) || !r.repeated)
        return false;
    jsonw_object(call->out);
    jsonw_put_bool(call->out, STR("repeated"), true);
    jsonw_put_int(call->out, STR("change"), (int64_t)r.change);
    jsonw_end(call->out);
    return true;
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
    if (how->dry_run)
        draft_preview(d, &r);
    else if (!draft_commit(d, STR(""), &r, err))
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
