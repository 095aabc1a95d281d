#include "app/setup/settings.h"

#include "app/setup/profiles.h"
#include "app/setup/secrets.h"
#include "app/setup/sync_settings.h"
#include "http/address.h"
#include "vault/access.h"

static const char *const levels[] = {"debug", "info", "warn", "error", NULL};
static const char *const formats[] = {"text", "json", NULL};
static const char *const auths[] = {"auto", "none", "required", NULL};
static const char *const token_formats[] = {"opaque", "jwt", "jwt-hs256", NULL};
static const char *const states[] = {"disk", "memory", NULL};
static const char *const sandboxes[] = {"auto", "off", "required", NULL};
static const char *const confirms[] = {"never", "large", "always", NULL};
static const char *const streaming[] = {"auto", "always", NULL};
static const char *const contexts[] = {"auto", "on", "off", NULL};
static const char *const policies[] = {"off", "warn", "enforce", NULL};

enum { RATE_ADDRESS_MIN = 120 }; /* SEC-52 */

#define ROW(member, kind, ...) OPTION(struct settings, member, kind, __VA_ARGS__)

const struct option settings_table[] = {
    ROW(vault_path, OPTION_STR, "vault-path", "VAULT_PATH|OBSIDIAN_VAULT_PATH", NULL,
        "FOLDER", "The vault to serve", .heading = "What is served"),
    ROW(vaults, OPTION_LIST, "vault", "VAULTS", NULL, "NAME=FOLDER,...",
        "Several vaults instead, by the names clients will use; the first is the "
        "default"),
    ROW(profile, OPTION_CHOICE, "profile", "VAULTD_PROFILE", "default", "NAME",
        "A tool set and the settings its clients expect, each of which can still be "
        "given",
        .choices = profile_names),
    ROW(tools, OPTION_LIST, "tools", "VAULTD_TOOLS", "default", "SET,...",
        "The tool sets offered: default, chatgpt (search and fetch), adr (adr_publish), "
        "or "
        "one of a profile"),
    ROW(stdio, OPTION_SWITCH, "stdio", NULL, NULL, NULL,
        "Serve stdin and stdout instead of HTTP"),
    ROW(listen_addr, OPTION_STR, "listen-addr", "LISTEN_ADDR", "127.0.0.1:8090",
        "ADDRESS", "Where to listen: host:port, :port for every address, or unix:/path",
        .heading = "Where it listens"),
    ROW(port, OPTION_INT, "port", "PORT", NULL, "PORT",
        "The port alone, when the address is the default one", .min = 0, .max = 65535),
    ROW(server_url, OPTION_STR, "server-url", "SERVER_URL", NULL, "URL",
        "The URL under which clients reach the server"),
    ROW(allowed_hosts, OPTION_LIST, "allowed-hosts", "ALLOWED_HOSTS", NULL, "NAME,...",
        "Further host names that are ours; loopback and the server URL's always are"),
    ROW(allowed_origins, OPTION_LIST, "allowed-origins", "ALLOWED_ORIGINS", NULL,
        "ORIGIN,...", "Web origins that may call from a browser; loopback always may"),
    ROW(trusted_proxies, OPTION_LIST, "trusted-proxies", "TRUSTED_PROXIES", NULL,
        "NETWORK,...",
        "Proxies whose word on who calls is believed: addresses, networks such as "
        "10.0.0.0/8, or unix for who comes by a unix socket"),
    ROW(ops_addr, OPTION_STR, "ops-addr", "OPS_ADDR", NULL, "ADDRESS",
        "Where operators find /health in detail and /metrics: an address of loopback, or "
        "unix:/path"),
    ROW(auth, OPTION_CHOICE, "auth", "AUTH", "auto", "KIND",
        "auto: callers sign in if there are users or keys; none: nobody has to, even "
        "beyond loopback; required: without a token nobody gets in",
        .choices = auths, .heading = "Who may come in"),
    ROW(auth_users, OPTION_STR, "auth-users", "AUTH_USERS", NULL, "NAME:HASH,...",
        "People who may sign in, with bcrypt hashes of their passwords"),
    ROW(auth_users_file, OPTION_STR, "auth-users-file", "AUTH_USERS_FILE", NULL, "FILE",
        "The same from a file, one pair per line"),
    ROW(github_client_id, OPTION_STR, "github-client-id", "GITHUB_CLIENT_ID", NULL, "ID",
        "Sign in with GitHub: the id of your OAuth app there",
        .heading = "Signing in with GitHub or OpenID Connect"),
    ROW(github_client_secret_file, OPTION_STR, "github-client-secret-file",
        "GITHUB_CLIENT_SECRET_FILE", NULL, "FILE",
        "Its secret; GITHUB_CLIENT_SECRET is the secret itself"),
    ROW(github_allowed_users, OPTION_LIST, "github-allowed-users", "GITHUB_ALLOWED_USERS",
        NULL, "LOGIN,...", "Who may sign in with GitHub"),
    ROW(github_oauth_url, OPTION_STR, "github-oauth-url", "GITHUB_OAUTH_URL",
        "https://github.com", "URL", "GitHub, or your GitHub Enterprise"),
    ROW(github_api_url, OPTION_STR, "github-api-url", "GITHUB_API_URL",
        "https://api.github.com", "URL", "Its API"),
    ROW(oidc_issuer, OPTION_STR, "oidc-issuer", "OIDC_ISSUER", NULL, "URL",
        "Sign in with an OpenID Connect provider: its issuer, such as "
        "https://accounts.google.com"),
    ROW(oidc_client_id, OPTION_STR, "oidc-client-id", "OIDC_CLIENT_ID", NULL, "ID",
        "The id that the provider gave you"),
    ROW(oidc_client_secret_file, OPTION_STR, "oidc-client-secret-file",
        "OIDC_CLIENT_SECRET_FILE", NULL, "FILE",
        "The secret; OIDC_CLIENT_SECRET is the secret itself"),
    ROW(oidc_name, OPTION_STR, "oidc-name", "OIDC_NAME", NULL, "NAME",
        "What the button says: Sign in with NAME"),
    ROW(oidc_allowed, OPTION_LIST, "oidc-allowed", "OIDC_ALLOWED", NULL, "VALUE,...",
        "Who may sign in there, by the claim"),
    ROW(oidc_claim, OPTION_STR, "oidc-claim", "OIDC_CLAIM", "email", "CLAIM",
        "What people are known by: email (verified), preferred_username, sub"),
    ROW(oauth_clients_file, OPTION_STR, "oauth-clients-file", "OAUTH_CLIENTS_FILE", NULL,
        "FILE", "Programs known beforehand, as a JSON list",
        .heading = "Programs and tokens"),
    ROW(oauth_development, OPTION_SWITCH, "oauth-development", "OAUTH_DEVELOPMENT", NULL,
        NULL, "Clients may be described by documents on loopback, over http"),
    ROW(token_format, OPTION_CHOICE, "token-format", "TOKEN_FORMAT", "opaque", "FORMAT",
        "Access tokens: random text, or JWTs signed with ES256 or HS256",
        .choices = token_formats),
    ROW(access_ttl, OPTION_INT, "access-ttl", "ACCESS_TTL", "86400", "SECONDS",
        "How long an access token lives", .min = 1, .max = 365 * 86400),
    ROW(refresh_ttl, OPTION_INT, "refresh-ttl", "REFRESH_TTL", "15552000", "SECONDS",
        "How long a connection lives before the person must sign in again", .min = 1,
        .max = 3650LL * 86400),
    ROW(refresh_idle, OPTION_INT, "refresh-idle", "REFRESH_IDLE", "2592000", "SECONDS",
        "How long a connection lives without being used", .min = 1,
        .max = 3650LL * 86400),
    ROW(refresh_reuse_window, OPTION_INT, "refresh-reuse-window", "REFRESH_REUSE_WINDOW",
        "60", "SECONDS", "How long a refresh token works after it was replaced", .min = 0,
        .max = 86400),
    ROW(state_dir, OPTION_STR, "state-dir", "STATE_DIR", NULL, "FOLDER",
        "What must survive a restart (default: $XDG_STATE_HOME/vaultd)",
        .heading = "What is kept"),
    ROW(state, OPTION_CHOICE, "state", "STATE", "disk", "WHERE",
        "memory: forget sign-ins, clients and tokens when the server ends",
        .choices = states),
    ROW(poll, OPTION_SWITCH, "poll", "POLL", NULL, NULL,
        "Look for changes every second, even where the system tells of them"),
    SETTINGS_ACCESS(struct settings),
    SETTINGS_SYNC(struct settings),
    ROW(adr_repo, OPTION_STR, "adr-repo", "ADR_REPO", NULL, "URL",
        "The repository that adr_publish puts decision records into, with the "
        "credentials of --git-...",
        .heading = "Decision records"),
    ROW(adr_branch, OPTION_STR, "adr-branch", "ADR_BRANCH", NULL, "NAME",
        "Its branch, which must exist (default: the remote's)"),
    ROW(confirm, OPTION_CHOICE, "confirm", "CONFIRM", "large", "WHEN",
        "Ask the person, where the client can: never, before large changes (a folder "
        "deleted, over 20 notes rewritten), or always before notes are replaced, moved "
        "or "
        "deleted",
        .choices = confirms, .heading = "Behaviour and limits"),
    ROW(auto_context, OPTION_CHOICE, "auto-context", "AUTO_CONTEXT", "auto", "WHEN",
        "Tell the model with its first result which notes are tagged claude: auto means "
        "over stdio, on means in legacy HTTP sessions, too",
        .choices = contexts),
    ROW(claude_md, OPTION_SWITCH, "claude-md", "CLAUDE_MD", NULL, NULL,
        "Put the CLAUDE.md of the vault's root into the instructions that clients get"),
    ROW(tag_policy, OPTION_CHOICE, "tag-policy", "TAG_POLICY", "off", "POLICY",
        "New tags in what clients write: off allows them, warn tells the model, enforce "
        "refuses them",
        .choices = policies),
    ROW(sse, OPTION_CHOICE, "sse", "SSE", "auto", "WHEN",
        "Answers over HTTP as event streams: when something streams, or always",
        .choices = streaming),
    ROW(sandbox, OPTION_CHOICE, "sandbox", "SANDBOX", "auto", "WHEN",
        "The kernel keeps the server from files, ports and system calls it does not "
        "need: "
        "auto: as far as it can; required: or else do not start; off",
        .choices = sandboxes),
    ROW(read_lines, OPTION_INT, "read-lines", "READ_LINES", "200", "LINES",
        "Lines that vault_read gives when no limit is asked for", .min = 1,
        .max = 1000000),
    ROW(max_connections, OPTION_INT, "max-connections", "MAX_CONNECTIONS", "1024",
        "COUNT", "Open HTTP connections, streams included", .min = 1, .max = 1000000),
    ROW(rate_calls, OPTION_INT, "rate-calls", "RATE_CALLS", "600", "COUNT",
        "Requests a minute of one connection; 0: no limit", .min = 0, .max = 1000000),
    ROW(rate_writes, OPTION_INT, "rate-writes", "RATE_WRITES", "60", "COUNT",
        "Changes a minute of one connection; 0: no limit", .min = 0, .max = 1000000),
    ROW(rate_address, OPTION_INT, "rate-address", "RATE_ADDRESS", "600", "COUNT",
        "Requests a minute from one address beyond loopback, at least 120, as many "
        "people "
        "share those of claude.ai; 0: no limit",
        .min = 0, .max = 1000000),
    ROW(log_level, OPTION_CHOICE, "log-level", "LOG_LEVEL", "info", "LEVEL",
        "The least that is logged, on stderr", .choices = levels, .heading = "Logs"),
    ROW(log_format, OPTION_CHOICE, "log-format", "LOG_FORMAT", "text", "FORMAT",
        "One line per event, for people or for machines", .choices = formats),
    ROW(help, OPTION_SWITCH, "help", NULL, NULL, NULL, "Show this help", .letter = 'h',
        .heading = "Help"),
    ROW(version, OPTION_SWITCH, "version", NULL, NULL, NULL, "Show the version",
        .letter = 'V'),
    {0},
};

bool settings_ask_who(const struct settings *s)
{
    return s->auth == AUTH_REQUIRED ||
           (s->auth == AUTH_AUTO && (s->auth_users.n > 0 || s->auth_users_file.n > 0 ||
                                     s->github_client_id.n > 0 || s->oidc_issuer.n > 0 ||
                                     s->oauth_clients_file.n > 0));
}

/* PORT changes the port of the default address; both given must agree. */
static bool merge_port(struct arena *a, int argc, char **argv, struct settings *s,
                       struct err *err)
{
    if (!options_given(settings_table, "port", argc, argv))
        return true;
    if (options_given(settings_table, "listen-addr", argc, argv)) {
        str tail = arena_printf(a, ":%lld", (long long)s->port);
        return str_ends(s->listen_addr, tail) ||
               err_set(err, ERR_INVALID,
                       "listen-addr '" STR_FMT
                       "' and port %lld contradict each other: give one",
                       STR_ARG(s->listen_addr), (long long)s->port);
    }
    str host = str_slice(s->listen_addr, 0, str_find_last(s->listen_addr, ':'));
    s->listen_addr = arena_printf(a, STR_FMT ":%lld", STR_ARG(host), (long long)s->port);
    return true;
}

static bool check_listen(const struct settings *s, struct err *err)
{
    struct http_address address;
    if (!http_address_parse(s->listen_addr, &address, err)) {
        struct err why = *err;
        return err_set(err, ERR_INVALID, "listen-addr: %s", why.msg);
    }
    if (!address.local && s->auth != AUTH_NONE && !settings_ask_who(s))
        return err_set(err, ERR_INVALID,
                       "listen-addr '" STR_FMT
                       "' is reachable from other machines and nobody "
                       "would have to sign in: listen on 127.0.0.1, give --auth-users, "
                       "or say --auth none",
                       STR_ARG(s->listen_addr));
    return true;
}

static bool check_url(const struct settings *s, struct err *err)
{
    if (s->server_url.n == 0 || str_starts(s->server_url, STR("https://")) ||
        str_starts(s->server_url, STR("http://")))
        return true;
    return err_set(err, ERR_INVALID,
                   "server-url must begin with https:// or http://, not '" STR_FMT "'",
                   STR_ARG(s->server_url));
}

static bool check_ops(const struct settings *s, struct err *err)
{
    struct http_address address;
    if (s->ops_addr.n == 0)
        return true;
    if (!http_address_parse(s->ops_addr, &address, err)) {
        struct err why = *err;
        return err_set(err, ERR_INVALID, "ops-addr: %s", why.msg);
    }
    return true;
}

static bool check_providers(const struct settings *s, struct err *err)
{
    if (s->oidc_issuer.n > 0 && s->oidc_client_id.n == 0)
        return err_set(err, ERR_INVALID, "oidc-issuer needs --oidc-client-id");
    if (s->oidc_issuer.n > 0 && s->oidc_allowed.n == 0)
        return err_set(err, ERR_INVALID,
                       "oidc-issuer needs --oidc-allowed: who may sign in");
    return true;
}

static bool check_rates(const struct settings *s, struct err *err)
{
    return s->rate_address == 0 || s->rate_address >= RATE_ADDRESS_MIN ||
           err_set(err, ERR_INVALID,
                   "rate-address must be 0 or at least %d: many people share the "
                   "addresses of claude.ai",
                   RATE_ADDRESS_MIN);
}

static bool read_secrets(struct arena *a, struct settings *s, struct err *err)
{
    s->auth_users = arena_str(a, s->auth_users);
    (void)secrets_take(a, "AUTH_USERS");
    return secrets_read(a, "GITHUB_CLIENT_SECRET", s->github_client_secret_file,
                        &s->github_client_secret, err) &&
           secrets_read(a, "OIDC_CLIENT_SECRET", s->oidc_client_secret_file,
                        &s->oidc_client_secret, err);
}

static bool check_sync(const struct settings *s, struct err *err)
{
    enum sync_kind kind;
    return sync_settings_kind(&s->sync, &kind, err) &&
           (kind == SYNC_NONE || s->vaults.n < 2 ||
            err_set(err, ERR_INVALID,
                    "sync is for one vault, and there are several: start a server for "
                    "each that is synced"));
}

/* Read everything again, with the defaults of the profile. */
static bool read_profile(struct arena *a, int argc, char **argv, struct settings *s,
                         struct option_list *words, struct err *err)
{
    int chosen = options_given(settings_table, "profile", argc, argv)
                     ? s->profile
                     : profile_of_program(str_c(argv[0]));
    const struct profile *p = &profiles[chosen];
    const struct option *table = profile_table(a, p, settings_table);
    struct err unmet;
    if (!options_parse(a, table, argc, argv, s, words, err))
        return false;
    s->profile = chosen;
    s->vault_by_profile = !options_given(settings_table, "vault-path", argc, argv);
    if (s->auth != AUTH_NONE && !s->stdio &&
        !profile_check(p, settings_table, argc, argv, &unmet))
        s->unmet = arena_str(a, str_c(unmet.msg));
    return true;
}

bool settings_complete(struct arena *a, int argc, char **argv, struct settings *s,
                       struct err *err)
{
    if (!read_secrets(a, s, err) || !merge_port(a, argc, argv, s, err) ||
        !check_url(s, err) || !check_providers(s, err) || !check_rates(s, err) ||
        !check_sync(s, err))
        return false;
    return s->stdio || (check_listen(s, err) && check_ops(s, err));
}

bool settings_read(struct arena *a, int argc, char **argv, struct settings *out,
                   struct option_list *words, struct err *err)
{
    *out = (struct settings){0};
    if (!options_parse(a, settings_table, argc, argv, out, words, err))
        return false;
    if (out->help || out->version)
        return true;
    return read_profile(a, argc, argv, out, words, err) &&
           settings_complete(a, argc, argv, out, err);
}

bool settings_access(struct arena *a, const struct settings_access *s, struct access *out,
                     struct err *err)
{
    struct access_wish wish = {
        s->read_only,    s->read_paths.items, s->write_paths.items, s->deny_paths.items,
        s->read_paths.n, s->write_paths.n,    s->deny_paths.n};
    return access_make(a, &wish, out, err);
}

str settings_expand_home(struct arena *a, str path)
{
    const char *home = getenv("HOME");
    if (home == NULL || !(str_eq(path, STR("~")) || str_starts(path, STR("~/"))))
        return path;
    return arena_printf(a, "%s" STR_FMT, home, STR_ARG(str_skip(path, 1)));
}

str settings_state_dir(struct arena *a, str given)
{
    if (given.n > 0)
        return arena_str(a, given);
    const char *xdg = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    if (xdg != NULL && xdg[0] == '/')
        return arena_printf(a, "%s/vaultd", xdg);
    return arena_printf(a, "%s/.local/state/vaultd", home != NULL ? home : "");
}
