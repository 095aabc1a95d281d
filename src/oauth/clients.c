#include "oauth/clients.h"

#include "base/sbuf.h"
#include "base/utf8.h"
#include "oauth/documents.h"
#include "oauth/parts.h"
#include "oauth/uri.h"
#include "state/store.h"

static bool find_configured(const struct oauth *o, str id, struct oauth_client *out)
{
    const struct oauth_configured *c = atomic_load(&o->configured);
    for (size_t i = 0; i < c->n; i++) {
        if (str_eq(c->all[i].id, id)) {
            *out = c->all[i];
            return true;
        }
    }
    return false;
}

static void read_redirects(struct arena *a, str text, struct oauth_client *out)
{
    str *uris = ARENA_ARRAY(a, str, CLIENT_REDIRECTS_MAX);
    size_t n = 0;
    while (text.n > 0 && n < CLIENT_REDIRECTS_MAX && str_next(&text, '\n', &uris[n]))
        n++;
    out->redirect_uris = uris;
    out->n_redirect_uris = n;
}

static bool find_registered(struct oauth *o, struct arena *a, str id,
                            struct oauth_client *out, struct err *err)
{
    struct store_value v[5];
    if (!store_get(o->store, a, SQL_CLIENT_GET, STORE_ARGS(STORE_S(id)), v, COUNT_OF(v),
                   err))
        return false;
    *out = (struct oauth_client){.id = arena_str(a, id),
                                 .name = v[0].s,
                                 .kind = CLIENT_REGISTERED,
                                 .auth = (enum oauth_client_auth)v[1].n,
                                 .grants = (unsigned)v[2].n};
    if (v[3].s.n == sizeof(out->secret_hash))
        memcpy(out->secret_hash, v[3].s.p, v[3].s.n);
    read_redirects(a, v[4].s, out);
    return true;
}

bool clients_find(struct oauth *o, struct arena *a, str id, struct oauth_client *out,
                  struct err *err)
{
    if (find_configured(o, id, out))
        return true;
    if (id.n == 0 || id.n > CLIENT_REDIRECT_SIZE)
        return err_set(err, ERR_NOT_FOUND, "unknown client");
    if (str_starts(id, STR("https://")) ||
        (o->config.development && str_starts(id, STR("http://"))))
        return documents_find(o->documents, a, id, out, err);
    return find_registered(o, a, id, out, err);
}

bool clients_redirect(const struct oauth_client *c, str given, str *out)
{
    if (given.p == NULL) {
        if (c->n_redirect_uris != 1)
            return false;
        *out = c->redirect_uris[0];
        return true;
    }
    for (size_t i = 0; i < c->n_redirect_uris; i++) {
        if (uri_same_redirect(given, c->redirect_uris[i])) {
            *out = given;
            return true;
        }
    }
    return false;
}

/* Characters that are invisible or change how their neighbours look. */
static bool is_invisible(uint32_t c)
{
    static const uint32_t ranges[][2] = {
        {0x00, 0x1f},     {0x7f, 0x9f},       {0xad, 0xad},     {0x34f, 0x34f},
        {0x61c, 0x61c},   {0x115f, 0x1160},   {0x17b4, 0x17b5}, {0x180b, 0x180f},
        {0x200b, 0x200f}, {0x2028, 0x202e},   {0x2060, 0x206f}, {0x3164, 0x3164},
        {0xfe00, 0xfe0f}, {0xfeff, 0xfeff},   {0xffa0, 0xffa0}, {0xfff0, 0xfffb},
        {0xfffd, 0xffff}, {0xe0000, 0xe0fff},
    };
    for (size_t i = 0; i < COUNT_OF(ranges); i++)
        if (c >= ranges[i][0] && c <= ranges[i][1])
            return true;
    return false;
}

str clients_clean_name(struct arena *a, str name)
{
    struct sbuf out = SBUF_ON(a);
    size_t n, shown = 0;
    for (; name.n > 0 && shown < CLIENT_NAME_SHOWN; name = str_skip(name, n)) {
        if (is_invisible(utf8_decode(name, &n)))
            continue;
        sbuf_add(&out, str_slice(name, 0, n));
        shown++;
    }
    return str_trim(sbuf_str(&out));
}
