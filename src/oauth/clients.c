#include "oauth/clients.h"

#include "base/sbuf.h"
#include "base/utf8.h"
#include "oauth/documents.h"
#include "oauth/parts.h"
#include "oauth/rights.h"
#include "oauth/sql.h"
#include "oauth/uri.h"
#include "state/store.h"

const str *copy_texts(struct arena *a, const str *list, size_t n)
{
    str *copy = ARENA_ARRAY(a, str, n);
    for (size_t i = 0; i < n; i++)
        copy[i] = arena_str(a, list[i]);
    return copy;
}

/* --- configured clients --- */

static struct oauth_client copy_client(struct arena *a, const struct oauth_client *c)
{
    struct oauth_client copy = *c;
    copy.id = arena_str(a, c->id);
    copy.name = arena_str(a, c->name);
    copy.kind = CLIENT_CONFIGURED;
    copy.redirect_uris = copy_texts(a, c->redirect_uris, c->n_redirect_uris);
    copy.rights = rights_copy(a, &c->rights);
    return copy;
}

void configured_set(struct oauth *o, const struct oauth_client *clients, size_t n)
{
    struct oauth_configured *c = &o->configured;
    struct arena next = {0}, before;
    struct oauth_client *all = ARENA_ARRAY(&next, struct oauth_client, n);
    for (size_t i = 0; i < n; i++)
        all[i] = copy_client(&next, &clients[i]);
    lock_shared_write(&c->lock);
    before = c->arena;
    c->arena = next;
    c->all = all;
    c->n = n;
    lock_shared_drop(&c->lock);
    arena_release(&before);
}

bool configured_find(struct oauth *o, struct arena *a, str id, struct oauth_client *out)
{
    struct oauth_configured *c = &o->configured;
    size_t i = 0;
    lock_shared_read(&c->lock);
    while (i < c->n && !str_eq(c->all[i].id, id))
        i++;
    bool found = i < c->n;
    if (found)
        *out = copy_client(a, &c->all[i]);
    lock_shared_drop(&c->lock);
    return found;
}

static bool is_url(str id)
{
    return str_starts(id, STR("https://")) || str_starts(id, STR("http://"));
}

bool clients_is_gone(struct oauth *o, str id, bool registered)
{
    struct arena a = {0};
    struct oauth_client c;
    bool gone = !registered && !is_url(id) && !configured_find(o, &a, id, &c);
    arena_release(&a);
    return gone;
}

/* --- */

static void clients_read_redirects(struct arena *a, str text, struct oauth_client *out)
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
    clients_read_redirects(a, v[4].s, out);
    return true;
}

bool clients_find(struct oauth *o, struct arena *a, str id, struct oauth_client *out,
                  struct err *err)
{
    if (configured_find(o, a, id, out))
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
