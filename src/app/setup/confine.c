#include "app/setup/confine.h"

#include "app/setup/app.h"
#include "app/setup/audit.h"
#include "app/setup/callers.h"
#include "app/setup/endpoint.h"
#include "app/setup/pdf_pages.h"
#include "app/setup/settings.h"
#include "app/setup/sync_settings.h"
#include "app/setup/syncing.h"
#include "app/setup/vaults.h"
#include "base/array.h"
#include "base/err.h"
#include "base/log.h"
#include "base/os/file.h"
#include "base/os/machine.h"
#include "base/os/self.h"
#include "base/os/thread.h"
#include "base/path.h"
#include "base/spawn.h"
#include "base/system_path.h"
#include "fetch/fetch.h"
#include "fetch/url.h"
#include "http/address.h"
#include "pdf/pdf.h"
#include "state/postgres.h"
#include "sync/config.h"
#include "vault/vault.h"

enum { PORTS_MAX = 2, PEERS_MAX = 3 + PG_HOSTS_MAX, LINK_MAX = 4096 };

enum { PORT_DNS = 53 };

struct rules {
    struct sandbox_rule *list;
    size_t n;
};

struct needs {
    struct app *app;
    struct arena arena;
    struct rules own, programs; /* those of the programs are a part of our own */
    bool tools;                 /* git or others: programs that work for us */
    bool pdf;                   /* programs that read PDF files */
    uint16_t ports[PORTS_MAX], peers[PEERS_MAX];
    struct sandbox request;
};

static void rules_add(struct needs *n, struct rules *to, str path, unsigned rights)
{
    if (path.n > 0)
        *ARRAY_ADD(&n->arena, to->list, to->n) =
            (struct sandbox_rule){arena_str(&n->arena, path).p, rights};
}

static void confine_add(struct needs *n, str path, unsigned rights)
{
    rules_add(n, &n->own, path, rights);
}

/* What programs that we start need, too. */
static void confine_share(struct needs *n, str path, unsigned rights)
{
    rules_add(n, &n->own, path, rights);
    rules_add(n, &n->programs, path, rights);
}

/* A file that is read again later and may have been replaced by then: allow its whole
 * folder, unless that is a folder with many other things. */
static str replaceable(struct needs *n, str file)
{
    if (file.n == 0)
        return file;
    str folder = system_path_folder(file);
    bool crowded = system_path_is_root(folder) || str_eq(folder, STR(".")) ||
                   str_eq(folder, STR("/etc")) || str_eq(folder, machine_home(&n->arena));
    return crowded ? file : folder;
}

/* --- what every program needs --- */

static const char *const libraries[] = {"/usr",   "/bin", "/sbin", "/lib", "/lib32",
                                        "/lib64", "/opt", "/nix",  "/gnu"};

static const struct sandbox_rule system_places[] = {
    {"/proc", SANDBOX_READ}, /* Landlock keeps the secrets of other processes */
    {"/sys/devices/system/cpu", SANDBOX_READ},
    {"/dev/null", SANDBOX_READ | SANDBOX_USE},
    {"/dev/zero", SANDBOX_READ},
    {"/dev/random", SANDBOX_READ},
    {"/dev/urandom", SANDBOX_READ},
    {"/run/systemd/resolve", SANDBOX_READ},
    {"/run/resolvconf", SANDBOX_READ},
    {"/run/NetworkManager", SANDBOX_READ},
};

/* Root can read everything in /etc, so it gets only these. Other users get all of /etc,
 * because some of these files are replaced when the network changes. */
static const char *const etc[] = {
    "/etc/localtime",     "/etc/timezone",        "/etc/resolv.conf",
    "/etc/hosts",         "/etc/host.conf",       "/etc/gai.conf",
    "/etc/nsswitch.conf", "/etc/services",        "/etc/protocols",
    "/etc/passwd",        "/etc/group",           "/etc/ld.so.cache",
    "/etc/ld.so.preload", "/etc/ssl/certs",       "/etc/ssl/openssl.cnf",
    "/etc/pki/tls/certs", "/etc/pki/ca-trust",    "/etc/ca-certificates",
    "/etc/gnutls",        "/etc/crypto-policies",
};

static void add_system(struct needs *n)
{
    unsigned rights = n->tools ? SANDBOX_RUN : SANDBOX_READ;
    for (size_t i = 0; i < COUNT_OF(libraries); i++)
        confine_share(n, str_c(libraries[i]), rights);
    for (size_t i = 0; i < COUNT_OF(system_places); i++)
        confine_share(n, str_c(system_places[i].path), system_places[i].rights);
    if (!machine_is_root())
        confine_share(n, STR("/etc"), SANDBOX_READ);
    for (size_t i = 0; machine_is_root() && i < COUNT_OF(etc); i++)
        confine_share(n, str_c(etc[i]), SANDBOX_READ);
    confine_share(n, str_c(self_variable("SSL_CERT_FILE")), SANDBOX_READ);
    confine_share(n, str_c(self_variable("SSL_CERT_DIR")), SANDBOX_READ);
}

/* --- git --- */

static void add_programs(struct needs *n)
{
    str path = str_c(self_variable("PATH")), folder;
    while (system_path_next(&n->arena, &path, &folder))
        confine_share(n, folder, SANDBOX_RUN);
}

/* For a work tree, also the repository to which it belongs. */
static void add_repository(struct needs *n, const char *folder)
{
    str text;
    struct err err;
    if (folder == NULL)
        return;
    confine_share(n, str_c(folder), SANDBOX_CHANGE);
    str common = arena_printf(&n->arena, "%s/commondir", folder);
    if (!fs_read_file(&n->arena, common, LINK_MAX, &text, &err))
        return;
    text = str_trim_line(text);
    confine_share(n,
                  system_path_is_absolute(text)
                      ? text
                      : arena_printf(&n->arena, "%s/" STR_FMT, folder, STR_ARG(text)),
                  SANDBOX_CHANGE);
}

/* A remote on this machine is a folder. Without --git-ssh-key, ssh looks for the user's
 * keys. */
static void add_remote(struct needs *n, str url)
{
    bool key = n->app->settings.sync.git_ssh_key.n > 0;
    str here = system_path_of_url(url);
    bool ssh = str_starts(url, STR("ssh://")) ||
               (str_find(url, STR("://")) == STR_NONE && here.n == 0);
    confine_share(n, here, SANDBOX_CHANGE);
    struct machine_account me;
    if (ssh && !key && url.n > 0 && machine_find_account(&n->arena, machine_user(), &me))
        confine_share(n, path_join(&n->arena, me.home, STR(".ssh")), SANDBOX_READ);
}

/* git's own files are in the state folder, where nothing else concerns it: it must not
 * read who may sign in. It reads the notes; only we write them. */
static void add_work(struct needs *n, const struct sync_config *config)
{
    const char *home;
    struct err ignored;
    if (!sync_home(&n->arena, config, &home, &ignored))
        return;
    rules_add(n, &n->programs, str_c(config->vault_folder), SANDBOX_READ);
    rules_add(n, &n->programs, str_c(home), SANDBOX_CHANGE | SANDBOX_RUN);
}

static void add_synced(struct needs *n, const struct syncing *sync)
{
    if (!syncing_is_on(sync))
        return;
    add_work(n, &sync->config);
    add_repository(n, sync->found.repository);
    add_remote(n, sync->found.remote);
}

static bool is_in_top(const struct app_vault *v)
{
    return path_is_or_below(vaults_top(v->app), vaults_folder(v));
}

/* Vaults may be added and cloned later, so git gets the folder of all of them, and that of
 * its own files about them. */
static void add_hosted_git(struct needs *n)
{
    struct app_vault **vaults;
    size_t count = vaults_seen(n->app, &n->arena, &(struct mcp_caller){0}, &vaults);
    rules_add(n, &n->programs, vaults_top(n->app), SANDBOX_CHANGE);
    rules_add(n, &n->programs, str_c(vaults_git_state(&n->arena, n->app)),
              SANDBOX_CHANGE | SANDBOX_RUN);
    for (size_t i = 0; i < count; i++) {
        if (!is_in_top(vaults[i]))
            rules_add(n, &n->programs, vaults_folder(vaults[i]), SANDBOX_CHANGE);
        add_remote(n, vaults_remote(vaults[i]));
    }
}

static void add_git(struct needs *n)
{
    const struct settings_sync *s = &n->app->settings.sync;
    const char *adr = app_adr_folder(&n->arena, n->app);
    add_programs(n);
    for (size_t i = 0; i < n->app->n_vaults; i++)
        add_synced(n, &n->app->vaults[i].sync);
    if (n->app->hosted != NULL)
        add_hosted_git(n);
    if (adr != NULL) {
        add_work(n, &(struct sync_config){.vault_folder = adr,
                                          .state_folder = n->app->state_dir});
        rules_add(n, &n->programs, str_c(adr), SANDBOX_CHANGE); /* its clone is there */
    }
    add_remote(n, n->app->settings.adr_repo);
    confine_share(n, replaceable(n, s->git_token_file), SANDBOX_READ);
    confine_share(n, replaceable(n, s->git_known_hosts), SANDBOX_READ);
    confine_share(n, s->git_ssh_key, SANDBOX_READ);
    confine_share(n, s->git_ca_file, SANDBOX_READ);
}

/* --- PDF --- */

/* The programs get nothing else; see pdf_confine(). */
static void add_pdf(struct needs *n)
{
    const struct sandbox_rule *rules;
    size_t count = pdf_needs(&n->arena, &rules);
    for (size_t i = 0; i < count; i++)
        confine_add(n, str_c(rules[i].path), rules[i].rights);
}

/* --- vaults, state and addresses --- */

/* The folder of all of them, and those elsewhere that are known by now. */
static void add_hosted(struct needs *n)
{
    struct app_vault **vaults;
    size_t count = vaults_seen(n->app, &n->arena, &(struct mcp_caller){0}, &vaults);
    confine_add(n, vaults_top(n->app), SANDBOX_CHANGE);
    for (size_t i = 0; i < count; i++)
        if (!is_in_top(vaults[i]))
            confine_add(n, vaults_folder(vaults[i]), SANDBOX_CHANGE);
}

static void add_vaults(struct needs *n)
{
    const struct app *app = n->app;
    for (size_t i = 0; i < app->n_vaults; i++) {
        const struct app_vault *v = &app->vaults[i];
        bool changes = !app->access.read_only || syncing_is_on(&v->sync);
        confine_add(n, str_c(vault_folder(v->vault)),
                    changes ? SANDBOX_CHANGE : SANDBOX_READ);
    }
    if (app->hosted != NULL)
        add_hosted(n);
    /* git runs a script there to get credentials */
    confine_add(n, str_c(app->state_dir), SANDBOX_CHANGE | (n->tools ? SANDBOX_RUN : 0));
}

static void add_address(struct needs *n, str text)
{
    struct net_address address;
    struct err err;
    if (text.n == 0 || !http_address_parse(text, &address, &err))
        return;
    if (address.kind == NET_UNIX)
        confine_add(n, system_path_folder(str_skip(text, 5)), SANDBOX_SOCKET);
    else
        n->ports[n->request.n_ports++] = address.port;
}

static void add_served(struct needs *n)
{
    const struct settings *s = &n->app->settings;
    confine_add(n, replaceable(n, s->auth_users_file), SANDBOX_READ);
    confine_add(n, replaceable(n, s->oauth_clients_file), SANDBOX_READ);
    confine_add(n, replaceable(n, s->sync.webhook_secret_file), SANDBOX_READ);
    add_address(n, s->listen_addr);
    add_address(n, s->ops_addr);
}

/* Landlock knows ports, not hosts. Names are also looked up over TCP, if answers are long;
 * the port of a proxy is not known. */
static void add_endpoint(struct needs *n)
{
    struct url url;
    if (!endpoint_url(&n->app->settings.embeddings, &url))
        return;
    n->request.connects |= url.https && fetch_has_proxy();
    n->peers[n->request.n_peers++] = url.port;
    n->peers[n->request.n_peers++] = PORT_DNS;
}

/* The database is connected to again later: its address, and what libpq reads. */
static void add_database(struct needs *n)
{
    str url = n->app->settings.state_db, home = machine_home(&n->arena);
    struct pg_host hosts[PG_HOSTS_MAX];
    str files[PG_FILES_MAX];
    size_t count, n_files;
    struct err ignored;
    if (url.n == 0 || !pg_hosts(&n->arena, url.p, hosts, &count, &ignored) ||
        !pg_files(&n->arena, url.p, files, &n_files, &ignored))
        return;
    for (size_t i = 0; i < count; i++)
        if (str_starts(hosts[i].name, STR("/")))
            confine_add(n, hosts[i].name, SANDBOX_READ | SANDBOX_USE);
        else
            n->peers[n->request.n_peers++] = (uint16_t)hosts[i].port;
    n->peers[n->request.n_peers++] = PORT_DNS;
    for (size_t i = 0; i < n_files; i++)
        confine_add(n, replaceable(n, files[i]), SANDBOX_READ);
    if (home.n == 0)
        return;
    confine_add(n, arena_printf(&n->arena, STR_FMT "/.pgpass", STR_ARG(home)),
                SANDBOX_READ);
    confine_add(n, arena_printf(&n->arena, STR_FMT "/.postgresql", STR_ARG(home)),
                SANDBOX_READ);
}

/* --- */

/* Whether clients sign in: then client metadata and documents of sign-in providers are
 * fetched. */
static bool signs_in(const struct needs *n)
{
    const struct settings *s = &n->app->settings;
    return !s->stdio && s->signs_in;
}

/* Whether one of the tools starts Obsidian. */
static bool opens_app(const struct app *app)
{
    for (const struct mcp_tool *const *t = app->tools; t != NULL && *t != NULL; t++)
        if (((*t)->flags & APP_OPENS_OBSIDIAN) != 0)
            return true;
    return false;
}

/* How vaults are synced. The table may get remotes at any time. */
static enum sync_kind confine_sync(const struct app *app)
{
    enum sync_kind kind = SYNC_GIT;
    struct err ignored;
    if (app->hosted == NULL)
        return app->n_vaults > 0 ? app->vaults[0].sync.config.kind : SYNC_NONE;
    return sync_settings_kind(&app->settings.sync, &kind, &ignored) &&
                   kind == SYNC_COMMAND
               ? SYNC_COMMAND
               : SYNC_GIT;
}

/* A log that is a file may be renamed and created again (SIGHUP), by others: it is only
 * opened here, or created if they have not. */
static void add_log(struct needs *n)
{
    str file = str_c(log_file()), folder = system_path_folder(file);
    bool crowded = system_path_is_root(folder) || str_eq(folder, STR("/tmp")) ||
                   str_eq(folder, STR("/var/log")) ||
                   str_eq(folder, machine_home(&n->arena));
    if (file.n > 0)
        confine_add(n, crowded ? file : folder, SANDBOX_ADD);
}

/* It is rotated. */
static void add_audit(struct needs *n)
{
    const char *file = audit_file(&n->arena, n->app->settings.audit.to);
    if (file != NULL)
        confine_add(n, system_path_folder(str_c(file)), SANDBOX_CHANGE);
}

static void confine_collect_needs(struct needs *n)
{
    const struct app *app = n->app;
    const char *notify = self_variable("NOTIFY_SOCKET");
    struct sandbox *w = &n->request;
    w->ports = n->ports;
    w->peers = n->peers;
    enum sync_kind sync = confine_sync(app);
    w->all_files = sync == SYNC_COMMAND || opens_app(app);
    n->tools = sync != SYNC_NONE || app->settings.adr_repo.n > 0 || opens_app(app);
    n->pdf = pdf_pages_is_on(app);
    w->programs = n->tools || n->pdf;
    w->connects = n->tools || signs_in(n);
    w->abstract = n->tools || (notify != NULL && notify[0] == '@');
    add_system(n);
    if (n->tools)
        add_git(n);
    if (n->pdf)
        add_pdf(n);
    add_vaults(n);
    add_endpoint(n);
    add_database(n);
    add_log(n);
    add_audit(n);
    if (!app->settings.stdio)
        add_served(n);
    w->rules = n->own.list;
    w->n_rules = n->own.n;
}

static void confine_report(const struct app *app)
{
    struct arena a = {0};
    const struct sandbox_state *s = &app->sandbox;
    bool all = s->files && s->calls;
    log_event(all ? LOG_INFO : LOG_WARN, "sandbox",
              LOG_STR("confined", confine_words(&a, s)),
              LOG_INT("landlock", s->landlock));
    arena_release(&a);
}

static void enter_sandbox(struct needs *n)
{
    struct app *app = n->app;
    confine_collect_needs(n);
    if (!thread_is_alone())
        BUG("a thread was started before the sandbox, which does not confine it");
    app->sandbox = sandbox_enter(&n->request);
    if (n->pdf)
        pdf_confine();
    if (n->tools)
        spawn_confine(SPAWN_TOOL, &(struct sandbox){.rules = n->programs.list,
                                                    .n_rules = n->programs.n,
                                                    .all_files = n->request.all_files,
                                                    .connects = true,
                                                    .abstract = true});
    if (n->request.programs)
        spawn_only_confined();
    confine_report(app);
}

bool confine_enter(struct app *app, struct err *err)
{
    struct needs *n = mem_zero(sizeof(*n));
    int mode = app->settings.sandbox;
    n->app = app;
    if (mode != SANDBOX_OFF) {
        struct err ignored;
        (void)!fs_make_folder(app->state_dir, &ignored); /* a rule needs the folder */
        enter_sandbox(n);
    }
    bool ok = mode != SANDBOX_REQUIRED || (app->sandbox.files && app->sandbox.calls);
    if (!ok)
        err_set(
            err, ERR_INVALID,
            n->request.all_files
                ? "--sandbox required cannot be used with --sync-command or "
                  "obsidian_open_note, which may need any file: use git or other "
                  "tools, or --sandbox auto"
            : !app->sandbox.supported
                ? "--sandbox required, but this build of vaultd has no sandbox: use a "
                  "package for Linux, or --sandbox auto"
                : "--sandbox required, but this kernel lacks Landlock 2 (Linux 5.19) "
                  "or seccomp: use another kernel, or --sandbox auto");
    arena_release(&n->arena);
    free(n);
    return ok;
}

bool confine_check_owner(const char *vault, struct err *err)
{
    struct file_stat st;
    if (!machine_is_root() || !file_stat_at(FILE_CWD, vault, FILE_FOLLOW, &st) ||
        st.owner == 0)
        return true;
    struct arena a = {0};
    struct machine_account owner;
    bool known = machine_find_account(&a, st.owner, &owner);
    const char *name = known ? owner.name.p : "that user";
    err_set(err, ERR_INVALID,
            "the vault %s belongs to user %u (%s), so root does not serve it: "
            "start vaultd as %s (sudo -u, User= in a unit, or --user %u:%u for a "
            "container)",
            vault, st.owner, name, name, st.owner, st.group);
    arena_release(&a);
    return false;
}

/* --- reporting --- */

void confine_put(struct jsonw *w, const struct sandbox_state *state)
{
    jsonw_put_object(w, STR("sandbox"));
    jsonw_put_bool(w, STR("files"), state->files);
    jsonw_put_bool(w, STR("ports"), state->ports);
    jsonw_put_bool(w, STR("system_calls"), state->calls);
    jsonw_end(w);
}

str confine_words(struct arena *a, const struct sandbox_state *state)
{
    const char *words[3];
    size_t n = 0;
    if (state->files)
        words[n++] = "files";
    if (state->ports)
        words[n++] = "ports";
    if (state->calls)
        words[n++] = "system calls";
    struct sbuf out = SBUF_ON(a);
    for (size_t i = 0; i < n; i++)
        sbuf_printf(&out, "%s%s", i == 0 ? "" : i + 1 < n ? ", " : " and ", words[i]);
    return n > 0 ? sbuf_str(&out) : STR("nothing");
}
