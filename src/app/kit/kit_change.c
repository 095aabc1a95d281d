#include "app/kit/kit_change.h"

#include "app/answers/answer.h"
#include "app/kit/tag_policy.h"
#include "app/kit/tool_kit.h"
#include "base/clock.h"
#include "base/path.h"
#include "base/text.h"
#include "mcp/call.h"
#include "vault/ask/find.h"
#include "vault/change/change.h"
#include "vault/change/journal.h"
#include "vault/draft.h"
#include "vault/index/file.h"
#include "vault/transact.h"
#include "vault/vault.h"

static bool is_stale(const struct err *err)
{
    return err->name == E_CONFLICT;
}

struct changing {
    struct mcp_call *call;
    const struct kit_change *how;
    kit_steps *steps;
    struct answer_mark start;
};

static bool change_attempt(void *arg, bool *again, struct err *err)
{
    const struct changing *c = arg;
    *c->call->out = c->start.w;
    c->call->out->out->n = c->start.n;
    c->call->why = (str){0};
    if (c->steps(c->call, err))
        return true;
    *again = c->how->if_match.n == 0 && is_stale(err);
    if (*again)
        vault_refresh(kit_vault(c->call), NULL, 0);
    return false;
}

bool kit_change(struct mcp_call *call, const struct kit_change *how, kit_steps *steps,
                struct err *err)
{
    struct changing c = {call, how, steps, answer_mark(&(struct answer_out){call->out, SIZE_MAX})};
    return transact_try(kit_vault(call), change_attempt, &c, TRANSACT_TRIES, 0, err);
}

bool kit_missing(struct mcp_call *call, str path, struct err *err)
{
    const struct file *meant;
    struct err why;
    if (err->name != E_FILE_NOT_FOUND)
        return false;
    const struct index *x = kit_hold(call, &why);
    if (x == NULL)
        return false;
    if (kit_find(call, x, path, &meant, &why))
        err_named(err, E_FILE_NOT_FOUND,
                  "File not found: " STR_FMT "; did you mean '" STR_FMT "'?",
                  STR_ARG(path), STR_ARG(meant->path));
    else
        *err = why;
    kit_let_go(call);
    return false;
}

bool kit_read(struct mcp_call *call, struct draft *d, str path, struct draft_file *out,
              struct err *err)
{
    struct vault_text ignored;
    if (!draft_read(d, path, out, err))
        return kit_missing(call, path, err);
    return vault_cut(out->path, out->text, 1, 0, &ignored, err);
}

struct change kit_as(struct mcp_call *call, const char *tool,
                     const struct kit_change *how)
{
    struct change as = {.tool = str_c(tool),
                        .who = call->caller->user,
                        .client = call->caller->client.n > 0 ? call->caller->client
                                                             : mcp_client_name(call),
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

void kit_put_repeated(struct mcp_call *call, uint64_t change, str kept)
{
    const struct json *answer = NULL;
    struct err ignored;
    jsonw_object(call->out);
    if (json_parse(call->arena, kept, &answer, &ignored))
        for (const struct json *j = answer->child; j != NULL; j = j->next)
            jsonw_put_value(call->out, j->key, j);
    jsonw_put_int(call->out, STR("change"), (int64_t)change);
    jsonw_put_bool(call->out, STR("repeated"), true);
    jsonw_end(call->out);
}

bool kit_repeated(struct mcp_call *call, const char *tool, const struct kit_change *how)
{
    struct journal_change earlier;
    struct change as = kit_as(call, tool, how);
    if (as.key.n == 0 || how->dry_run || !find_earlier(call, &as, &earlier))
        return false;
    kit_put_repeated(call, earlier.number, earlier.answer);
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
        err_named(err, E_NOT_CONFIRMED,
                  "not confirmed: the person declined, nothing was changed");
    return wanted;
}

bool kit_edit_failed(struct mcp_call *call, const struct edit_result *r)
{
    if (r->hint.n > 0)
        call->why = arena_printf(call->arena, STR_FMT STR_FMT, STR_ARG(r->lead),
                                 STR_ARG(r->hint));
    return false;
}

void kit_put_etag(struct mcp_call *call, str text)
{
    jsonw_put_str(call->out, STR("etag"), draft_etag(call->arena, hash_content(text)));
}

/* A tag that one of the files would bring in, and what is said of it; or empty. */
static bool find_new_tag(struct mcp_call *call, const struct draft_result *r, str *tag,
                         str *refusal, struct err *err)
{
    const struct index *x = kit_hold(call, err);
    if (x == NULL)
        return false;
    *tag = (str){0};
    for (size_t i = 0; i < r->n && tag->n == 0; i++)
        if (file_kind_of(r->files[i].path) == FILE_NOTE)
            *tag = tag_policy_stranger(x, call->arena, r->files[i].before,
                                       r->files[i].after);
    if (tag->n > 0)
        *refusal = tag_policy_refusal(x, call->arena, *tag);
    kit_let_go(call);
    return true;
}

bool kit_check_tags(struct mcp_call *call, struct draft *d, str *warning, struct err *err)
{
    int policy = app_of(call)->settings.tag_policy;
    struct draft_result r;
    str tag, refusal;
    *warning = (str){0};
    if (policy == TAGS_FREE)
        return true;
    draft_preview(d, &r);
    for (int look = 0; look < 2; look++) {
        if (look > 0) /* somebody may just have used it */
            vault_refresh(kit_vault(call), NULL, 0);
        if (!find_new_tag(call, &r, &tag, &refusal, err))
            return false;
        if (tag.n == 0)
            return true;
    }
    if (policy == TAGS_WARN) {
        *warning = arena_printf(call->arena,
                                "the tag '" STR_FMT "' is new to this vault: ask the "
                                "user before you create tags",
                                STR_ARG(tag));
        return true;
    }
    call->why = refusal;
    return err_named(err, E_TAG_NOT_ALLOWED, STR_FMT, STR_ARG(refusal));
}

bool kit_rewrite(struct mcp_call *call, struct draft *d, const struct kit_change *how,
                 const struct kit_text *t, struct err *err)
{
    struct jsonw *out = call->out;
    str *warnings = ARENA_ARRAY(call->arena, str, t->n_warnings + 1), about_tags;
    size_t n = t->n_warnings;
    if (!draft_write(d, t->path, t->after, DRAFT_OVERWRITE, err) ||
        !kit_check_tags(call, d, &about_tags, err))
        return false;
    for (size_t i = 0; i < n; i++)
        warnings[i] = t->warnings[i];
    if (about_tags.n > 0)
        warnings[n++] = about_tags;
    jsonw_put_int(out, STR("size_before"), (int64_t)t->before.n);
    jsonw_put_int(out, STR("size"), (int64_t)t->after.n);
    if (t->line_first > 0) {
        jsonw_put_array(out, STR("changed_lines"));
        jsonw_int(out, t->line_first);
        jsonw_int(out, t->line_last);
        jsonw_end(out);
    }
    jsonw_put_int(out, STR("total_lines"), (int64_t)text_count_lines(t->after));
    kit_put_etag(call, t->after);
    return kit_commit(call, d, how, warnings, n, err);
}

static const char *const outcomes[] = {
    [DRAFT_CREATED] = "created",
    [DRAFT_CHANGED] = "changed",
    [DRAFT_DELETED] = "deleted",
    [DRAFT_MOVED] = "moved",
};

static void tool_kit_put_files(struct mcp_call *call, const struct draft_result *r)
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
    if (r->n > 1)
        tool_kit_put_files(call, r);
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
