#include "oauth/provider.h"

#include "base/encode.h"
#include "base/hash.h"
#include "base/os/rand.h"
#include "fetch/fetch.h"
#include "http/form.h"
#include "oauth/provider_parts.h"

enum { TRIP_SECRET = 32 };

static str fresh(struct arena *a)
{
    char bytes[TRIP_SECRET];
    rand_bytes(bytes, sizeof(bytes));
    return encode_base64url(a, (str){bytes, sizeof(bytes)});
}

void provider_add(struct sbuf *b, str name, str value)
{
    if (b->n > 0)
        sbuf_char(b, '&');
    sbuf_add(b, form_encode(b->arena, name));
    sbuf_char(b, '=');
    sbuf_add(b, form_encode(b->arena, value));
}

void provider_start(struct arena *a, struct provider_sign_in *sign_in)
{
    *sign_in = (struct provider_sign_in){
        .state = fresh(a), .verifier = fresh(a), .nonce = fresh(a)};
}

str provider_url(struct arena *a, str base, str client_id, str callback, str scope,
                 const struct provider_sign_in *sign_in)
{
    uint8_t hash[HASH_SIZE];
    hash_sha256(sign_in->verifier, hash);
    struct sbuf b = SBUF_ON(a);
    provider_add(&b, STR("response_type"), STR("code"));
    provider_add(&b, STR("client_id"), client_id);
    provider_add(&b, STR("redirect_uri"), callback);
    provider_add(&b, STR("scope"), scope);
    provider_add(&b, STR("state"), sign_in->state);
    provider_add(&b, STR("code_challenge_method"), STR("S256"));
    provider_add(&b, STR("code_challenge"),
                 encode_base64url(a, (str){(const char *)hash, sizeof(hash)}));
    char joint = str_find_char(base, '?') == STR_NONE ? '?' : '&';
    return arena_printf(a, STR_FMT "%c" STR_FMT, STR_ARG(base), joint,
                        STR_ARG(sbuf_str(&b)));
}

bool provider_code(struct arena *a, const struct provider_sign_in *sign_in, str query,
                   str *code, struct err *err)
{
    struct form form;
    if (!form_parse(a, query, STR(""), &form, err))
        return false;
    if (!hash_equal(form_get(&form, STR("state")), sign_in->state))
        return err_set(err, ERR_DENIED, "the answer belongs to another sign-in");
    if (form_get(&form, STR("error")).n > 0)
        return err_set(err, ERR_DENIED, "the provider refused the sign-in");
    *code = form_get(&form, STR("code"));
    return code->n > 0 || err_set(err, ERR_INVALID, "the answer has no code");
}

str provider_form(struct arena *a, str code, str callback,
                  const struct provider_sign_in *sign_in)
{
    struct sbuf b = SBUF_ON(a);
    provider_add(&b, STR("grant_type"), STR("authorization_code"));
    provider_add(&b, STR("code"), code);
    provider_add(&b, STR("redirect_uri"), callback);
    provider_add(&b, STR("code_verifier"), sign_in->verifier);
    return sbuf_str(&b);
}

bool provider_ask(struct arena *a, const char *provider, struct fetch *f,
                  const struct json **out, struct err *err)
{
    f->max = PROVIDER_SIZE;
    f->ms = PROVIDER_MS;
    f->loopback_http = true; /* the operator configured the URL */
    struct fetched got;
    if (!fetch_url(a, f, &got, err))
        return false;
    if (got.status != 200)
        return err_set(err, ERR_INTERNAL, "%s answered with status %d", provider,
                       got.status);
    struct err why;
    if (!json_parse(a, got.body, out, &why) || (*out)->type != JSON_OBJECT)
        return err_set(err, ERR_INTERNAL, "%s did not answer with JSON", provider);
    return true;
}

bool provider_allows(const str *allowed, size_t n, str name)
{
    for (size_t i = 0; i < n; i++)
        if (str_eq_nocase(allowed[i], name))
            return true;
    return false;
}
