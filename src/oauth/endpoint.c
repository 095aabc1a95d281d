#include "oauth/endpoint.h"

#include "base/encode.h"
#include "base/json_write.h"
#include "http/form.h"
#include "http/request.h"
#include "http/response.h"
#include "http/server.h"
#include "oauth/clients.h"
#include "oauth/parts.h"
#include "oauth/proof/secret.h"

struct endpoint_job {
    struct oauth *oauth;
    struct http_exchange *x;
    void (*work)(struct endpoint *e);
};

static void endpoint_run_request(void *arg)
{
    struct endpoint_job *job = arg;
    struct arena a = {0};
    struct endpoint e = {.oauth = job->oauth,
                         .x = job->x,
                         .request = http_request_of(job->x),
                         .arena = &a};
    job->work(&e);
    arena_release(&a);
    free(job);
}

void endpoint_run(struct oauth *o, struct http_exchange *x,
                  void (*work)(struct endpoint *e))
{
    struct endpoint_job *job = mem_alloc(sizeof(*job));
    *job = (struct endpoint_job){o, x, work};
    if (pool_try(o->work, endpoint_run_request, job))
        return;
    free(job);
    struct arena a = {0};
    endpoint_refuse(&(struct endpoint){.oauth = o, .x = x, .arena = &a},
                    &(struct oauth_fault){503, "temporarily_unavailable",
                                          "The server is overloaded; try again"});
    arena_release(&a);
}

static void endpoint_send(struct endpoint *e, struct http_response *r)
{
    r->content_type = STR("application/json");
    http_add_header(r, STR("Cache-Control"), STR("no-store"));
    http_add_header(r, STR("Pragma"), STR("no-cache"));
    http_reply(e->x, r);
}

void endpoint_reply(struct endpoint *e, int status, str json)
{
    endpoint_send(e, &(struct http_response){.status = status, .body = json});
}

void endpoint_refuse(struct endpoint *e, const struct oauth_fault *fault)
{
    struct sbuf body = SBUF_ON(e->arena);
    struct jsonw w = JSONW_ON(&body);
    jsonw_object(&w);
    jsonw_put_str(&w, STR("error"), str_c(fault->code));
    jsonw_put_str(&w, STR("error_description"), str_c(fault->text));
    jsonw_end(&w);
    struct http_response r = {.status = fault->status, .body = sbuf_str(&body)};
    if (fault->status == 401)
        http_add_header(&r, STR("WWW-Authenticate"),
                        e->basic ? STR("Basic realm=\"vaultd\"") : STR("Bearer"));
    if (fault->status == 429 || fault->status == 503)
        http_add_header(
            &r, STR("Retry-After"),
            arena_printf(e->arena, "%d",
                         fault->status == 429 ? ENDPOINT_CROWDED_S : ENDPOINT_RETRY_S));
    endpoint_send(e, &r);
}

bool endpoint_form(struct endpoint *e, struct form *out)
{
    struct err err;
    struct oauth_fault fault = {400, "invalid_request", err.msg};
    bool ok = false;
    if (!str_eq_nocase(http_content_type(e->request),
                       STR("application/x-www-form-urlencoded")))
        fault.text = "The body must be application/x-www-form-urlencoded";
    else
        ok = form_parse(e->arena, e->request->body, STR(""), out, &err);
    if (!ok)
        endpoint_refuse(e, &fault);
    return ok;
}

/* --- client authentication --- */

struct credentials {
    str id, secret; /* secret.p NULL: none */
    enum oauth_client_auth method;
};

static bool refuse_client(struct oauth_fault *fault)
{
    return fault_set(fault, 401, "invalid_client",
                     "The client is unknown or failed to authenticate");
}

/* RFC 6749 §2.3.1: both halves are form-encoded inside the base64. */
static bool read_basic(struct arena *a, str value, struct credentials *out)
{
    str text;
    if (value.n < 6 || !str_eq_nocase(str_slice(value, 0, 6), STR("Basic ")) ||
        !decode_base64(a, str_skip(value, 6), &text))
        return false;
    size_t colon = str_find_char(text, ':');
    out->method = CLIENT_SECRET_BASIC;
    return colon != STR_NONE && form_decode(a, str_slice(text, 0, colon), &out->id) &&
           form_decode(a, str_skip(text, colon + 1), &out->secret);
}

static bool read_credentials(struct endpoint *e, const struct form *f,
                             struct credentials *out, struct oauth_fault *fault)
{
    size_t headers = http_header_count(e->request, STR("authorization"));
    str id = form_get(f, STR("client_id")), secret = form_get(f, STR("client_secret"));
    e->basic = headers > 0;
    if (headers > 1 || (headers > 0 && secret.p != NULL))
        return fault_set(fault, 400, "invalid_request",
                         "Use only one client authentication method");
    *out = (struct credentials){id, secret,
                                secret.p != NULL ? CLIENT_SECRET_POST : CLIENT_PUBLIC};
    if (headers == 0)
        return id.p != NULL || refuse_client(fault);
    return (read_basic(e->arena, http_header(e->request, STR("authorization")), out) &&
            (id.p == NULL || str_eq(id, out->id))) ||
           refuse_client(fault);
}

bool endpoint_client(struct endpoint *e, const struct form *f, struct oauth_client *out,
                     struct oauth_fault *fault)
{
    struct credentials given;
    struct err err = {0};
    if (!read_credentials(e, f, &given, fault))
        return false;
    if (!clients_find(e->oauth, e->arena, given.id, out, &err))
        return err.code == ERR_BUSY || err.code == ERR_INTERNAL
                   ? fault_of_store(fault, &err)
                   : refuse_client(fault);
    if (given.method != out->auth)
        return refuse_client(fault);
    return out->auth == CLIENT_PUBLIC || secret_matches(given.secret, out->secret_hash) ||
           refuse_client(fault);
}
