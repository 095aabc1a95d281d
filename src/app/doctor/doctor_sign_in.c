/* How a client finds out where to sign in, and signs in. */
#include "app/doctor/doctor_parts.h"

/* --- where to sign in --- */

/* Fetches a document; false: the step has failed, or was skipped. */
static bool document(struct doctor *d, struct doctor_step *s, str url,
                     const struct json **out)
{
    struct fetch f = {.url = url};
    struct fetched got;
    struct err err;
    if (d->open) {
        doctor_skip(s, STR("no sign-in is required"));
        return false;
    }
    if (!doctor_ask(d, s, &f, &got))
        return false;
    if (got.status != 200 || !json_parse(d->arena, got.body, out, &err))
        return doctor_bad(d, s, s->probe->missing, doctor_describe(d, &got));
    doctor_good(d, s, &got);
    return true;
}

static void resource(struct doctor *d, struct doctor_step *s, str url, str name)
{
    const struct json *j;
    if (!document(d, s, url, &j))
        return;
    str named = json_get_str(j, STR("resource"));
    const struct json *servers = json_get(j, STR("authorization_servers"));
    if (!str_eq(named, name))
        doctor_bad(d, s, CAUSE_SERVER_URL,
                   arena_printf(d->arena, "resource \"" STR_FMT "\"", STR_ARG(named)));
    else if (!json_is(servers, JSON_ARRAY) || servers->n == 0)
        doctor_bad(d, s, CAUSE_OTHER, STR("no authorization_servers"));
}

void probe_named_resource(struct doctor *d, struct doctor_step *s)
{
    if (!d->open && d->metadata_url.n == 0)
        doctor_skip(s, STR("no challenge has its URL"));
    else
        resource(d, s, d->metadata_url, d->url);
}

static str below_origin(struct doctor *d, const char *path)
{
    return arena_printf(d->arena, STR_FMT "%s", STR_ARG(d->origin), path);
}

void probe_path_resource(struct doctor *d, struct doctor_step *s)
{
    str url =
        arena_printf(d->arena, STR_FMT "/.well-known/oauth-protected-resource" STR_FMT,
                     STR_ARG(d->origin), STR_ARG(d->path));
    resource(d, s, url, d->url);
}

void probe_root_resource(struct doctor *d, struct doctor_step *s)
{
    resource(d, s, below_origin(d, "/.well-known/oauth-protected-resource"), d->origin);
}

void probe_server(struct doctor *d, struct doctor_step *s)
{
    const struct json *j;
    if (!document(d, s, below_origin(d, s->probe->with), &j))
        return;
    str issuer = json_get_str(j, STR("issuer"));
    d->authorize_url = json_get_str(j, STR("authorization_endpoint"));
    d->token_url = json_get_str(j, STR("token_endpoint"));
    d->register_url = json_get_str(j, STR("registration_endpoint"));
    if (!str_eq(issuer, d->origin))
        doctor_bad(d, s, CAUSE_SERVER_URL,
                   arena_printf(d->arena, "issuer \"" STR_FMT "\"", STR_ARG(issuer)));
    else if (d->authorize_url.n == 0 || d->token_url.n == 0)
        doctor_bad(d, s, CAUSE_OTHER, STR("no authorization_endpoint or token_endpoint"));
}

/* --- signing in --- */

/* Whether there is an endpoint to test; if not, the step is skipped. */
static bool has(const struct doctor *d, struct doctor_step *s, str url)
{
    if (url.n > 0)
        return true;
    doctor_skip(s,
                d->open ? STR("no sign-in is required") : STR("no metadata has its URL"));
    return false;
}

static bool registers(struct doctor *d, struct doctor_step *s, const char *client,
                      const char *callbacks)
{
    const str headers[] = {STR(DOCTOR_JSON)};
    struct fetch f = {.url = d->register_url,
                      .headers = headers,
                      .n_headers = COUNT_OF(headers),
                      .body = arena_printf(d->arena,
                                           "{\"client_name\":\"%s (vaultd doctor)\","
                                           "\"redirect_uris\":[%s],"
                                           "\"grant_types\":[\"authorization_code\","
                                           "\"refresh_token\"],"
                                           "\"token_endpoint_auth_method\":\"none\"}",
                                           client, callbacks)};
    struct fetched got;
    if (!doctor_ask(d, s, &f, &got))
        return false;
    doctor_good(d, s, &got);
    return got.status == 201 || got.status == 200 ||
           doctor_bad(d, s, CAUSE_REGISTRATION,
                      arena_printf(d->arena, "%s: " STR_FMT, client,
                                   STR_ARG(doctor_describe(d, &got))));
}

void probe_register(struct doctor *d, struct doctor_step *s)
{
    static const struct {
        const char *name, *callbacks;
    } clients[] = {
        {"Claude", "\"https://claude.ai/api/mcp/auth_callback\","
                   "\"https://claude.com/api/mcp/auth_callback\""},
        {"ChatGPT", "\"https://chatgpt.com/connector_platform_oauth_redirect\""},
        {"Claude Code", "\"http://localhost:54545/callback\""},
        {"Inspector", "\"http://localhost:6274/oauth/callback\""},
    };
    if (!has(d, s, d->register_url))
        return;
    if (!d->registers) {
        doctor_skip(s, STR("--no-register"));
        return;
    }
    for (size_t i = 0; i < COUNT_OF(clients); i++)
        if (!registers(d, s, clients[i].name, clients[i].callbacks))
            return;
}

/* Without a client the page can only show an error, which is enough here. */
void probe_authorize(struct doctor *d, struct doctor_step *s)
{
    const str headers[] = {STR("Accept: text/html")};
    struct fetch f = {
        .url = d->authorize_url, .headers = headers, .n_headers = COUNT_OF(headers)};
    struct fetched got;
    if (!has(d, s, d->authorize_url) || !doctor_ask(d, s, &f, &got))
        return;
    if (got.status == 400 && str_eq_nocase(got.content_type, STR("text/html")))
        doctor_good(d, s, &got);
    else
        doctor_bad(d, s, s->probe->missing, doctor_describe(d, &got));
}

void probe_token(struct doctor *d, struct doctor_step *s)
{
    struct fetch f = {.url = d->token_url,
                      .body = STR("grant_type=authorization_code&client_id=doctor&"
                                  "code=none&code_verifier=none")};
    struct fetched got;
    if (!has(d, s, d->token_url) || !doctor_ask(d, s, &f, &got))
        return;
    if ((got.status == 400 || got.status == 401) && doctor_is_json(&got))
        doctor_good(d, s, &got);
    else
        doctor_bad(d, s, s->probe->missing, doctor_describe(d, &got));
}

/* An invalid token must be recognized as a token. */
void probe_authorization(struct doctor *d, struct doctor_step *s)
{
    struct fetch f;
    struct fetched got;
    if (d->open) {
        doctor_skip(s, STR("no sign-in is required"));
        return;
    }
    doctor_post(d, d->url, HEADERS("Authorization: Bearer not-a-token"), &f);
    if (!doctor_ask(d, s, &f, &got))
        return;
    if (got.status == 401 && str_find(got.body, STR("invalid_token")) != STR_NONE)
        doctor_good(d, s, &got);
    else if (got.status == 401)
        doctor_bad(d, s, CAUSE_AUTHORIZATION, STR("401, as if there were no token"));
    else
        doctor_bad(d, s, CAUSE_OTHER, doctor_describe(d, &got));
}
