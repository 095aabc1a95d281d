#include "app/setup/settings.h"

#include "app/setup/audit.h"
#include "app/setup/endpoint.h"
#include "app/setup/profiles.h"
#include "app/setup/secrets.h"
#include "app/setup/state_settings.h"
#include "app/setup/sync_settings.h"
#include "base/os/file.h"
#include "base/os/machine.h"
#include "base/os/self.h"
#include "base/path.h"
#include "base/system_path.h"
#include "http/address.h"
#include "vault/access.h"

static const char *const levels[] = {"debug", "info", "warn", "error", NULL};
static const char *const formats[] = {"text", "json", NULL};
static const char *const auths[] = {"auto", "none", "required", NULL};
static const char *const token_formats[] = {"opaque", "jwt", "jwt-hs256", NULL};
static const char *const states[] = {"disk", "memory", NULL};
static const char *const sandboxes[] = {"auto", "off", "required", NULL};
static const char *const writing[] = {"write", "propose", NULL};
static const char *const confirms[] = {"never", "large", "always", NULL};
static const char *const streaming[] = {"auto", "always", NULL};
static const char *const answers[] = {"text", "json", NULL};
static const char *const contexts[] = {"auto", "on", "off", NULL};
const char *const settings_pdf[] = {"off", "on", NULL};
static const char *const readers[] = {"off", "on", NULL};
static const char *const policies[] = {"off", "warn", "enforce", NULL};

enum { RATE_ADDRESS_MIN = 120 }; /* SEC-52 */
/* The defaults of both are below TimeoutStopSec of the units. */
enum { STOP_DELAY_MAX_S = 20, STOP_TIMEOUT_MIN_S = 5, STOP_TIMEOUT_MAX_S = 300 };

#define ROW(member, kind, ...) OPTION(struct settings, member, kind, __VA_ARGS__)

const struct option settings_table[] = {
    ROW(vault_path, OPTION_PATH, "vault-path", "VAULT_PATH|OBSIDIAN_VAULT_PATH", NULL,
        "FOLDER", "The vault to serve", .heading = "Vaults and tools",
        .group = OPTION_GROUP_VAULTS),
    ROW(vaults, OPTION_LIST, "vault", "VAULTS", NULL, "NAME=FOLDER,...",
        "Several vaults instead of one, with the names clients use for them; the first "
        "is the default",
        .group = OPTION_GROUP_VAULTS),
    ROW(vaults_dir, OPTION_PATH, "vaults-dir", "VAULTS_DIR", NULL, "FOLDER",
        "Serve the vaults registered with vaultd vault add instead, to users with "
        "access; new ones "
        "are created and cloned in this folder",
        .group = OPTION_GROUP_VAULTS),
    ROW(vaults_open, OPTION_INT, "vaults-open", "VAULTS_OPEN", "64", "COUNT",
        "Maximum number of hosted vaults open at a time, which bounds the memory; the "
        "least recently used one is closed first",
        .min = 1, .max = 10000),
    ROW(vaults_idle, OPTION_INT, "vaults-idle", "VAULTS_IDLE", "600", "SECONDS",
        "How long an unused hosted vault stays open", .min = 1, .max = 86400),
    ROW(profile, OPTION_CHOICE, "profile", "VAULTD_PROFILE", "default", "NAME",
        "A tool set with the settings its clients expect; any of them can still be "
        "overridden",
        .choices = profile_names),
    ROW(tools, OPTION_LIST, "tools", "VAULTD_TOOLS", "default", "SET,...",
        "What to offer: sets of tools (default, chatgpt, adr, or that of a profile) and "
        "single tools; -TOOL leaves one out"),
    ROW(stdio, OPTION_SWITCH, "stdio", NULL, NULL, NULL,
        "Serve stdin and stdout instead of HTTP"),
    ROW(listen_addr, OPTION_STR, "listen-addr", "LISTEN_ADDR", "127.0.0.1:8090",
        "ADDRESS", "Where to listen: host:port, :port for every address, or unix:/path",
        .heading = "Network"),
    ROW(port, OPTION_INT, "port", "PORT", NULL, "PORT",
        "The port, if the default address is used", .min = 0, .max = 65535),
    ROW(server_url, OPTION_STR, "server-url", "SERVER_URL", NULL, "URL",
        "The URL at which clients reach the server"),
    ROW(allowed_hosts, OPTION_LIST, "allowed-hosts", "ALLOWED_HOSTS", NULL, "NAME,...",
        "More host names to accept in requests; loopback and the host of the server URL "
        "are always accepted"),
    ROW(allowed_origins, OPTION_LIST, "allowed-origins", "ALLOWED_ORIGINS", NULL,
        "ORIGIN,...",
        "Web origins allowed to call from a browser; loopback is always allowed"),
    ROW(trusted_proxies, OPTION_LIST, "trusted-proxies", "TRUSTED_PROXIES", NULL,
        "NETWORK,...",
        "Proxies whose forwarding headers are trusted: addresses, networks such as "
        "10.0.0.0/8, or unix for clients on a Unix socket"),
    ROW(ops_addr, OPTION_STR, "ops-addr", "OPS_ADDR", NULL, "ADDRESS",
        "Where operators can reach /metrics and the detailed /health: a loopback "
        "address, or unix:/path"),
    ROW(auth, OPTION_CHOICE, "auth", "AUTH", "auto", "KIND",
        "auto: clients must sign in if users are configured or a key was ever added, and "
        "a server that others can reach does not start otherwise; none: no sign-in is "
        "required, even from other machines, so users, keys and hosted vaults are "
        "refused; required: every request needs a token",
        .choices = auths, .heading = "Sign-in"),
    ROW(auth_users, OPTION_STR, "auth-users", "AUTH_USERS", NULL, "NAME:HASH,...",
        "Users who may sign in, with the bcrypt hashes of their passwords"),
    ROW(auth_users_file, OPTION_PATH, "auth-users-file", "AUTH_USERS_FILE", NULL, "FILE",
        "A file with these pairs, one per line"),
    ROW(github_client_id, OPTION_STR, "github-client-id", "GITHUB_CLIENT_ID", NULL, "ID",
        "Sign in with GitHub: the client ID of your OAuth app",
        .heading = "Sign-in with GitHub or OpenID Connect"),
    ROW(github_client_secret_file, OPTION_PATH, "github-client-secret-file",
        "GITHUB_CLIENT_SECRET_FILE", NULL, "FILE",
        "A file with the app's client secret; GITHUB_CLIENT_SECRET gives the secret "
        "itself"),
    ROW(github_allowed_users, OPTION_LIST, "github-allowed-users", "GITHUB_ALLOWED_USERS",
        NULL, "LOGIN,...", "GitHub users who may sign in"),
    ROW(github_oauth_url, OPTION_STR, "github-oauth-url", "GITHUB_OAUTH_URL",
        "https://github.com", "URL", "The URL of GitHub, or of your GitHub Enterprise"),
    ROW(github_api_url, OPTION_STR, "github-api-url", "GITHUB_API_URL",
        "https://api.github.com", "URL", "The URL of its API"),
    ROW(oidc_issuer, OPTION_STR, "oidc-issuer", "OIDC_ISSUER", NULL, "URL",
        "Sign in with an OpenID Connect provider: its issuer URL, such as "
        "https://accounts.google.com"),
    ROW(oidc_client_id, OPTION_STR, "oidc-client-id", "OIDC_CLIENT_ID", NULL, "ID",
        "The client ID that the provider gave you"),
    ROW(oidc_client_secret_file, OPTION_PATH, "oidc-client-secret-file",
        "OIDC_CLIENT_SECRET_FILE", NULL, "FILE",
        "A file with the client secret; OIDC_CLIENT_SECRET gives the secret itself"),
    ROW(oidc_name, OPTION_STR, "oidc-name", "OIDC_NAME", NULL, "NAME",
        "The provider's name on the sign-in button: Sign in with NAME"),
    ROW(oidc_allowed, OPTION_LIST, "oidc-allowed", "OIDC_ALLOWED", NULL, "VALUE,...",
        "Values of the claim that may sign in, such as email addresses"),
    ROW(oidc_claim, OPTION_STR, "oidc-claim", "OIDC_CLAIM", "email", "CLAIM",
        "The claim that identifies a user: email (must be verified), preferred_username "
        "or sub"),
    ROW(oauth_clients_file, OPTION_PATH, "oauth-clients-file", "OAUTH_CLIENTS_FILE", NULL,
        "FILE", "A file with preregistered clients, as a JSON list",
        .heading = "OAuth clients and tokens"),
    ROW(oauth_development, OPTION_SWITCH, "oauth-development", "OAUTH_DEVELOPMENT", NULL,
        NULL, "Accept client metadata documents from loopback, over plain http"),
    ROW(token_format, OPTION_CHOICE, "token-format", "TOKEN_FORMAT", "opaque", "FORMAT",
        "Access tokens: random text, or JWTs signed with ES256 or HS256",
        .choices = token_formats),
    ROW(access_ttl, OPTION_INT, "access-ttl", "ACCESS_TTL", "86400", "SECONDS",
        "How long an access token is valid", .min = 1, .max = 365 * 86400),
    ROW(refresh_ttl, OPTION_INT, "refresh-ttl", "REFRESH_TTL", "15552000", "SECONDS",
        "How long a connection lasts before the user must sign in again", .min = 1,
        .max = 3650LL * 86400),
    ROW(refresh_idle, OPTION_INT, "refresh-idle", "REFRESH_IDLE", "2592000", "SECONDS",
        "How long an unused connection lasts", .min = 1, .max = 3650LL * 86400),
    ROW(refresh_reuse_window, OPTION_INT, "refresh-reuse-window", "REFRESH_REUSE_WINDOW",
        "60", "SECONDS",
        "How long a refresh token still works after it has been replaced", .min = 0,
        .max = 86400),
    ROW(state_dir, OPTION_PATH, "state-dir", "STATE_DIR", NULL, "FOLDER",
        "Where to keep what must survive a restart (default: $XDG_STATE_HOME/vaultd)",
        .heading = "State"),
    ROW(state, OPTION_CHOICE, "state", "STATE", "disk", "WHERE",
        "Where to keep sign-ins, clients and tokens; memory: forget them when the server "
        "stops",
        .choices = states),
    ROW(state_db, OPTION_STR, "state-db", "STATE_DB", NULL, "URL",
        "Keep them in PostgreSQL instead, which several servers can share: "
        "postgres://USER@HOST/DATABASE. A password is given in the variable, in the file "
        "or in ~/.pgpass",
        .group = "state-db"),
    ROW(state_db_file, OPTION_PATH, "state-db-file", "STATE_DB_FILE", NULL, "FILE",
        "A file with this URL", .group = "state-db"),
    SETTINGS_HISTORY(struct settings),
    ROW(poll, OPTION_SWITCH, "poll", "POLL", NULL, NULL,
        "Poll for changes every second, even if the system can report them"),
    SETTINGS_ACCESS(struct settings),
    ROW(writes, OPTION_CHOICE, "writes", "WRITES", "write", "HOW",
        "What becomes of changes by clients; write: they are made; propose: they wait "
        "for "
        "a review (vaultd proposals) and are made when they are accepted",
        .choices = writing),
    ROW(propose_paths, OPTION_LIST, "propose-paths", "PROPOSE_PATHS", NULL, "PATH,...",
        "Only changes to these folders, files or globs wait for a review"),
    SETTINGS_SYNC(struct settings),
    SETTINGS_EMBEDDINGS(struct settings),
    ROW(adr_repo, OPTION_STR, "adr-repo", "ADR_REPO", NULL, "URL",
        "The repository to which adr_publish publishes decision records, with the "
        "credentials of the --git-... settings",
        .heading = "Decision records"),
    ROW(adr_branch, OPTION_STR, "adr-branch", "ADR_BRANCH", NULL, "NAME",
        "Its branch, which must exist (default: the remote's default)"),
    ROW(confirm, OPTION_CHOICE, "confirm", "CONFIRM", "large", "WHEN",
        "Ask the user for confirmation, if the client can: never, before large changes "
        "(deleting a folder, rewriting more than 20 notes), or always before notes are "
        "replaced, moved or deleted. Unless it is never, a client without elicitation "
        "must pass the number of files to delete a folder",
        .choices = confirms, .heading = "Behaviour and limits"),
    ROW(confirm_files, OPTION_INT, "confirm-files", "CONFIRM_FILES", "50", "COUNT",
        "Files that one connection may change within ten minutes, in all vaults, before "
        "the user must confirm (those without sign-in count as one connection); if its "
        "client cannot ask, more are refused (over stdio they are made); "
        "0: no limit",
        .min = 0, .max = 1000000),
    ROW(answers, OPTION_CHOICE, "answers", "VAULTD_ANSWERS", "text", "FORM",
        "How the tools of the default set answer: text for models, or json for "
        "programs; tools of other sets have their own form",
        .choices = answers),
    ROW(auto_context, OPTION_CHOICE, "auto-context", "AUTO_CONTEXT", "auto", "WHEN",
        "Add a list of the notes tagged claude to the model's first result; auto: over "
        "stdio; on: also in legacy HTTP sessions; off: also no rules of a folder "
        "(CLAUDE.md, AGENTS.md) with the first change there",
        .choices = contexts),
    ROW(claude_md, OPTION_SWITCH, "claude-md", "CLAUDE_MD", NULL, NULL,
        "Add the CLAUDE.md in the vault's root to the instructions that clients get"),
    ROW(tag_policy, OPTION_CHOICE, "tag-policy", "TAG_POLICY", "off", "POLICY",
        "New tags in what clients write; off: allow them; warn: warn the model; enforce: "
        "refuse them",
        .choices = policies),
    ROW(schema_policy, OPTION_CHOICE, "schema-policy", "SCHEMA_POLICY", "warn", "POLICY",
        "Properties in what clients write that are not as the vault's schemas and "
        "Obsidian's types say; off: allow them; warn: warn the model; enforce: refuse "
        "them",
        .choices = policies),
    ROW(sse, OPTION_CHOICE, "sse", "SSE", "auto", "WHEN",
        "When to answer over HTTP with an event stream; auto: only if there is something "
        "to stream",
        .choices = streaming),
    ROW(sandbox, OPTION_CHOICE, "sandbox", "SANDBOX", "auto", "WHEN",
        "Sandbox: let the kernel block files, ports and system calls that the server "
        "does not "
        "need; auto: as far as the kernel can; required: do not start without it",
        .choices = sandboxes),
    ROW(read_lines, OPTION_INT, "read-lines", "READ_LINES", "200", "LINES",
        "Lines that vault_read returns when the call gives no limit", .min = 1,
        .max = 1000000),
    ROW(attachment_max, OPTION_INT, "attachment-max", "ATTACHMENT_MAX", "2", "MIB",
        "Largest attachment that clients can write, and read unchanged (larger pictures "
        "are "
        "scaled down); 0: none. A message over HTTP has at most 4 MiB",
        .min = 0, .max = 7),
    SETTINGS_PDF(struct settings),
    ROW(reader, OPTION_CHOICE, "reader", "VAULTD_READER", "on", "WHETHER",
        "Pages in a browser that show notes and search them, for people who may use the "
        "vault: on or off",
        .choices = readers),
    ROW(max_connections, OPTION_INT, "max-connections", "MAX_CONNECTIONS", "1024",
        "COUNT", "Maximum number of open HTTP connections, including streams", .min = 1,
        .max = 1000000),
    ROW(stop_delay, OPTION_INT, "stop-delay", "STOP_DELAY", "0", "SECONDS",
        "After SIGTERM, keep serving this long while /health fails, so that a "
        "load balancer stops sending requests first",
        .min = 0, .max = STOP_DELAY_MAX_S),
    ROW(stop_timeout, OPTION_INT, "stop-timeout", "STOP_TIMEOUT", "5", "SECONDS",
        "After SIGTERM (and --stop-delay), end the process after this long, whatever "
        "hangs",
        .min = STOP_TIMEOUT_MIN_S, .max = STOP_TIMEOUT_MAX_S),
    ROW(rate_calls, OPTION_INT, "rate-calls", "RATE_CALLS", "600", "COUNT",
        "Requests per minute for each connection; further ones are queued; 0: no limit",
        .min = 0, .max = 1000000),
    ROW(rate_writes, OPTION_INT, "rate-writes", "RATE_WRITES", "300", "COUNT",
        "Changes per minute for each connection; further ones are queued; 0: no limit",
        .min = 0, .max = 1000000),
    ROW(rate_address, OPTION_INT, "rate-address", "RATE_ADDRESS", "600", "COUNT",
        "Requests without a valid token per minute from one remote address; at least "
        "120, "
        "because many users share the addresses of claude.ai; 0: no limit",
        .min = 0, .max = 1000000),
    ROW(log_level, OPTION_CHOICE, "log-level", "LOG_LEVEL", "info", "LEVEL",
        "The lowest level to log, on stderr", .choices = levels, .heading = "Logs"),
    ROW(log_format, OPTION_CHOICE, "log-format", "LOG_FORMAT", "text", "FORMAT",
        "The format of the log, one line per event; text: for people; json: for programs",
        .choices = formats),
    SETTINGS_AUDIT(struct settings),
    ROW(help, OPTION_SWITCH, "help", NULL, NULL, NULL, "Show this help", .letter = 'h',
        .heading = "Help"),
    ROW(version, OPTION_SWITCH, "version", NULL, NULL, NULL, "Show the version",
        .letter = 'V'),
    {0},
};

static bool agrees_with_port(struct arena *a, const struct settings *s, struct err *err)
{
    str tail = arena_printf(a, ":%lld", (long long)s->port);
    return str_ends(s->listen_addr, tail) ||
           err_set(err, ERR_INVALID,
                   "listen-addr '" STR_FMT
                   "' and port %lld contradict each other: give only one of them",
                   STR_ARG(s->listen_addr), (long long)s->port);
}

/* The port replaces that of an address of a lower source; of the same, they must
 * agree. */
static bool merge_port(struct arena *a, int argc, char **argv, struct settings *s,
                       struct err *err)
{
    enum option_source port = options_source(settings_table, "port", argc, argv),
                       address =
                           options_source(settings_table, "listen-addr", argc, argv);
    if (port < address || port == OPTION_BY_DEFAULT)
        return true;
    if (port == address || str_starts(s->listen_addr, STR("unix:")))
        return agrees_with_port(a, s, err);
    str host = str_slice(s->listen_addr, 0, str_find_last(s->listen_addr, ':'));
    s->listen_addr = arena_printf(a, STR_FMT ":%lld", STR_ARG(host), (long long)s->port);
    return true;
}

static bool check_listen(const struct settings *s, struct err *err)
{
    struct net_address address;
    if (!http_address_parse(s->listen_addr, &address, err)) {
        struct err why = *err;
        return err_set(err, ERR_INVALID, "listen-addr: %s", why.msg);
    }
    return true;
}

/* Every other place wants the URL of the endpoint, so people give it here, too. */
static bool check_server_url(struct settings *s, struct err *err)
{
    static const str ends[] = {STR("/"), STR("/mcp"), STR("/")};
    str *url = &s->server_url;
    size_t scheme = str_find(*url, STR("://")) + strlen("://");
    for (size_t i = 0; i < COUNT_OF(ends); i++)
        if (str_ends(*url, ends[i]) && url->n - ends[i].n > scheme)
            url->n -= ends[i].n;
    if (url->n == 0 || str_starts(*url, STR("https://")) ||
        str_starts(*url, STR("http://")))
        return true;
    return err_set(err, ERR_INVALID,
                   "server-url must begin with https:// or http://, not '" STR_FMT "'",
                   STR_ARG(s->server_url));
}

static bool check_ops(const struct settings *s, struct err *err)
{
    struct net_address address;
    if (s->ops_addr.n == 0)
        return true;
    if (!http_address_parse(s->ops_addr, &address, err)) {
        struct err why = *err;
        return err_set(err, ERR_INVALID, "ops-addr: %s", why.msg);
    }
    return net_is_local(&address) ||
           err_set(err, ERR_INVALID,
                   "ops-addr '" STR_FMT "' is open to other machines, and operators do "
                   "not sign in: give a loopback address such as 127.0.0.1:9090, or "
                   "unix:/path, and let a proxy or ssh reach it",
                   STR_ARG(str_slice(s->ops_addr, 0, 80)));
}

static bool check_providers(const struct settings *s, struct err *err)
{
    if (s->oidc_issuer.n > 0 && s->oidc_client_id.n == 0)
        return err_set(err, ERR_INVALID, "oidc-issuer needs --oidc-client-id");
    if (s->oidc_issuer.n > 0 && s->oidc_allowed.n == 0)
        return err_set(err, ERR_INVALID,
                       "oidc-issuer needs --oidc-allowed, which says who may sign in");
    return true;
}

static bool check_rates(const struct settings *s, struct err *err)
{
    return s->rate_address == 0 || s->rate_address >= RATE_ADDRESS_MIN ||
           err_set(err, ERR_INVALID,
                   "rate-address must be 0 or at least %d: many users share the "
                   "addresses of claude.ai",
                   RATE_ADDRESS_MIN);
}

static bool read_secrets(struct arena *a, struct settings *s, struct err *err)
{
    s->auth_users = arena_str(a, s->auth_users);
    (void)secrets_take(a, "AUTH_USERS");
    return state_settings_read(a, &s->state_db, s->state_db_file,
                               s->state == STATE_MEMORY, err) &&
           secrets_read(a, "GITHUB_CLIENT_SECRET", s->github_client_secret_file,
                        &s->github_client_secret, err) &&
           secrets_read(a, "EMBEDDINGS_KEY", s->embeddings.key_file, &s->embeddings.key,
                        err) &&
           secrets_read(a, "OIDC_CLIENT_SECRET", s->oidc_client_secret_file,
                        &s->oidc_client_secret, err);
}

static bool check_sync(const struct settings *s, struct err *err)
{
    enum sync_kind kind;
    struct settings_sync sync = s->sync;
    if (s->vaults_dir.n > 0) { /* the table has their remotes */
        sync.webhook_secret_file = STR("");
        sync.ack = SYNC_ACK_LOCAL;
    }
    bool many = s->vaults.n > 1 || s->vaults_dir.n > 0;
    return (!many || sync_settings_has_host(&sync, err)) &&
           sync_settings_kind(&sync, &kind, err) &&
           (kind == SYNC_NONE || sync.git_remote.n == 0 ||
            (s->vaults.n < 2 && s->vaults_dir.n == 0) ||
            err_set(
                err, ERR_INVALID,
                "only a single vault can be synced with --git-remote, but there are "
                "several: use --sync git, which syncs each with the remote of its own "
                "repository"));
}

/* Reads everything again, with the defaults of the profile. */
static bool read_profile(struct arena *a, const struct option *table, int argc,
                         char **argv, struct settings *s, struct option_list *words,
                         struct err *err)
{
    int chosen = options_given(table, "profile", argc, argv)
                     ? s->profile
                     : profile_of_program(str_c(argv[0]));
    const struct profile *p = &profiles[chosen];
    struct err unmet;
    if (!options_parse(a, profile_table(a, p, table), argc, argv, s, words, err))
        return false;
    s->profile = chosen;
    s->vaults_from = (int)options_group_source(table, OPTION_GROUP_VAULTS, argc, argv);
    s->auth_given = options_given(table, "auth", argc, argv);
    if (s->auth != AUTH_NONE && !s->stdio && !profile_check(p, table, argc, argv, &unmet))
        s->unmet = arena_str(a, str_c(unmet.msg));
    return true;
}

bool settings_parse(struct arena *a, const struct option *table, int argc, char **argv,
                    struct settings *out, struct option_list *words, struct err *err)
{
    if (!options_parse(a, table, argc, argv, out, words, err))
        return false;
    return out->help || out->version ||
           read_profile(a, table, argc, argv, out, words, err);
}

bool settings_complete(struct arena *a, int argc, char **argv, struct settings *s,
                       struct err *err)
{
    if (!read_secrets(a, s, err) || !merge_port(a, argc, argv, s, err) ||
        !check_server_url(s, err) || !check_providers(s, err) || !check_rates(s, err) ||
        !check_sync(s, err) || !endpoint_check(&s->embeddings, err))
        return false;
    return s->stdio || (check_listen(s, err) && check_ops(s, err));
}

bool settings_access(struct arena *a, const struct settings_access *s, struct access *out,
                     struct err *err)
{
    struct access_request request = {.read_only = s->read_only,
                                     .read = s->read_paths.items,
                                     .write = s->write_paths.items,
                                     .deny = s->deny_paths.items,
                                     .n_read = s->read_paths.n,
                                     .n_write = s->write_paths.n,
                                     .n_deny = s->deny_paths.n};
    return access_make(a, &request, out, err);
}

str settings_policy(const struct settings_access *s)
{
    return str_eq(s->policy_property, STR(SETTINGS_NO_POLICY)) ? STR("")
                                                               : s->policy_property;
}

bool settings_review(struct arena *a, const struct settings *s, struct access *out,
                     struct err *err)
{
    struct access_request request = {.propose = s->writes == WRITES_PROPOSED,
                                     .review = s->propose_paths.items,
                                     .n_review = s->propose_paths.n};
    return access_make(a, &request, out, err);
}

static str with_home(struct arena *a, str path)
{
    str home = machine_home(a);
    if (home.n == 0 || !(str_eq(path, STR("~")) || str_starts(path, STR("~/"))))
        return path;
    return arena_printf(a, STR_FMT STR_FMT, STR_ARG(home), STR_ARG(str_skip(path, 1)));
}

str settings_path(struct arena *a, str given)
{
    str path = with_home(a, system_path(a, given)),
        read = with_home(a, system_path_unescaped(a, given));
    bool meant = !str_eq(path, read) && !file_exists(arena_str(a, path).p) &&
                 file_exists(arena_str(a, read).p);
    return meant ? read : path;
}

str settings_path_shown(struct arena *a, str path)
{
    str home = machine_home(a);
    bool below = home.n > 1 && path_is_or_below(home, path);
    return below ? arena_printf(a, "~" STR_FMT, STR_ARG(str_skip(path, home.n)))
                 : system_path_shown(a, path);
}

str settings_state_dir(struct arena *a, str given)
{
    return given.n > 0 ? arena_str(a, given) : machine_state_folder(a);
}
