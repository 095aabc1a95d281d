#include "app/tool_support/tool_change.h"

#include "app/answers/changed.h"
#include "app/answers/remedy.h"
#include "app/setup/callers.h"
#include "app/setup/vaults.h"
#include "app/tool_support/tag_policy.h"
#include "app/tool_support/tool_ack.h"
#include "app/tool_support/tool_once.h"
#include "app/tool_support/tool_proposal.h"
#include "app/tool_support/tool_read_log.h"
#include "app/tool_support/tool_rules.h"
#include "app/tool_support/tool_support.h"
#include "base/path.h"
#include "mcp/call.h"
#include "replica/replica.h"
#include "vault/change/change.h"
#include "vault/change/link.h"
#include "vault/draft.h"
#include "vault/draft_schema.h"
#include "vault/index/file.h"
#include "vault/index/index.h"
#include "vault/ops.h"
#include "vault/review.h"
#include "vault/text/diff.h"
#include "vault/transact.h"
#include "vault/vault.h"

bool tool_missing(struct err *err)
{
    return err->name == E_FILE_NOT_FOUND
               ? err_hint(err, "vault_search finds files by parts of their names")
               : false;
}

str tool_client(const struct mcp_call *call)
{
    str signed_in = call->caller->client, says = mcp_client_label(call);
    if (signed_in.n == 0 || says.n == 0)
        return signed_in.n > 0 ? signed_in : says;
    return arena_printf(call->arena, STR_FMT " (" STR_FMT ")", STR_ARG(signed_in),
                        STR_ARG(says));
}

struct actor tool_actor(struct mcp_call *call, const char *tool)
{
    return (struct actor){.tool = str_c(tool),
                          .who = call->caller->user,
                          .client = tool_client(call),
                          .grant = call->caller->owner};
}

struct idempotency tool_request(struct mcp_call *call, const char *tool, str key)
{
    struct idempotency once = {.key = key};
    if (key.n > 0)
        once.request =
            arena_printf(call->arena, "%s " STR_FMT, tool, STR_ARG(mcp_arguments(call)));
    return once;
}

/* --- for the steps of tools --- */

/* For the model that gave the etag of an older text: what has changed since. */
static void explain_stale(struct tool_changing *c, str path, const struct err *err)
{
    struct arena *a = c->call->arena;
    struct draft_file now;
    struct diff diff;
    struct err ignored;
    str old;
    if (!draft_read(c->draft, path, &now, &ignored) ||
        !review_replaced(draft_vault(c->draft), a, now.path, c->how->if_match, &old))
        return;
    diff_make(a, old, now.text, &diff);
    c->edit.lead = arena_printf(a, "%s; since your etag:\n", err->msg);
    c->edit.hint = diff_print(a, &diff, now.path, now.path, TOOL_STALE_DIFF);
}

bool tool_match(struct tool_changing *c, str path, struct err *err)
{
    if (draft_match(c->draft, path, c->how->if_match, err))
        return true;
    if (err->name == E_CONFLICT)
        explain_stale(c, path, err);
    return false;
}

/* Whether it is a text, with the etag of if_match. */
static bool check_opened(struct tool_changing *c, const struct draft_file *f,
                         struct err *err)
{
    struct vault_text ignored;
    return vault_cut(f->path, f->text, 1, 0, &ignored, err) &&
           tool_match(c, f->path, err);
}

bool tool_open(struct tool_changing *c, str path, struct draft_file *out, struct err *err)
{
    return ops_open(c->draft, path, out, err) ? check_opened(c, out, err)
                                              : tool_missing(err);
}

bool tool_open_or_create(struct tool_changing *c, str path, struct draft_file *out,
                         bool *created, struct err *err)
{
    return ops_open_or_create(c->draft, path, out, created, err) &&
           check_opened(c, out, err);
}

bool tool_not_edited(struct tool_changing *c, const struct draft_file *f, struct err *err)
{
    if (ops_blame_encoding(f, err))
        c->edit.hint = (str){0};
    return false;
}

void tool_warn_lost(struct tool_changing *c, str path, str before)
{
    enum { NAMED = 3 };
    struct arena *a = c->call->arena;
    struct link_lost *lost;
    if (file_kind_of(path) != FILE_NOTE || !vault_progress(draft_vault(c->draft)).ready)
        return;
    const struct index *x = draft_lock(c->draft);
    const struct file *f = index_find(x, path);
    size_t n = f != NULL ? link_lost(x, a, f, before, &lost) : 0;
    draft_unlock(c->draft);
    for (size_t i = 0; i < n && i < NAMED; i++)
        changed_warn(&c->out,
                     arena_printf(a,
                                  "'" STR_FMT "' is gone, which breaks %s to it, in "
                                  "'" STR_FMT "'%s",
                                  STR_ARG(lost[i].subpath),
                                  lost[i].links == 1
                                      ? "a link"
                                      : arena_printf(a, "%u links", lost[i].links).p,
                                  STR_ARG(lost[i].file),
                                  lost[i].links > 1 ? " and elsewhere" : ""));
    if (n > NAMED)
        changed_warn(&c->out, arena_printf(a,
                                           "%zu more headings or blocks with links "
                                           "to them are gone",
                                           n - NAMED));
}

bool tool_rewrite(struct tool_changing *c, const struct draft_file *f, struct err *err)
{
    if (!changed_rewrite(&c->out, c->draft, f, &c->edit, err))
        return false;
    tool_warn_lost(c, f->path, f->text);
    return true;
}

/* --- before the commit --- */

/* The first new tag that one of the files would add, and the refusal for it; empty if
 * none. */
static bool find_new_tag(struct mcp_call *call, const struct draft_result *r, str *tag,
                         str *refusal, struct err *err)
{
    const struct index *x = tool_lock(call, err);
    if (x == NULL)
        return false;
    *tag = (str){0};
    for (size_t i = 0; i < r->n && tag->n == 0; i++)
        if (file_kind_of(r->files[i].path) == FILE_NOTE)
            *tag = tag_policy_stranger(x, call->arena, r->files[i].before,
                                       r->files[i].after);
    if (tag->n > 0)
        *refusal = tag_policy_refusal(x, call->arena, *tag);
    tool_unlock(call);
    return true;
}

/* TAG_NOT_ALLOWED where the policy refuses a new tag, a warning where it only warns. */
static bool check_tags(struct tool_changing *c, struct err *err)
{
    struct mcp_call *call = c->call;
    int policy = app_of(call)->settings.tag_policy;
    struct draft_result r;
    str tag, refusal;
    if (policy == TAGS_FREE)
        return true;
    draft_preview(c->draft, &r);
    for (int look = 0; look < 2; look++) {
        if (look > 0) /* a note may just have started to use it */
            vault_refresh(tool_vault(call), NULL, 0);
        if (!find_new_tag(call, &r, &tag, &refusal, err))
            return false;
        if (tag.n == 0)
            return true;
    }
    if (policy == TAGS_WARN) {
        changed_warn(&c->out,
                     arena_printf(call->arena,
                                  "the tag '" STR_FMT "' is new to this vault: ask the "
                                  "user before you create tags",
                                  STR_ARG(tag)));
        return true;
    }
    call->why = refusal;
    return err_named(err, E_TAG_NOT_ALLOWED, STR_FMT, STR_ARG(refusal));
}

static bool schema_refuses(struct mcp_call *call, const struct draft_schema *found,
                           struct err *err)
{
    struct sbuf b = SBUF_ON(call->arena);
    if (found->touched.n > 0)
        return err_named(err, E_POLICY_NOT_ALLOWED,
                         "'" STR_FMT
                         "' is a schema: only the owner of the vault changes, "
                         "moves or deletes it",
                         STR_ARG(found->touched));
    sbuf_add(&b, STR("not written: the schemas of this vault do not allow it:"));
    for (size_t i = 0; i < found->n; i++)
        sbuf_printf(&b, "\n- " STR_FMT, STR_ARG(found->messages[i]));
    if (found->total > found->n)
        sbuf_printf(&b, "\nand %zu more", found->total - found->n);
    call->why = sbuf_str(&b);
    return err_named(err, E_PROPERTY_NOT_ALLOWED, STR_FMT, STR_ARG(found->messages[0]));
}

/* PROPERTY_NOT_ALLOWED or POLICY_NOT_ALLOWED where schemas are enforced, else warnings. */
static bool check_schemas(struct tool_changing *c, struct err *err)
{
    struct mcp_call *call = c->call;
    int policy = app_of(call)->settings.schema_policy;
    struct draft_schema found;
    if (policy == SCHEMAS_FREE)
        return true;
    for (int look = 0; look < 2; look++) {
        if (look > 0) /* the owner may just have changed a schema */
            vault_refresh(tool_vault(call), NULL, 0);
        if (!draft_schema_check(c->draft, &found, err))
            return false;
        if (found.total == 0 && (policy != SCHEMAS_ENFORCE || found.touched.n == 0))
            return true;
        if (policy == SCHEMAS_WARN)
            break;
    }
    if (policy == SCHEMAS_ENFORCE)
        return schema_refuses(call, &found, err);
    changed_warn_schemas(&c->out, &found);
    return true;
}

/* Those of a caller in one vault, recently and since the user was last asked. */
static bool count_changed_files(struct mcp_call *call, struct vault *v, size_t *n,
                                struct err *err)
{
    struct changes *c = vault_changes(v, err);
    return c != NULL && changes_files_by(c, call->caller->owner, TOOL_MANY_S, n, err);
}

/* The same in the other vaults that the caller sees and that are open. */
static size_t count_in_others(struct mcp_call *call)
{
    struct app_vault **list;
    const struct app_vault *own = tool_served(call);
    size_t sum = 0, found,
           n = vaults_seen(app_of(call), call->arena, call->caller, &list);
    struct err ignored; /* it has no journal */
    for (size_t i = 0; i < n; i++) {
        if (list[i] == own || !vaults_look(list[i]))
            continue;
        sum += count_changed_files(call, list[i]->vault, &found, &ignored) ? found : 0;
        vaults_look_away(list[i]);
    }
    return sum;
}

/* What replicas call the count of a caller. */
static str files_note(struct mcp_call *call)
{
    return arena_printf(call->arena, "files:" STR_FMT, STR_ARG(call->caller->owner));
}

size_t tool_files_elsewhere(struct mcp_call *call)
{
    struct replica *r = &app_of(call)->replica;
    struct replica_note *notes;
    size_t n = 0, sum = 0;
    int64_t count;
    if (app_of(call)->settings.confirm_files == 0)
        return 0;
    if (replica_list(r, call->arena, files_note(call), &notes, &n))
        for (size_t i = 0; i < n; i++)
            if (!str_eq(notes[i].part, str_c(r->name)) &&
                str_to_int(notes[i].text, &count) && count > 0)
                sum += (size_t)count;
    return sum + count_in_others(call);
}

void tool_files_changed(struct mcp_call *call)
{
    struct replica *r = &app_of(call)->replica;
    size_t here;
    struct err ignored;
    if (!replica_is_shared(r) || app_of(call)->settings.confirm_files == 0 ||
        !count_changed_files(call, tool_vault(call), &here, &ignored))
        return;
    replica_put(r, files_note(call), str_c(r->name),
                arena_printf(call->arena, "%zu", here + count_in_others(call)),
                TOOL_MANY_S);
}

bool tool_check_many(struct mcp_call *call, size_t elsewhere, size_t n, bool *needed,
                     str *why, struct err *err)
{
    int64_t most = app_of(call)->settings.confirm_files;
    size_t before;
    *needed = false;
    if (most == 0)
        return true;
    if (!count_changed_files(call, tool_vault(call), &before, err))
        return false;
    before += elsewhere;
    if (before + n <= (size_t)most)
        return true;
    if (mcp_can(call, MCP_CAN_ELICIT)) {
        *why = arena_printf(call->arena,
                            "%zu files were changed in the last %d minutes, and this "
                            "would change %zu more.",
                            before, TOOL_MANY_S / 60, n);
        *needed = true;
        return true;
    }
    return app_of(call)->settings.stdio ||
           err_named(err, E_NOT_CONFIRMED,
                     "not changed: with this, more than %d files would have changed "
                     "in %d minutes, and this client cannot ask the user to confirm. "
                     "Tell the user and wait; the operator can raise --confirm-files",
                     (int)most, TOOL_MANY_S / 60);
}

bool tool_ask(struct mcp_call *call, str plan, str question, bool *pending,
              struct err *err)
{
    enum mcp_consent wanted = mcp_confirm(call, STR("confirm"), plan, question);
    if (wanted == MCP_DECLINED)
        err_named(err, E_NOT_CONFIRMED,
                  "not confirmed: the user declined, nothing was changed");
    *pending = wanted == MCP_PENDING;
    return wanted == MCP_ACCEPTED;
}

/* Whether the settings want the question of the tool to be asked. */
static bool asks_anyway(const struct tool_changing *c)
{
    int when = app_of(c->call)->settings.confirm;
    return (when == CONFIRM_ALWAYS || (when == CONFIRM_LARGE && c->large)) &&
           c->question.n > 0 && mcp_can(c->call, MCP_CAN_ELICIT);
}

bool tool_counts_deletes(struct mcp_call *call, size_t files, bool folder)
{
    return (files > TOOL_DELETED || (folder && files > 0)) &&
           app_of(call)->settings.confirm != CONFIRM_NEVER &&
           !mcp_can(call, MCP_CAN_ELICIT);
}

/* Then a model has at least looked, and a mistaken path is noticed. */
static bool check_deletes(const struct tool_changing *c, struct err *err)
{
    if (!tool_counts_deletes(c->call, c->deletes, c->deletes_folder) ||
        c->confirm == (int64_t)c->deletes)
        return true;
    return err_named(err, E_NOT_CONFIRMED,
                     "not deleted: %zu %s would be deleted, %s; if that is meant, repeat "
                     "the call with confirm: %zu",
                     c->deletes, c->deletes == 1 ? "file" : "files",
                     c->confirm != 0 ? "not as many as confirm says"
                                     : "and this client cannot ask the user",
                     c->deletes);
}

static bool confirm(struct tool_changing *c, struct err *err)
{
    struct mcp_call *call = c->call;
    bool many = false;
    str why = {0};
    if (c->how->dry_run || draft_needs_review(c->draft))
        return true;
    if (!check_deletes(c, err) ||
        !tool_check_many(call, c->elsewhere_files, draft_files(c->draft), &many, &why,
                         err))
        return false;
    if (!many && !asks_anyway(c))
        return true;
    str question = c->question.n > 0 ? c->question : STR("Continue?");
    if (many)
        question = arena_printf(call->arena, STR_FMT " " STR_FMT, STR_ARG(why),
                                STR_ARG(question));
    str plan = arena_printf(call->arena, "%s " STR_FMT, many ? "many" : "one",
                            STR_ARG(draft_plan(c->draft)));
    if (!tool_ask(call, plan, question, &c->pending, err))
        return false;
    draft_confirm(c->draft);
    return true;
}

/* --- running --- */

static struct tool_changing begin_change(struct mcp_call *call, struct draft *d,
                                         const struct tool_changer *row,
                                         const struct tool_change *how)
{
    return (struct tool_changing){
        .call = call,
        .how = how,
        .draft = d,
        .out = {.arena = call->arena,
                .done = row->done,
                .is_done = true,
                .dry_run = how->dry_run},
    };
}

static bool run_row(struct tool_changing *c, const struct tool_changer *row,
                    struct err *err)
{
    c->call->why = (str){0};
    if (row->steps(c, err))
        return true;
    if (c->edit.hint.n > 0)
        c->call->why = arena_printf(c->call->arena, STR_FMT STR_FMT,
                                    STR_ARG(c->edit.lead), STR_ARG(c->edit.hint));
    return remedy_for_tools(err);
}

static const struct tool_change *how_of(const struct tool_changer *row, const void *args)
{
    static const struct tool_change plainly = {0};
    return row->change > 0 ? (const void *)((const char *)args + row->change) : &plainly;
}

bool tool_run_step(struct tool_changing *c, const struct mcp_tool *tool, const void *args,
                   struct tool_changing *step, struct err *err)
{
    struct mcp_call *call = c->call;
    const struct mcp_tool *own = call->tool;
    const void *own_args = call->args;
    const struct tool_changer *row = tool->app;
    *step = begin_change(call, c->draft, row, how_of(row, args));
    call->tool = tool;
    call->args = args;
    bool ok = run_row(step, row, err);
    call->tool = own;
    call->args = own_args;
    return ok;
}

static bool change_steps(struct draft *d, void *arg, struct err *err)
{
    struct tool_changing *c = arg;
    const struct tool_changer *row = c->call->tool->app;
    size_t elsewhere = c->elsewhere_files;
    *c = begin_change(c->call, d, row, c->how);
    c->elsewhere_files = elsewhere;
    if (!run_row(c, row, err))
        return false;
    if (row->shape == NULL) /* those of other servers have a form of their own */
        changed_settle(&c->out, d);
    return (row->unchecked || draft_check(d, err)) &&
           (!row->tags || check_tags(c, err)) && check_schemas(c, err) && confirm(c, err);
}

/* What was renamed inside of notes is kept for the history, too. */
static str keep_draft(struct arena *a, void *arg)
{
    const struct tool_changing *c = arg;
    bool wanted = c->how->idempotency_key.n > 0 || c->out.inside != NULL;
    return wanted ? changed_kept(a, &c->out) : STR("");
}

static bool make_change(struct tool_changing *c, struct err *err)
{
    struct mcp_call *call = c->call;
    const struct tool_changer *row = call->tool->app;
    const char *name = call->tool->name;
    struct transact t = {.by = tool_actor(call, name),
                         .once = tool_request(call, name, c->how->idempotency_key),
                         .dry_run = c->how->dry_run,
                         .exact = c->how->if_match.n > 0,
                         .early = row->early,
                         .stop = tool_stopping(call),
                         .steps = change_steps,
                         .keep = keep_draft,
                         .always = true,
                         .arg = c};
    struct tool_made made;
    if (row->before != NULL && !row->before(call, err))
        return false;
    c->elsewhere_files = tool_files_elsewhere(call);
    if (!tool_proposal_base(call, c->how->proposal, &t.base, err))
        return false;
    if (!tool_transact(call, &t, &made, err))
        return remedy_for_tools(err);
    c->pending = made.waiting;
    if (made.waiting)
        return false;
    c->out.made = made.made;
    c->elsewhere = made.elsewhere;
    if (made.made.change > 0 && !made.made.repeated)
        tool_files_changed(call);
    if (made.made.proposal.n == 0)
        tool_saw_change(call, &c->out);
    return true;
}

/* With several vaults, the answer says in which one, and a proposal that it is none that was
 * made: shapes of other servers have no place for it, so it comes after them. */
static bool answer_change(struct mcp_call *call, const struct tool_changer *row,
                          struct changed *out)
{
    out->vault = tool_vault_name(call);
    if (row->shape != NULL && out->vault.n > 0)
        tool_note_block(
            call, arena_printf(call->arena, "(vault " STR_FMT ")", STR_ARG(out->vault)));
    if (row->shape != NULL && out->made.proposal.n > 0)
        tool_note_block(call, arena_printf(call->arena,
                                           "(nothing was changed yet: proposal " STR_FMT
                                           " waits for the user's review)",
                                           STR_ARG(out->made.proposal)));
    if (row->shape == NULL)
        folder_rules_tell(call, &out->made);
    return tool_answer(call, row->shape != NULL ? row->shape : &changed_shape, out,
                       TOOL_BUDGET);
}

bool tool_run_change(struct mcp_call *call, struct err *err)
{
    const struct tool_changer *row = call->tool->app;
    struct tool_changing *c = tool_acking(call);
    bool waiting = false;
    if (c == NULL) {
        c = ARENA_NEW(call->arena, struct tool_changing);
        *c = (struct tool_changing){.call = call, .how = how_of(row, call->args)};
        if (!make_change(c, err))
            return c->pending;
    }
    if (c->out.made.change > 0 && !c->elsewhere && !tool_ack(call, c, &waiting, err))
        return false;
    return waiting || answer_change(call, row, &c->out);
}
