/* proposals, accept, reject: changes of clients that wait for a review. */
#include "app/setup/proposals.h"

#include "app/answers/changed.h"
#include "app/answers/term.h"
#include "app/cli/cli.h"
#include "app/cli/cli_change.h"
#include "app/cli/verbs.h"
#include "app/setup/settings.h"
#include "app/setup/state_settings.h"
#include "app/setup/vault_state.h"
#include "base/clock.h"
#include "state/proposal_table.h"
#include "state/store.h"
#include "vault/accept.h"
#include "vault/change/proposal.h"
#include "vault/draft.h"
#include "vault/text/encoding.h"
#include "vault/text/hidden.h"
#include "vault/vault.h"

static const struct option table[] = {CLI_COMMON};

/* The database, and what it calls the vault. */
struct proposals_db {
    struct store *store;
    str vault;
};

/* --- the database --- */

/* Replicas know a vault of the settings by its name; the first has none. */
static bool shared_name(struct cli *c, const struct cli_common *o, str *out,
                        struct err *err)
{
    if (o->vaults.n > 1 && o->vault.n == 0 && c->identity.n == 0)
        return err_set(err, ERR_INVALID, "several vaults: choose one with --vault NAME");
    str first = o->vaults.n > 0 ? o->vaults.items[0] : STR("");
    size_t end = str_find_char(first, '=');
    bool is_first = end != STR_NONE && str_eq_nocase(str_slice(first, 0, end), o->vault);
    *out = is_first ? STR("") : o->vault;
    return true;
}

/* Creates nothing: without a database there are no proposals (ERR_NOT_FOUND). What was
 * found can only be read. */
static bool open_store(const char *where, bool decides, struct store **out,
                       struct err *err)
{
    if (!store_find(where, out, err) || !decides)
        return *out != NULL;
    store_close(*out);
    return store_open(where, out, err);
}

static bool open_reviewing(struct cli *c, const struct cli_common *o, bool decides,
                           struct proposals_db *out, struct err *err)
{
    str url = o->state_db, state = settings_state_dir(c->arena, o->state_dir), name;
    if (!state_settings_read(c->arena, &url, o->state_db_file, false, err) ||
        !shared_name(c, o, &name, err))
        return false;
    const char *where =
        url.n > 0 ? url.p : arena_printf(c->arena, STR_FMT "/oauth.db", STR_ARG(state)).p;
    str key =
        vault_state_look(c->arena, state.p, str_c(vault_folder(c->vault)), c->identity);
    out->vault = proposals_vault(c->arena, key, c->identity, url.n > 0 ? &name : NULL);
    out->store = NULL;
    return open_store(where, decides, &out->store, err);
}

/* --- proposals --- */

static str proposal_text(struct arena *a, str bytes)
{
    enum encoding ignored;
    return encoding_read(a, bytes, &ignored);
}

static struct draft_touched touched_of(struct arena *a, const struct proposal_op *p)
{
    return (struct draft_touched){.outcome =
                                      p->op.kind == JOURNAL_MOVE     ? DRAFT_MOVED
                                      : p->op.kind == JOURNAL_DELETE ? DRAFT_DELETED
                                      : p->op.expects == CHANGE_NEW  ? DRAFT_CREATED
                                                                     : DRAFT_CHANGED,
                                  .path = p->op.path,
                                  .to = p->op.to,
                                  .before = proposal_text(a, p->base),
                                  .after = proposal_text(a, p->op.text)};
}

static str diff_of(struct arena *a, const struct proposal *p)
{
    struct draft_result r = {.files = ARENA_ARRAY(a, struct draft_touched, p->n)};
    for (size_t i = 0; i < p->n; i++)
        if (p->ops[i].op.kind != JOURNAL_MAKE_FOLDER &&
            p->ops[i].op.kind != JOURNAL_REMOVE_FOLDER)
            r.files[r.n++] = touched_of(a, &p->ops[i]);
    return draft_diff(a, &r, 0);
}

static void put_row(struct jsonw *w, const struct proposal_row *row)
{
    char when[CLOCK_ISO_SIZE];
    jsonw_put_str(w, STR("id"), row->id);
    jsonw_put_str(w, STR("state"), str_c(proposal_state_name(row->state)));
    jsonw_put_str(w, STR("time"), clock_iso(row->created, when));
    jsonw_put_str(w, STR("summary"), row->summary);
    jsonw_put_text(w, STR("decided_by"), row->decided_by);
    jsonw_put_text(w, STR("reason"), row->reason);
    if (row->change > 0)
        jsonw_put_int(w, STR("change"), row->change);
}

static void print_row(struct cli *c, const struct proposal_row *row)
{
    term_put(&c->out, TERM_STRONG, row->id);
    term_printf(&c->out, TERM_PLAIN, "  " STR_FMT "  %s  ",
                STR_ARG(term_time(c->arena, row->created)),
                proposal_state_name(row->state));
    term_put(&c->out, TERM_PLAIN, row->summary);
    if (row->reason.n > 0)
        term_printf(&c->out, TERM_FAINT, " (" STR_FMT ")", STR_ARG(row->reason));
    term_put(&c->out, TERM_PLAIN, STR("\n"));
}

static bool list_proposals(struct cli *c, const struct proposals_db *r, struct err *err)
{
    struct proposal_row *rows;
    struct cli_json json;
    size_t n;
    if (!proposal_table_list(r->store, c->arena, r->vault, NULL, &rows, &n, err))
        return false;
    if (!c->json) {
        for (size_t i = 0; i < n; i++)
            print_row(c, &rows[i]);
        if (n == 0)
            term_put(&c->out, TERM_FAINT, STR("There are no proposals\n"));
        return true;
    }
    struct jsonw *w = cli_json_begin(c, &json);
    jsonw_object(w);
    jsonw_put_array(w, STR("proposals"));
    for (size_t i = 0; i < n; i++) {
        jsonw_object(w);
        put_row(w, &rows[i]);
        jsonw_end(w);
    }
    jsonw_end(w);
    jsonw_end(w);
    cli_json_print(c, &json);
    return true;
}

static void show_proposal(struct cli *c, const struct proposal_row *row,
                          const struct proposal *p, str diff)
{
    struct hidden_list hidden;
    hidden_find(diff, 1, 0, &hidden);
    print_row(c, row);
    if (p->by.client.n > 0)
        term_labelled(&c->out, "client", 8, p->by.client);
    if (p->by.who.n > 0)
        term_labelled(&c->out, "who", 8, p->by.who);
    if (hidden.total > 0)
        term_printf(
            &c->out, TERM_WARN,
            "note: this has text that is not visible (%s, line %zu of the diff)\n",
            hidden_names[hidden.items[0].kind], hidden.items[0].line);
    term_diff(&c->out, diff);
}

static bool read_proposal(struct cli *c, const struct proposals_db *r, str id,
                          struct proposal_row *row, struct proposal *p, struct err *err)
{
    str body;
    *p = (struct proposal){0};
    return proposal_table_get(r->store, c->arena, r->vault, id, row, &body, err) &&
           (body.n == 0 || proposal_parse(c->arena, body, p, err));
}

static bool show_one(struct cli *c, const struct proposals_db *r, struct err *err)
{
    struct proposal_row row;
    struct proposal p;
    struct cli_json json;
    if (!read_proposal(c, r, c->words.items[0], &row, &p, err))
        return false;
    str diff = diff_of(c->arena, &p);
    if (!c->json) {
        show_proposal(c, &row, &p, diff);
        return true;
    }
    struct hidden_list hidden;
    hidden_find(diff, 1, 0, &hidden);
    struct jsonw *w = cli_json_begin(c, &json);
    jsonw_object(w);
    put_row(w, &row);
    jsonw_put_text(w, STR("client"), p.by.client);
    jsonw_put_text(w, STR("who"), p.by.who);
    jsonw_put_text(w, STR("diff"), diff);
    jsonw_put_true(w, STR("hidden_text"), hidden.total > 0);
    jsonw_end(w);
    cli_json_print(c, &json);
    return true;
}

static bool run_proposals(struct cli *c, const void *options, struct err *err)
{
    struct proposals_db r;
    if (!open_reviewing(c, options, false, &r, err)) {
        if (err->code != ERR_NOT_FOUND)
            return false;
        term_put(&c->out, TERM_FAINT,
                 c->json ? STR("{\"proposals\":[]}\n") : STR("There are no proposals\n"));
        return true;
    }
    bool ok = c->words.n > 0 ? show_one(c, &r, err) : list_proposals(c, &r, err);
    store_close(r.store);
    return ok;
}

const struct cli_verb cli_proposals = {
    .name = "proposals",
    .arguments = "[ID]",
    .about = "List the changes that clients have proposed, or show what one would do",
    .help = "  vaultd proposals                 which there are, and their outcome\n"
            "  vaultd proposals 5f0c31a2b4d6    the diff of one\n\n"
            "vaultd accept ID makes one, vaultd reject ID refuses it.\n",
    .options = table,
    .options_size = sizeof(struct cli_common),
    .words_max = 1,
    .changes = true,
    .run = run_proposals,
};

/* What became of it, as a line or as JSON. */
static bool print_decided(struct cli *c, const struct proposals_db *r, str id, str line,
                          struct err *err)
{
    struct proposal_row row;
    struct cli_json json;
    str ignored;
    if (!c->json) {
        term_put(&c->out, TERM_GOOD, line);
        return true;
    }
    if (!proposal_table_get(r->store, c->arena, r->vault, id, &row, &ignored, err))
        return false;
    struct jsonw *w = cli_json_begin(c, &json);
    jsonw_object(w);
    put_row(w, &row);
    jsonw_end(w);
    cli_json_print(c, &json);
    return true;
}

/* --- accept --- */

static bool accept_one(struct cli *c, const struct proposals_db *r, struct err *err)
{
    struct proposal_row row;
    struct proposal p;
    struct accept_result done;
    str id = c->words.items[0], by = cli_actor(c).who;
    struct accept how = {.proposal = &p,
                         .id = id,
                         .by = by,
                         .files = c->words.n > 1 ? c->words.items + 1 : NULL,
                         .n_files = c->words.n - 1};
    if (!proposal_table_begin(r->store, r->vault, id, by, clock_now(), err))
        return false;
    if (!read_proposal(c, r, id, &row, &p, err) ||
        !accept_proposal(c->vault, c->arena, &how, &done, err)) {
        proposal_table_release(r->store, r->vault, id);
        return false;
    }
    if (!proposal_table_end(r->store, r->vault, id, done.partly, (int64_t)done.change,
                            clock_now(), err))
        return false;
    str line =
        arena_printf(c->arena, "accepted%s as change %llu%s\n",
                     done.partly ? " in part" : "", (unsigned long long)done.change,
                     done.merged > 0 ? ", merged with what was changed meanwhile" : "");
    return print_decided(c, r, id, line, err);
}

static bool proposals_decide(struct cli *c, const void *options, struct err *err,
                             bool (*how)(struct cli *, const struct proposals_db *,
                                         struct err *))
{
    struct proposals_db r;
    if (!open_reviewing(c, options, true, &r, err))
        return err->code == ERR_NOT_FOUND
                   ? err_set(err, ERR_NOT_FOUND, "there are no proposals")
                   : false;
    bool ok = how(c, &r, err);
    store_close(r.store);
    return ok;
}

static bool run_accept(struct cli *c, const void *options, struct err *err)
{
    return proposals_decide(c, options, err, accept_one);
}

const struct cli_verb cli_accept = {
    .name = "accept",
    .arguments = "ID [FILE...]",
    .about = "Accept a proposal: make its change, or only that of some files",
    .help = "  vaultd accept 5f0c31a2b4d6                  all of it\n"
            "  vaultd accept 5f0c31a2b4d6 Work/Plan.md     the rest is rejected\n\n"
            "Files that have changed meanwhile are merged. If one cannot be, nothing is\n"
            "changed. vaultd undo undoes it like any change.\n",
    .options = table,
    .options_size = sizeof(struct cli_common),
    .words_min = 1,
    .words_max = 1000,
    .changes = true,
    .run = run_accept,
};

/* --- reject --- */

static bool reject_one(struct cli *c, const struct proposals_db *r, struct err *err)
{
    str id = c->words.items[0];
    c->words.items++;
    c->words.n--;
    return proposal_table_reject(r->store, r->vault, id, cli_actor(c).who, cli_joined(c),
                                 clock_now(), err) &&
           print_decided(c, r, id, STR("rejected\n"), err);
}

static bool run_reject(struct cli *c, const void *options, struct err *err)
{
    return proposals_decide(c, options, err, reject_one);
}

const struct cli_verb cli_reject = {
    .name = "reject",
    .arguments = "ID [REASON]",
    .about = "Reject a proposal, with a reason",
    .help = "  vaultd reject 5f0c31a2b4d6 not in this folder\n",
    .options = table,
    .options_size = sizeof(struct cli_common),
    .words_min = 1,
    .words_max = 1000,
    .changes = true,
    .run = run_reject,
};
