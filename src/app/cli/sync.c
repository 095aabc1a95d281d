#include "sync/sync.h"
#include "app/answers/term.h"
#include "app/answers/term_progress.h"
#include "app/cli/cli.h"
#include "app/cli/resolve.h"
#include "app/cli/status.h"
#include "app/cli/verbs.h"
#include "app/setup/settings.h"
#include "app/setup/sync_settings.h"
#include "app/setup/syncing.h"
#include "app/setup/vault_config.h"
#include "app/setup/vault_state.h"
#include "base/clock.h"
#include "base/os/file.h"
#include "base/os/folder.h"
#include "base/os/interrupt.h"
#include "vault/vault.h"

struct options {
    struct cli_common common;
    struct settings_sync sync;
    int keep; /* enum resolve_keep */
    bool dry_run;
};

static const struct option table[] = {
    SETTINGS_SYNC(struct options),
    OPTION(struct options, keep, OPTION_CHOICE, "keep", NULL, "ask", "VERSION",
           "For resolve: mine, theirs, or the lines of both; ask: on a terminal",
           .choices = resolve_keeps, .heading = "Conflicts"),
    CLI_SWITCH(struct options, dry_run, "dry-run",
               "For resolve: show what would change, and change nothing"),
    CLI_COMMON,
};

static bool is_status(const struct cli *c)
{
    return c->words.n == 1 && str_eq(c->words.items[0], STR("status"));
}

static bool is_resolve(const struct cli *c)
{
    return c->words.n > 0 && str_eq(c->words.items[0], STR("resolve"));
}

/* --- status --- */

static void cli_sync_put_line(struct cli *c, const char *what, str text)
{
    enum { LABEL = 14 };
    term_labelled(&c->out, what, LABEL, text);
}

static void cli_sync_put_member(struct cli *c, const struct json *state, str key,
                                const char *what)
{
    const struct json *j = json_get(state, key);
    str text;
    int64_t n;
    if (json_str(j, &text))
        cli_sync_put_line(c, what, term_when_iso(&c->out, text));
    else if (json_int(j, &n))
        cli_sync_put_line(c, what, arena_printf(c->arena, "%lld", (long long)n));
}

/* Whether the remote version, which is a file of the vault, is still there: deleting it says
 * that the conflict is solved, also if nothing was synced since. */
static bool is_open_conflict(struct cli *c, str folder, str theirs)
{
    return file_exists(
        arena_printf(c->arena, STR_FMT "/" STR_FMT, STR_ARG(folder), STR_ARG(theirs)).p);
}

static void put_lists(struct cli *c, str folder, const struct json *state)
{
    const struct json *conflicts = json_get(state, STR("conflicts"));
    const struct json *notices = json_get(state, STR("notices"));
    str path = {0}, theirs = {0}, notice;
    for (const struct json *j = conflicts != NULL ? conflicts->child : NULL; j != NULL;
         j = j->next) {
        json_str(json_get(j, STR("path")), &path);
        json_str(json_get(j, STR("theirs")), &theirs);
        if (!is_open_conflict(c, folder, theirs))
            continue;
        term_printf(&c->out, TERM_WARN,
                    "conflict: " STR_FMT
                    " changed on both sides (vaultd sync resolve shows "
                    "both); the remote version is in " STR_FMT "\n",
                    STR_ARG(path), STR_ARG(theirs));
    }
    for (const struct json *j = notices != NULL ? notices->child : NULL; j != NULL;
         j = j->next)
        if (json_str(j, &notice))
            term_printf(&c->out, TERM_WARN, STR_FMT "\n", STR_ARG(notice));
}

static void put_state(struct cli *c, str folder, const struct json *state)
{
    static const struct {
        str key;
        const char *what;
    } members[] = {{STR("kind"), "synced by"},
                   {STR("remote"), "remote"},
                   {STR("branch"), "branch"},
                   {STR("ahead"), "to push"},
                   {STR("behind"), "to pull"},
                   {STR("waiting"), "to commit"},
                   {STR("running_since"), "running since"},
                   {STR("last_try"), "last attempt"},
                   {STR("last_success"), "last success"},
                   {STR("last_error"), "last error"}};
    for (size_t i = 0; i < COUNT_OF(members); i++)
        cli_sync_put_member(c, state, members[i].key, members[i].what);
    put_lists(c, folder, state);
}

/* The status of a hosted vault is where the server keeps it. */
static const char *state_of(struct cli *c)
{
    return vault_config_sync_state(c->arena, &c->vaults);
}

static str key_of(struct cli *c, const struct cli_common *o, const char *folder,
                  str identity)
{
    return vault_state_look(c->arena, settings_state_dir(c->arena, o->state_dir).p,
                            str_c(folder), identity);
}

static bool cli_sync_show(struct cli *c, const struct options *o, struct err *err)
{
    const struct json *state;
    str text;
    if (!syncing_saved(c->arena,
                       key_of(c, &o->common, vault_folder(c->vault), c->identity),
                       state_of(c), &text, err))
        return false;
    if (c->json) {
        term_json(&c->out, text);
        return true;
    }
    if (!json_parse(c->arena, text, &state, err))
        return false;
    put_state(c, str_c(vault_folder(c->vault)), state);
    return true;
}

/* --- the status of all vaults --- */

struct all_status {
    struct cli *cli;
    const struct cli_common *common;
    const char *state_dir;
    const struct json *servers[STATUS_SERVERS_MAX];
    size_t n_servers;
    bool hosted;     /* so they are open only while they are used */
    struct jsonw *w; /* NULL: for people */
};

/* Whether a server has it open. */
static bool is_open(const struct all_status *s, const struct configured_vault *entry)
{
    for (size_t i = 0; i < s->n_servers; i++) {
        const struct json *vaults = json_get(s->servers[i], STR("vaults"));
        for (const struct json *v = vaults != NULL ? vaults->child : NULL; v != NULL;
             v = v->next)
            if (str_eq(json_get_str(v, STR("folder")), entry->folder))
                return true;
    }
    return false;
}

/* NULL: it has never been synced. */
static const struct json *saved_state(const struct all_status *s,
                                      const struct configured_vault *entry)
{
    struct cli *c = s->cli;
    const struct json *state;
    struct err ignored;
    str text;
    str key = key_of(c, s->common, arena_str(c->arena, entry->folder).p, entry->identity);
    return syncing_saved(c->arena, key, s->state_dir, &text, &ignored) &&
                   json_parse(c->arena, text, &state, &ignored)
               ? state
               : NULL;
}

static void put_vault_json(const struct all_status *s,
                           const struct configured_vault *entry, const struct json *state)
{
    jsonw_object(s->w);
    jsonw_put_str(s->w, STR("vault"), entry->name);
    if (s->hosted)
        jsonw_put_bool(s->w, STR("open"), is_open(s, entry));
    if (state != NULL)
        jsonw_put_value(s->w, STR("sync"), state);
    jsonw_end(s->w);
}

static void put_vault_lines(const struct all_status *s,
                            const struct configured_vault *entry,
                            const struct json *state)
{
    struct cli *c = s->cli;
    term_printf(&c->out, TERM_PLAIN, STR_FMT "%s\n", STR_ARG(entry->name),
                s->hosted && !is_open(s, entry) ? " (closed)" : "");
    if (state != NULL)
        put_state(c, entry->folder, state);
    else
        cli_sync_put_line(c, "synced by", STR("nothing yet"));
}

static bool show_all(struct cli *c, const struct options *o, struct err *err)
{
    struct all_status s = {.cli = c,
                           .common = &o->common,
                           .state_dir = state_of(c),
                           .hosted = c->vaults.dir.n > 0};
    struct configured_vaults list;
    struct cli_json json;
    if (!vault_config_read(c->arena, &c->vaults, &list, err))
        return false;
    s.n_servers = status_servers(c->arena, o->common.state_dir, s.servers);
    s.w = c->json ? cli_json_begin(c, &json) : NULL;
    if (c->json) {
        jsonw_object(s.w);
        jsonw_put_array(s.w, STR("vaults"));
    }
    for (size_t i = 0; i < list.n; i++) {
        const struct configured_vault *entry = &list.items[i];
        const struct json *state = saved_state(&s, entry);
        if (c->json)
            put_vault_json(&s, entry, state);
        else
            put_vault_lines(&s, entry, state);
    }
    if (c->json) {
        jsonw_end(s.w);
        jsonw_end(s.w);
        cli_json_print(c, &json);
    }
    return true;
}

/* --- syncing --- */

struct sync_wait {
    struct term_progress line;
    const atomic_bool *stop;
};

static bool tick(void *arg)
{
    struct sync_wait *b = arg;
    term_progress_show(&b->line, 0, 0);
    return atomic_load(b->stop);
}

/* The settings without a remote, with that of the last sync, if that went well and its URL has
 * no secret. */
static void use_known_remote(struct cli *c, const struct options *o, const char *folder,
                             struct settings_sync *s)
{
    const struct json *state;
    struct err ignored;
    str text, remote = {0};
    if (!syncing_saved(c->arena, key_of(c, &o->common, folder, c->identity), state_of(c),
                       &text, &ignored) ||
        !json_parse(c->arena, text, &state, &ignored) ||
        !str_eq(json_get_str(state, STR("kind")), STR("git")) ||
        !json_str(json_get(state, STR("remote")), &remote) ||
        json_get(state, STR("last_error")) != NULL ||
        str_find_char(remote, '*') != STR_NONE)
        return;
    s->git_remote = remote;
    term_printf(&c->notes, TERM_PLAIN, "Syncing with " STR_FMT ", as the last time\n",
                STR_ARG(remote));
    term_flush(&c->notes);
}

static bool cli_sync_prepare(struct cli *c, const void *options, const char *folder,
                             struct err *err)
{
    const struct options *o = options;
    struct settings_sync s = o->sync;
    enum sync_kind kind;
    c->sync = ARENA_NEW(c->arena, struct syncing);
    if (c->words.n > 0 && !is_status(c) && !is_resolve(c))
        return err_set(err, ERR_INVALID,
                       "usage: vaultd sync [status], vaultd sync resolve [NOTE]");
    if (is_status(c) || (is_resolve(c) && !c->all))
        return true;
    if (c->all)
        return err_set(err, ERR_INVALID,
                       "vaultd sync works on one vault: choose it with --vault");
    if (c->remote.n > 0)
        s = sync_settings_hosted(&s, c->remote);
    if (!sync_settings_kind(&s, &kind, err))
        return false;
    if (kind == SYNC_NONE) {
        use_known_remote(c, o, folder, &s);
        if (!sync_settings_kind(&s, &kind, err))
            return false;
    }
    if (kind == SYNC_NONE)
        return err_set(err, ERR_INVALID,
                       "sync is not configured: give --git-remote, --sync git or "
                       "--sync-command, or set GIT_REMOTE or SYNC_COMMAND");
    str state = settings_state_dir(c->arena, o->common.state_dir);
    if (c->identity.n > 0)
        c->sync->state_key =
            vault_state_key(c->arena, state.p, str_c(folder), c->identity).p;
    c->sync->stop = interrupt_begin();
    struct term_busy *busy = term_busy_begin(
        folder_exists(folder) ? "Looking at the repository" : "Cloning the vault");
    bool ok = syncing_prepare(c->sync, c->arena, &s, folder, state_of(c), err);
    term_busy_end(busy);
    interrupt_end();
    c->sync->config.git.counts = true;
    return ok;
}

/* "Pulled 2 commits, which changed 3 files; pushed 1 commit" */
static void say_exchanged(struct cli *c)
{
    struct sync_state s;
    struct sbuf out = SBUF_ON(c->arena);
    sync_state(c->sync->sync, c->arena, &s);
    if (c->json || s.kind != SYNC_GIT)
        return;
    if (s.pulled > 0)
        sbuf_printf(&out, "Pulled " STR_FMT ", which changed " STR_FMT,
                    STR_ARG(term_count(&c->out, (size_t)s.pulled, "commit", "commits")),
                    STR_ARG(term_count(&c->out, s.changed, "file", "files")));
    if (s.pushed > 0)
        sbuf_printf(&out, "%s" STR_FMT, out.n > 0 ? "; pushed " : "Pushed ",
                    STR_ARG(term_count(&c->out, (size_t)s.pushed, "commit", "commits")));
    if (out.n == 0)
        sbuf_add(&out, STR("Nothing to pull or push"));
    term_printf(&c->out, TERM_GOOD, STR_FMT "\n", STR_ARG(sbuf_str(&out)));
}

static bool cli_sync_run(struct cli *c, const void *options, struct err *err)
{
    struct sync_wait bar = {.line = term_progress_begin("Syncing", "")};
    const struct options *o = options;
    if (is_resolve(c))
        return resolve_run(c, c->words.n > 1 ? c->words.items[1] : STR(""),
                           (enum resolve_keep)o->keep, o->dry_run, err);
    if (is_status(c))
        return c->all ? show_all(c, options, err) : cli_sync_show(c, options, err);
    if (!syncing_start(c->sync, c->vault, err))
        return false;
    bar.stop = interrupt_begin();
    bool ok = sync_wait(c->sync->sync, tick, &bar, err);
    term_progress_end(&bar.line);
    if (ok)
        say_exchanged(c);
    else if (atomic_load(bar.stop))
        term_progress_say(&bar.line,
                          STR("stopped: what was pulled or committed is kept, and the "
                              "next sync continues there"));
    syncing_stop(c->sync, clock_ms() + SYNC_STOP_PUSH_MS);
    interrupt_end();
    return ok && cli_sync_show(c, options, err);
}

const struct cli_verb cli_sync = {
    .name = "sync",
    .arguments = "[status|resolve [NOTE]]",
    .about = "Sync the vault with its remote now, show the status, or solve conflicts",
    .help = "Local changes are committed and pushed, and remote changes are pulled. A "
            "running\n"
            "server does the same by itself; status shows that, too.\n\n"
            "  vaultd sync --git-remote git@example.org:me/notes.git\n"
            "  vaultd sync                        with the remote of the last sync\n"
            "  vaultd sync --sync git             with that of the vault's repository\n"
            "  vaultd sync --vault team           a hosted vault, with its own remote\n"
            "  vaultd sync status --json\n"
            "  vaultd sync status --vault '*'     of all vaults, and which are closed\n"
            "  vaultd sync resolve                shows both versions and asks\n"
            "  vaultd sync resolve Plan --keep theirs\n",
    .options = table,
    .options_size = sizeof(struct options),
    .words_max = 2,
    .takes_all = true,
    .changes = true,
    .prepare = cli_sync_prepare,
    .run = cli_sync_run,
};
