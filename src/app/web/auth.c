#include "app/web/auth.h"

#include "app/setup/app.h"
#include "app/setup/profiles.h"
#include "app/setup/proposals.h"
#include "app/setup/reach.h"
#include "app/setup/settings.h"
#include "app/setup/vaults.h"
#include "app/web/account.h"
#include "base/fs.h"
#include "oauth/oauth.h"
#include "oauth/users.h"

/* NULL: keep it only in memory. */
static bool database_of(const struct settings *s, struct arena *a, const char **out,
                        struct err *err)
{
    *out = reach_state(a, s);
    return *out == NULL || s->state_db.n > 0 ||
           fs_make_folder(settings_state_dir(a, s->state_dir).p, err);
}

/* The URL clients use: as given, else the address we listen on. */
static bool url_of(const struct settings *s, struct arena *a, str *out, struct err *err)
{
    str url = s->server_url;
    if (url.n == 0 && str_starts(s->listen_addr, STR("127.0.0.1:")) &&
        !str_ends(s->listen_addr, STR(":0")))
        url = arena_printf(a, "http://" STR_FMT, STR_ARG(s->listen_addr));
    if (url.n == 0)
        return err_set(
            err, ERR_INVALID,
            "clients must sign in, so they need the server's URL: give --server-url");
    *out = url;
    return true;
}

static struct oauth_config config_of(const struct settings *s)
{
    return (struct oauth_config){
        .mcp_path = STR("/mcp"),
        .root_challenge = profiles[s->profile].root_challenge,
        .token_format = (enum oauth_tokens)s->token_format,
        .access_ttl = s->access_ttl,
        .refresh_ttl = s->refresh_ttl,
        .refresh_idle = s->refresh_idle,
        .reuse_window = s->refresh_reuse_window,
        .users = s->auth_users,
        .users_file = s->auth_users_file,
        .github = {.client_id = s->github_client_id,
                   .client_secret = s->github_client_secret,
                   .allowed = s->github_allowed_users.items,
                   .n_allowed = s->github_allowed_users.n,
                   .oauth_url = s->github_oauth_url,
                   .api_url = s->github_api_url},
        .oidc = {.issuer = s->oidc_issuer,
                 .client_id = s->oidc_client_id,
                 .client_secret = s->oidc_client_secret,
                 .name = s->oidc_name,
                 .allowed = s->oidc_allowed.items,
                 .n_allowed = s->oidc_allowed.n,
                 .claim = s->oidc_claim},
        .development = s->oauth_development,
    };
}

/* What the settings and the files that they name say about who may sign in. */
static bool read_people(const struct settings *s, struct arena *a,
                        struct oauth_config *config, struct err *err)
{
    return url_of(s, a, &config->url, err) &&
           (s->oauth_clients_file.n == 0 ||
            auth_read_clients(a, s->oauth_clients_file, config, err));
}

/* With half of the settings, no user could sign in. */
static bool check_github(const struct settings *s, struct err *err)
{
    if (s->github_client_id.n > 0 && s->github_client_secret.n == 0)
        return err_set(err, ERR_INVALID,
                       "github-client-id needs --github-client-secret-file");
    return s->github_client_id.n == 0 || s->github_allowed_users.n > 0 ||
           err_set(err, ERR_INVALID,
                   "github-client-id needs --github-allowed-users, which says who may "
                   "sign in");
}

bool auth_check(struct arena *a, const struct settings *s, struct err *err)
{
    struct oauth_config config = config_of(s);
    struct users *users = NULL;
    bool ok =
        !s->signs_in || (check_github(s, err) && read_people(s, a, &config, err) &&
                         oauth_check(&config, err) &&
                         users_create(s->auth_users, s->auth_users_file, &users, err));
    users_free(users);
    return ok;
}

static bool open_all(struct app *app, struct arena *a, struct oauth **out,
                     struct err *err)
{
    const struct settings *s = &app->settings;
    struct oauth_config config = config_of(s);
    account_offer(app, a, &config);
    config.vault_name = app_names(app, a);
    config.read_only = app->access.read_only;
    config.only_proposes = app->review.propose;
    config.no_proposals = app->proposals == NULL;
    config.store = replica_is_shared(&app->replica) ? app->replica.store
                   : app->hosted != NULL            ? vaults_store(app)
                                                    : proposals_store(app);
    return read_people(s, a, &config, err) && database_of(s, a, &config.database, err) &&
           oauth_create(&config, out, err) &&
           (s->oauth_clients_file.n == 0 || oauth_forget_removed(*out, err));
}

bool auth_open(struct app *app, struct oauth **out, struct err *err)
{
    struct arena a = {0};
    *out = NULL;
    bool ok = !app->settings.signs_in || open_all(app, &a, out, err);
    arena_release(&a);
    return ok;
}

bool auth_reload_clients(const struct settings *s, struct oauth *o, struct err *err)
{
    struct arena a = {0};
    struct oauth_config config = {0};
    bool ok = s->oauth_clients_file.n == 0 ||
              (auth_read_clients(&a, s->oauth_clients_file, &config, err) &&
               oauth_set_clients(o, config.clients, config.n_clients, err));
    arena_release(&a);
    return ok;
}

bool auth_open_store(const struct settings *s, struct oauth **out, struct err *err)
{
    struct arena a = {0};
    struct oauth_config config = {.url = STR("http://localhost"),
                                  .mcp_path = STR("/mcp"),
                                  .access_ttl = s->access_ttl};
    bool ok =
        database_of(s, &a, &config.database, err) && oauth_create(&config, out, err);
    arena_release(&a);
    return ok;
}
