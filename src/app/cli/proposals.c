/*
 * proposals, accept, reject: changes of clients that wait for a review. A running server
 * answers, through its socket in the state folder; without one, this process does, with the
 * database.
 */
#include "app/setup/proposals.h"

#include "app/answers/term.h"
#include "app/cli/cli.h"
#include "app/cli/cli_change.h"
#include "app/cli/proposals_patch.h"
#include "app/cli/proposals_show.h"
#include "app/cli/verbs.h"
#include "app/setup/operator_request.h"
#include "app/setup/proposed_request.h"
#include "app/setup/settings.h"
#include "app/setup/state_settings.h"
#include "app/setup/vault_config.h"
#include "app/setup/vault_state.h"
#include "app/web/operator.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/os/folder.h"
#include "state/store.h"
#include "vault/vault.h"

enum { PATCH_TRIES = 5, KEY_MAX = 200 };

struct proposals_options {
    struct cli_common common;
    bool patch, link;
    str hunks, reason, seen;
};

/* --- a running server --- */

/* Whether that server has the vault; else *out stays as it is. */
static bool ask_server(struct cli *c, str socket, const struct proposed_request *r,
                       const struct json **out, struct err *err)
{
    struct arena *a = c->arena;
    const struct json *answer;
    struct err ignored;
    str base = str_slice(socket, 0, socket.n - strlen(OPS_SUFFIX)), key;
    if (!fs_read_file(a, arena_printf(a, STR_FMT OPS_KEY_SUFFIX, STR_ARG(base)), KEY_MAX,
                      &key, &ignored) ||
        !operator_post(a, arena_printf(a, "unix:" STR_FMT, STR_ARG(socket)),
                       PROPOSED_PATH, key, proposed_request_print(a, r), &answer, err))
        return false;
    if (json_get_true(answer, STR("not_served")))
        return false;
    *out = answer;
    return true;
}

/* The answer of the server with this state folder that has the vault; NULL: there is none.
 * A server that was asked and did not answer counts as one. */
static bool ask_servers(struct cli *c, const struct cli_common *o,
                        const struct proposed_request *r, const struct json **out,
                        struct err *err)
{
    str state = settings_state_dir(c->arena, o->state_dir);
    str folder = arena_printf(c->arena, STR_FMT "/" OPS_FOLDER, STR_ARG(state));
    struct folder_names names = folder_names(FILE_CWD, folder.p);
    struct err why = {0};
    *out = NULL;
    for (const char *name; *out == NULL && (name = folder_next(&names)) != NULL;)
        if (str_ends(str_c(name), STR(OPS_SUFFIX)) &&
            !ask_server(c, arena_printf(c->arena, STR_FMT "/%s", STR_ARG(folder), name),
                        r, out, &why) &&
            why.code != ERR_NONE && why.code != ERR_NOT_FOUND)
            break;
    folder_end(&names);
    if (*out != NULL || why.code == ERR_NONE || why.code == ERR_NOT_FOUND)
        return true;
    *err = why;
    return false;
}

/* --- this process --- */

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
    if (!store_find(where, out, err))
        return err->code == ERR_NOT_FOUND
                   ? err_set(err, ERR_NOT_FOUND, "there are no proposals")
                   : false;
    if (!decides)
        return true;
    store_close(*out);
    return store_open(where, out, err);
}

static bool open_place(struct cli *c, const struct cli_common *o, bool decides,
                       struct proposed_place *out, struct err *err)
{
    str url = o->state_db, state = settings_state_dir(c->arena, o->state_dir), name;
    if (!state_settings_read(c->arena, &url, o->state_db_file, false, err) ||
        !shared_name(c, o, &name, err))
        return false;
    const char *where =
        url.n > 0 ? url.p : arena_printf(c->arena, STR_FMT "/oauth.db", STR_ARG(state)).p;
    str key =
        vault_state_look(c->arena, state.p, str_c(vault_folder(c->vault)), c->identity);
    *out = (struct proposed_place){
        .vault = proposals_vault(c->arena, key, c->identity, url.n > 0 ? &name : NULL),
        .open = c->vault,
        .now = clock_now()};
    return open_store(where, decides, &out->store, err);
}

static bool write_answer(struct cli *c, const struct proposed_place *p,
                         const struct proposed_request *r, struct jsonw *w,
                         struct err *err)
{
    if (r->verb != PROPOSED_LIST)
        return proposed_answer(w, c->arena, p, STR(""), r, err);
    jsonw_object(w);
    jsonw_put_array(w, STR("proposals"));
    if (!proposed_put_list(w, c->arena, p, STR(""), err))
        return false;
    jsonw_end(w);
    jsonw_end(w);
    return true;
}

static bool answer_here(struct cli *c, const struct cli_common *o,
                        const struct proposed_request *r, const struct json **out,
                        struct err *err)
{
    struct proposed_place place = {0};
    struct sbuf text = SBUF_ON(c->arena);
    struct jsonw w = JSONW_ON(&text);
    if (r->verb == PROPOSED_LINK)
        return err_set(err, ERR_NOT_FOUND,
                       "no server with a page is running with this state folder: start "
                       "vaultd serve, or give its --state-dir");
    if ((c->vault == NULL && !cli_open_chosen(c, o, err)) ||
        !open_place(c, o, r->verb == PROPOSED_DECIDE, &place, err)) {
        if (err->code != ERR_NOT_FOUND || r->verb != PROPOSED_LIST || c->vault == NULL)
            return false;
        return json_parse(c->arena, STR("{\"proposals\":[]}"), out, err);
    }
    bool ok = write_answer(c, &place, r, &w, err);
    store_close(place.store);
    return ok && json_parse(c->arena, sbuf_str(&text), out, err);
}

/* --- either --- */

static bool ask_about(struct cli *c, const struct cli_common *o,
                      struct proposed_request *r, const struct json **out,
                      struct err *err)
{
    str folder;
    struct err no_vault;
    r->vault = o->vault;
    r->decision.by = cli_actor(c).who;
    if (o->vault.n == 0 && cli_choose_folder(c, o, &folder, &no_vault) && folder.n > 0)
        r->folder = vault_config_real(c->arena, folder);
    if (!ask_servers(c, o, r, out, err))
        return false;
    if (*out != NULL)
        return !proposed_read_error(*out, err);
    return answer_here(c, o, r, out, err);
}

static void print_json_answer(struct cli *c, const struct json *answer)
{
    struct cli_json json;
    jsonw_value(cli_json_begin(c, &json), answer);
    cli_json_print(c, &json);
}

/* --- proposals --- */

static const struct option proposals_table[] = {
    CLI_SWITCH(struct proposals_options, link, "link",
               "Print a link with which a browser on this machine can decide"),
    CLI_COMMON};

static bool print_link(struct cli *c, const struct cli_common *o, struct err *err)
{
    struct proposed_request r = {.verb = PROPOSED_LINK};
    const struct json *answer;
    if (!ask_about(c, o, &r, &answer, err))
        return false;
    if (c->json)
        print_json_answer(c, answer);
    else
        term_printf(&c->out, TERM_PLAIN, STR_FMT "\n",
                    STR_ARG(json_get_str(answer, STR("link"))));
    return true;
}

static bool run_proposals(struct cli *c, const void *options, struct err *err)
{
    const struct proposals_options *o = options;
    struct proposed_request r = {.verb = c->words.n > 0 ? PROPOSED_SHOW : PROPOSED_LIST};
    const struct json *answer;
    if (o->link)
        return print_link(c, &o->common, err);
    if (c->words.n > 0)
        r.decision.id = c->words.items[0];
    if (!ask_about(c, &o->common, &r, &answer, err))
        return false;
    if (c->json)
        print_json_answer(c, answer);
    else if (c->words.n > 0)
        proposals_show(c, answer);
    else
        proposals_show_list(c, answer);
    return true;
}

const struct cli_verb cli_proposals = {
    .name = "proposals",
    .arguments = "[ID]",
    .about = "List the changes that clients have proposed, or show what one would do",
    .help =
        "  vaultd proposals                 which there are, and their outcome\n"
        "  vaultd proposals 5f0c31a2b4d6    what one would do, hunk by hunk\n"
        "  vaultd proposals --link          to decide in a browser\n\n"
        "vaultd accept ID makes one, vaultd reject ID refuses it. A running server is\n"
        "asked through its socket in the state folder.\n",
    .options = proposals_table,
    .options_size = sizeof(struct proposals_options),
    .words_max = 1,
    .changes = true,
    .no_vault = true,
    .run = run_proposals,
};

/* --- deciding --- */

static str decided_line(struct cli *c, const struct json *row)
{
    int64_t change = 0, merged = 0;
    str state = json_get_str(row, STR("state")),
        choice = json_get_str(row, STR("accepted"));
    (void)json_int(json_get(row, STR("change")), &change);
    (void)json_int(json_get(row, STR("merged")), &merged);
    if (str_eq(state, STR("rejected")))
        return STR("rejected\n");
    bool partly = !str_eq(state, STR("accepted"));
    str part = partly ? arena_printf(c->arena, " in part (" STR_FMT ")", STR_ARG(choice))
                      : STR("");
    if (change == 0)
        return arena_printf(c->arena,
                            "accepted" STR_FMT "; the notes were like that already\n",
                            STR_ARG(part));
    return arena_printf(c->arena, "accepted" STR_FMT " as change %lld%s\n", STR_ARG(part),
                        (long long)change,
                        merged > 0 ? ", merged with what was changed meanwhile" : "");
}

static bool proposals_decide(struct cli *c, const struct cli_common *o,
                             struct proposed_request *r, struct err *err)
{
    const struct json *answer;
    r->verb = PROPOSED_DECIDE;
    if (!ask_about(c, o, r, &answer, err))
        return false;
    if (c->json)
        print_json_answer(c, answer);
    else
        term_put(&c->out, TERM_GOOD, decided_line(c, answer));
    return true;
}

/* What has changed since it was shown is shown again. */
static bool decide_by_hunk(struct cli *c, const struct cli_common *o, str id, str reason,
                           struct err *err)
{
    for (int i = 0;; i++) {
        struct proposed_request r = {.verb = PROPOSED_SHOW, .decision = {.id = id}};
        const struct json *shown;
        bool decided;
        if (!ask_about(c, o, &r, &shown, err))
            return false;
        if (json_get(shown, STR("files")) == NULL) {
            proposals_show(c, shown);
            return true;
        }
        r.decision.reason = reason;
        if (!proposals_patch(c, shown, &r.decision, &decided, err))
            return false;
        if (!decided || proposals_decide(c, o, &r, err))
            return true;
        if (err->name != E_STALE || i == PATCH_TRIES)
            return false;
        term_printf(&c->out, TERM_WARN, "%s\n", err->msg);
    }
}

/* --- accept --- */

static const struct option accept_table[] = {
    CLI_SWITCH(struct proposals_options, patch, "patch", "Ask about each hunk",
               .letter = 'p'),
    OPTION(struct proposals_options, hunks, OPTION_STR, "hunks", NULL, NULL, "LIST",
           "Only these: 2 is the second file, 2.3 its third hunk"),
    OPTION(struct proposals_options, reason, OPTION_STR, "reason", NULL, NULL, "TEXT",
           "Why the rest is rejected"),
    OPTION(struct proposals_options, seen, OPTION_STR, "seen", NULL, NULL, "DIGEST",
           "Only if nothing has changed since it was shown with --json"),
    CLI_COMMON};

static bool run_accept(struct cli *c, const void *options, struct err *err)
{
    const struct proposals_options *o = options;
    str id = c->words.items[0];
    bool parts = c->words.n > 1 || o->hunks.n > 0;
    if ((c->words.n > 1 && o->hunks.n > 0) || (o->patch && (parts || c->json)))
        return err_set(err, ERR_INVALID,
                       "give either files, or --hunks, or --patch, which asks on a "
                       "terminal");
    if (o->patch)
        return decide_by_hunk(c, &o->common, id, o->reason, err);
    struct proposed_request r = {.decision = {.id = id,
                                              .choice = o->hunks,
                                              .files = c->words.items + 1,
                                              .n_files = c->words.n - 1,
                                              .seen = o->seen,
                                              .reason = o->reason}};
    return proposals_decide(c, &o->common, &r, err);
}

const struct cli_verb cli_accept = {
    .name = "accept",
    .arguments = "ID [FILE...]",
    .about = "Accept a proposal: make its change, or only a part of it",
    .help = "  vaultd accept 5f0c31a2b4d6                  all of it\n"
            "  vaultd accept 5f0c31a2b4d6 Work/Plan.md     the rest is rejected\n"
            "  vaultd accept 5f0c31a2b4d6 --hunks 1,2.3    by number\n"
            "  vaultd accept -p 5f0c31a2b4d6               asks about each hunk\n\n"
            "Files that have changed meanwhile are merged. If one cannot be, nothing is\n"
            "changed. vaultd undo undoes it like any change.\n",
    .options = accept_table,
    .options_size = sizeof(struct proposals_options),
    .words_min = 1,
    .words_max = 1000,
    .changes = true,
    .no_vault = true,
    .run = run_accept,
};

/* --- reject --- */

static const struct option reject_table[] = {CLI_COMMON};

static bool run_reject(struct cli *c, const void *options, struct err *err)
{
    struct proposed_request r = {
        .decision = {.id = c->words.items[0], .choice = STR("none")}};
    c->words.items++;
    c->words.n--;
    r.decision.reason = cli_joined(c);
    return proposals_decide(c, options, &r, err);
}

const struct cli_verb cli_reject = {
    .name = "reject",
    .arguments = "ID [REASON]",
    .about = "Reject a proposal, with a reason",
    .help = "  vaultd reject 5f0c31a2b4d6 not in this folder\n",
    .options = reject_table,
    .options_size = sizeof(struct cli_common),
    .words_min = 1,
    .words_max = 1000,
    .changes = true,
    .no_vault = true,
    .run = run_reject,
};
