#include "base/clock.h"
#include "base/encode.h"
#include "base/hash.h"
#include "http/form.h"
#include "oauth/provider_parts.h"

enum { OIDC_SKEW_S = 60 };

static const char *oidc_name_of(struct arena *a, const struct oauth_oidc *p)
{
    return p->name.n > 0 ? arena_str(a, p->name).p : "the provider";
}

/* The provider's discovery document; its issuer must be the configured one. */
static bool discover(const struct oauth_oidc *p, struct arena *a, const struct json **out,
                     struct err *err)
{
    struct fetch f = {.url = arena_printf(a, STR_FMT "/.well-known/openid-configuration",
                                          STR_ARG(p->issuer))};
    if (!provider_ask(a, oidc_name_of(a, p), &f, out, err))
        return false;
    return str_eq(json_get_str(*out, STR("issuer")), p->issuer) ||
           err_set(err, ERR_INTERNAL, "%s describes itself as another issuer",
                   oidc_name_of(a, p));
}

bool oidc_begin(const struct oauth_oidc *p, str callback, struct arena *a,
                struct provider_sign_in *sign_in, str *url, struct err *err)
{
    const struct json *about;
    if (!discover(p, a, &about, err))
        return false;
    str base = json_get_str(about, STR("authorization_endpoint"));
    if (base.n == 0)
        return err_set(err, ERR_INTERNAL, "%s has no authorization endpoint",
                       oidc_name_of(a, p));
    provider_start(a, sign_in);
    struct sbuf b = SBUF_ON(a);
    sbuf_add(&b, provider_url(a, base, p->client_id, callback,
                              STR("openid email profile"), sign_in));
    provider_add(&b, STR("nonce"), sign_in->nonce);
    *url = sbuf_str(&b);
    return true;
}

static bool lists(const struct json *list, str value)
{
    if (json_is(list, JSON_ARRAY))
        for (const struct json *i = list->child; i != NULL; i = i->next)
            if (json_is(i, JSON_STRING) && str_eq(i->text, value))
                return true;
    return false;
}

/* Basic is the default if the document does not say. */
static bool wants_post(const struct json *about)
{
    const struct json *methods =
        json_get(about, STR("token_endpoint_auth_methods_supported"));
    return methods != NULL && !lists(methods, STR("client_secret_basic"));
}

static bool get_id_token(const struct oauth_oidc *p, const struct json *about, str form,
                         struct arena *a, str *token, struct err *err)
{
    struct sbuf b = SBUF_ON(a);
    sbuf_add(&b, form);
    struct fetch f = {.url = json_get_str(about, STR("token_endpoint"))};
    if (wants_post(about) || p->client_secret.n == 0) {
        provider_add(&b, STR("client_id"), p->client_id);
        if (p->client_secret.n > 0)
            provider_add(&b, STR("client_secret"), p->client_secret);
    } else {
        f.basic_user = form_encode(a, p->client_id); /* RFC 6749 §2.3.1 */
        f.basic_password = form_encode(a, p->client_secret);
    }
    f.body = sbuf_str(&b);
    const struct json *j;
    if (!provider_ask(a, oidc_name_of(a, p), &f, &j, err))
        return false;
    *token = json_get_str(j, STR("id_token"));
    return token->n > 0 ||
           err_set(err, ERR_DENIED, "%s did not say who signed in", oidc_name_of(a, p));
}

static bool read_claims(struct arena *a, str token, const struct json **out)
{
    str head, body, rest = token, text;
    struct err err;
    return str_next(&rest, '.', &head) && str_next(&rest, '.', &body) &&
           decode_base64url(a, body, &text) && json_parse(a, text, out, &err) &&
           (*out)->type == JSON_OBJECT;
}

/*
 * The token came from the token endpoint itself, over TLS, which replaces a check of its
 * signature (OpenID Connect Core 3.1.3.7, point 6).
 */
static bool check_claims(const struct oauth_oidc *p,
                         const struct provider_sign_in *sign_in,
                         const struct json *claims)
{
    const struct json *aud = json_get(claims, STR("aud"));
    const struct json *azp = json_get(claims, STR("azp"));
    int64_t expires;
    bool ours = (json_is(aud, JSON_STRING) && str_eq(aud->text, p->client_id)) ||
                lists(aud, p->client_id);
    bool party =
        azp == NULL || (json_is(azp, JSON_STRING) && str_eq(azp->text, p->client_id));
    return ours && party && str_eq(json_get_str(claims, STR("iss")), p->issuer) &&
           json_int(json_get(claims, STR("exp")), &expires) &&
           expires > clock_now() - OIDC_SKEW_S &&
           hash_equal(json_get_str(claims, STR("nonce")), sign_in->nonce);
}

bool oidc_allows(const struct oauth_oidc *p, str name)
{
    if (!str_eq(p->claim, STR("sub")))
        return provider_allows(p->allowed, p->n_allowed, name);
    for (size_t i = 0; i < p->n_allowed; i++)
        if (str_eq(p->allowed[i], name))
            return true;
    return false;
}

static bool read_user(const struct oauth_oidc *p, struct arena *a,
                      const struct json *claims, struct provider_user *out,
                      struct err *err)
{
    str name = json_get_str(claims, p->claim), id = json_get_str(claims, STR("sub"));
    bool verified =
        !str_eq(p->claim, STR("email")) || json_get_true(claims, STR("email_verified"));
    if (name.n == 0 || id.n == 0 || !verified)
        return err_set(err, ERR_DENIED, "%s did not give a verified %.*s",
                       oidc_name_of(a, p), (int)p->claim.n, p->claim.p);
    if (!oidc_allows(p, name))
        return err_set(err, ERR_DENIED, "%.*s may not sign in here",
                       name.n < 80 ? (int)name.n : 80, name.p);
    *out = (struct provider_user){
        .name = name, .id = id, .name_is_id = str_eq(p->claim, STR("sub"))};
    return true;
}

bool oidc_finish(const struct oauth_oidc *p, str callback, struct arena *a,
                 const struct provider_sign_in *sign_in, str query,
                 struct provider_user *out, struct err *err)
{
    str code, token;
    const struct json *about, *claims;
    if (!provider_code(a, sign_in, query, &code, err) || !discover(p, a, &about, err) ||
        !get_id_token(p, about, provider_form(a, code, callback, sign_in), a, &token,
                      err))
        return false;
    if (!read_claims(a, token, &claims) || !check_claims(p, sign_in, claims))
        return err_set(err, ERR_DENIED, "%s gave a token that is not for this sign-in",
                       oidc_name_of(a, p));
    return read_user(p, a, claims, out, err);
}
