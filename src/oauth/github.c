#include "base/text.h"
#include "oauth/provider_parts.h"

static const char provider[] = "GitHub";

bool github_begin(const struct oauth_github *g, str callback, struct arena *a,
                  struct provider_sign_in *sign_in, str *url, struct err *err)
{
    provider_start(a, sign_in);
    str base = arena_printf(a, STR_FMT "/login/oauth/authorize", STR_ARG(g->oauth_url));
    *url = provider_url(a, base, g->client_id, callback, STR("read:user"), sign_in);
    return true;
}

static bool get_token(const struct oauth_github *g, str form, struct arena *a, str *token,
                      struct err *err)
{
    struct sbuf b = SBUF_ON(a);
    sbuf_add(&b, form);
    provider_add(&b, STR("client_id"), g->client_id);
    provider_add(&b, STR("client_secret"), g->client_secret);
    struct fetch f = {.url = arena_printf(a, STR_FMT "/login/oauth/access_token",
                                          STR_ARG(g->oauth_url)),
                      .body = sbuf_str(&b)};
    const struct json *j;
    if (!provider_ask(a, provider, &f, &j, err))
        return false;
    *token = json_get_str(
        j, STR("access_token")); /* GitHub also sends errors with status 200 */
    return (token->n > 0 && json_get(j, STR("error")) == NULL) ||
           err_set(err, ERR_DENIED, "GitHub did not accept the code: sign in again");
}

/* Whether it has the form of a GitHub login, so that nothing else can pass for one. */
static bool is_login(str s)
{
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        if (!is_alnum(c) && c != '-')
            return false;
    }
    return s.n > 0 && s.n <= 39;
}

bool github_finish(const struct oauth_github *g, str callback, struct arena *a,
                   const struct provider_sign_in *sign_in, str query,
                   struct provider_user *out, struct err *err)
{
    str code, token;
    if (!provider_code(a, sign_in, query, &code, err) ||
        !get_token(g, provider_form(a, code, callback, sign_in), a, &token, err))
        return false;
    struct fetch f = {.url = arena_printf(a, STR_FMT "/user", STR_ARG(g->api_url)),
                      .bearer = token};
    const struct json *j;
    if (!provider_ask(a, provider, &f, &j, err))
        return false;
    int64_t id;
    str login = json_get_str(j, STR("login"));
    if (!is_login(login) || !json_int(json_get(j, STR("id")), &id))
        return err_set(err, ERR_INTERNAL, "GitHub did not say who signed in");
    if (!provider_allows(g->allowed, g->n_allowed, login))
        return err_set(err, ERR_DENIED, "%.*s may not sign in here", (int)login.n,
                       login.p);
    *out = (struct provider_user){.name = login,
                                  .id = arena_printf(a, "%lld", (long long)id)};
    return true;
}
