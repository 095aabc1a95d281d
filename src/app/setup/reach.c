#include "app/setup/reach.h"

#include <stdio.h>

#include "app/setup/profiles.h"
#include "app/setup/settings.h"
#include "base/uri.h"
#include "http/address.h"
#include "http/forwarded.h"
#include "http/guard.h"
#include "http/request.h"
#include "http/response.h"
#include "http/server.h"
#include "state/store.h"

str reach_database(struct arena *a, const struct settings *s)
{
    str folder = settings_state_dir(a, s->state_dir);
    return arena_printf(a, STR_FMT "/oauth.db", STR_ARG(folder));
}

const char *reach_state(struct arena *a, const struct settings *s)
{
    if (s->state_db.n > 0)
        return s->state_db.p;
    return s->state == STATE_MEMORY ? NULL : reach_database(a, s).p;
}

/* --- the content of the store --- */

static bool read_content(struct store *store, struct arena *a, struct reach_content *out,
                         struct err *err)
{
    struct store_value v[2];
    if (!store_get(store, a, SQL_ACCESS_GIVEN, STORE_NO_ARGS, v, 2, err))
        return false;
    *out = (struct reach_content){.keys = v[0].n > 0, .given = v[1].n > 0};
    return true;
}

/* The file is read even with --state memory: it says who had access before. */
void reach_look(const struct settings *s, struct reach_content *out)
{
    struct arena a = {0};
    struct store *store = NULL;
    struct err err = {0};
    const char *where = s->state_db.n > 0 ? s->state_db.p : reach_database(&a, s).p;
    *out = (struct reach_content){0};
    if (!store_find(where, &store, &err))
        out->unknown = err.code != ERR_NOT_FOUND;
    else if (!read_content(store, &a, out, &err))
        out->unknown = true;
    store_close(store);
    arena_release(&a);
}

/* --- the decision --- */

/* The setting that names who may sign in; NULL: none. */
static const char *people_setting(const struct settings *s)
{
    return s->auth_users.n > 0           ? "--auth-users"
           : s->auth_users_file.n > 0    ? "--auth-users-file"
           : s->github_client_id.n > 0   ? "--github-client-id"
           : s->oidc_issuer.n > 0        ? "--oidc-issuer"
           : s->oauth_clients_file.n > 0 ? "--oauth-clients-file"
                                         : NULL;
}

bool reach_has_people(const struct settings *s, const struct reach_content *c)
{
    return people_setting(s) != NULL || c->keys || c->unknown;
}

/* "vault.example:8443" of "https://vault.example:8443/path" */
static str reach_authority(str url)
{
    struct uri_parts parts;
    return uri_split(url, &parts) ? parts.place : STR("");
}

static bool reach_is_local(str address)
{
    struct net_address parsed;
    struct err err;
    return http_address_parse(address, &parsed, &err) && net_is_local(&parsed);
}

/* The setting that says so, such as "listen-addr ':80'"; empty: others cannot. */
static str reach_why(struct arena *a, const struct settings *s)
{
    if (!reach_is_local(s->listen_addr))
        return arena_printf(a, "listen-addr '" STR_FMT "'", STR_ARG(s->listen_addr));
    if (s->server_url.n > 0 && !http_host_is_loopback(reach_authority(s->server_url)))
        return arena_printf(a, "server-url '" STR_FMT "'", STR_ARG(s->server_url));
    for (size_t i = 0; i < s->allowed_hosts.n; i++)
        if (!http_host_is_loopback(s->allowed_hosts.items[i]))
            return arena_printf(a, "allowed-hosts '" STR_FMT "'",
                                STR_ARG(s->allowed_hosts.items[i]));
    if (s->trusted_proxies.n > 0)
        return arena_printf(a, "trusted-proxies '" STR_FMT "'",
                            STR_ARG(s->trusted_proxies.items[0]));
    return STR("");
}

static bool reach_refuse(struct err *err, str why)
{
    return err_set(err, ERR_INVALID,
                   STR_FMT " makes the server reachable by others without signing in: "
                           "give --auth-users-file, add a key with vaultd key add, or "
                           "allow it with --auth none",
                   STR_ARG(str_slice(why, 0, 80)));
}

/* "--auth none", or the profile whose default it is. */
static str open_by(struct arena *a, const struct settings *s)
{
    return s->auth_given ? STR("--auth none")
                         : arena_printf(a, "profile %s", profiles[s->profile].name);
}

static bool refuse_open(const struct settings *s, const char *what, const char *remedy,
                        struct err *err)
{
    struct arena a = {0};
    err_set(err, ERR_INVALID, STR_FMT " lets everyone in, but %s: %s%s",
            STR_ARG(open_by(&a, s)), what, remedy,
            s->auth_given ? "" : ", or give --auth required");
    arena_release(&a);
    return false;
}

/* The server is open to everyone who can reach it, if nothing contradicts that. */
static bool check_open(const struct settings *s, const struct reach_content *c,
                       struct err *err)
{
    const char *people = people_setting(s);
    char what[64];
    if (people != NULL) {
        snprintf(what, sizeof(what), "%s names who may sign in", people);
        return refuse_open(s, what, "remove one of them", err);
    }
    if (s->vaults_dir.n > 0)
        return refuse_open(s, "--vaults-dir serves each user their own vaults",
                           "give --auth-users-file instead, or serve the vaults with "
                           "--vault NAME=FOLDER",
                           err);
    if (c->keys)
        return refuse_open(s, "the state folder has API keys",
                           "revoke them (vaultd key list shows them) or use another "
                           "--state-dir",
                           err);
    if (!s->auth_given && (c->given || c->unknown))
        return refuse_open(s, "users signed in to this state folder",
                           "use another --state-dir, confirm with --auth none", err);
    return true;
}

static bool check_memory(const struct settings *s, struct err *err)
{
    return s->state != STATE_MEMORY ||
           err_set(err, ERR_INVALID,
                   "the state folder has sign-ins, which --state memory ignores, so no "
                   "client could sign in: give --auth-users-file, use another "
                   "--state-dir, or let everyone in with --auth none");
}

static bool check_local(const struct settings *s, struct err *err)
{
    struct arena a = {0};
    str why = reach_why(&a, s);
    bool ok = why.n == 0 || reach_refuse(err, why);
    arena_release(&a);
    return ok;
}

bool reach_decide(const struct settings *s, const struct reach_content *c, bool *signs_in,
                  struct err *err)
{
    *signs_in = false;
    if (s->stdio)
        return true;
    if (s->auth == AUTH_NONE)
        return check_open(s, c, err);
    bool asked = s->auth == AUTH_REQUIRED || people_setting(s) != NULL ||
                 s->vaults_dir.n > 0 || s->state_db.n > 0;
    *signs_in = asked || c->given || c->unknown;
    return asked || (*signs_in ? check_memory(s, err) : check_local(s, err));
}

bool reach_settle(struct settings *s, struct reach_content *c, struct err *err)
{
    *c = (struct reach_content){0};
    if (s->unmet.n > 0)
        return err_set(err, ERR_INVALID, STR_FMT, STR_ARG(s->unmet));
    if (!s->stdio)
        reach_look(s, c);
    return reach_decide(s, c, &s->signs_in, err);
}

bool reach_check_bound(const struct settings *s, bool elsewhere, bool signs_in,
                       struct err *err)
{
    return !elsewhere || s->auth == AUTH_NONE || signs_in ||
           reach_refuse(err, STR("an inherited socket"));
}

bool reach_is_open_to(const struct settings *s, const struct http_request *r)
{
    str host = http_header(r, STR("host"));
    return s->auth == AUTH_NONE || (r->peer_is_local && !http_is_forwarded(r) &&
                                    (host.p == NULL || http_host_is_loopback(host)));
}

bool reach_admit(const struct settings *s, struct http_exchange *x)
{
    if (reach_is_open_to(s, http_request_of(x)))
        return true;
    http_reply(x, &(struct http_response){
                      .status = 403,
                      .content_type = STR("application/json"),
                      .body = STR("{\"error\":\"this request came through a proxy, but "
                                  "clients do not sign in here: start vaultd with "
                                  "--auth-users-file, or with --auth none\"}")});
    return false;
}
