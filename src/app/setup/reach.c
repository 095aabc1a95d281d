#include "app/setup/reach.h"

#include <errno.h>

#include "app/setup/settings.h"
#include "base/os/file.h"
#include "http/address.h"
#include "http/forwarded.h"
#include "http/guard.h"
#include "http/request.h"
#include "http/response.h"
#include "http/server.h"

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

bool reach_has_database(const struct settings *s)
{
    struct arena a = {0};
    bool missing = s->state_db.n == 0 && !file_exists(reach_database(&a, s).p) &&
                   (errno == ENOENT || errno == ENOTDIR);
    arena_release(&a);
    return !missing;
}

bool reach_signs_in(const struct settings *s)
{
    return settings_ask_who(s) || (s->auth == AUTH_AUTO && reach_has_database(s));
}

/* "vault.example:8443" of "https://vault.example:8443/path" */
static str reach_authority(str url)
{
    str rest = str_skip(url, str_find(url, STR("://")) + 3);
    return str_slice(rest, 0, str_find_char(rest, '/'));
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

bool reach_check(const struct settings *s, struct err *err)
{
    struct arena a = {0};
    bool ok = true;
    if (s->stdio || s->auth == AUTH_NONE || settings_ask_who(s))
        return true;
    if (reach_has_database(s)) {
        ok = s->state != STATE_MEMORY ||
             err_set(err, ERR_INVALID,
                     "the state folder has sign-ins, which --state memory ignores, so "
                     "nobody could sign in: give --auth-users-file, use another "
                     "--state-dir, or let everybody in with --auth none");
    } else {
        str why = reach_why(&a, s);
        ok = why.n == 0 || reach_refuse(err, why);
    }
    arena_release(&a);
    return ok;
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
