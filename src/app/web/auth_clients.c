/*
 * --oauth-clients-file: a JSON list of clients, each with
 *
 *   client_id, client_name, redirect_uris, grant_types, token_endpoint_auth_method
 *                        as in a registration (RFC 7591)
 *   client_secret        or client_secret_sha256, in hex
 *   scope, folders       what client_credentials may do; folders are literal paths
 */
#include "app/web/auth.h"
#include "base/encode.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/path.h"
#include "oauth/rights.h"

enum { CLIENTS_FILE_MAX = 1 << 20 };

static bool auth_clients_fail(struct err *err, const char *what)
{
    return err_set(err, ERR_INVALID, "oauth-clients-file: %s", what);
}

static bool read_texts(struct arena *a, const struct json *list, const str **out,
                       size_t *n)
{
    *n = 0;
    if (list == NULL)
        return true;
    if (!json_is(list, JSON_ARRAY))
        return false;
    str *texts = ARENA_ARRAY(a, str, list->n);
    for (const struct json *j = list->child; j != NULL; j = j->next)
        if (!json_str(j, &texts[(*n)++]))
            return false;
    *out = texts;
    return true;
}

/* Literal folders, as vaultd key add takes them; "/" is the whole vault. */
static bool read_folders(struct arena *a, const struct json *list,
                         struct oauth_rights *out, struct err *err)
{
    const str *texts = NULL;
    struct err why = {0};
    if (!read_texts(a, list, &texts, &out->n_places))
        return auth_clients_fail(err, "folders must be a list of strings");
    struct rights_place *places = ARENA_ARRAY(a, struct rights_place, out->n_places);
    for (size_t i = 0; i < out->n_places; i++) {
        places[i].level = RIGHTS_WRITE;
        if (texts[i].n == 0 || !path_clean(a, texts[i], &places[i].folder, &why))
            return auth_clients_fail(err, "folders must be paths in the vault, such as "
                                          "\"Projects\"; \"/\" is the whole vault");
    }
    out->places = places;
    out->elsewhere = out->n_places > 0 ? RIGHTS_NONE : RIGHTS_WRITE;
    return true;
}

static bool read_client_secret(struct arena *a, const struct json *j,
                               struct oauth_client *c, struct err *err)
{
    str secret, hash;
    bool plain = json_str(json_get(j, STR("client_secret")), &secret) && secret.n > 0;
    bool hashed = json_str(json_get(j, STR("client_secret_sha256")), &hash);
    str method = STR("none");
    json_str(json_get(j, STR("token_endpoint_auth_method")), &method);
    if (!plain && !hashed)
        return str_eq(method, STR("none")) ||
               auth_clients_fail(err, "a client has no secret");
    c->auth = str_eq(method, STR("client_secret_post")) ? CLIENT_SECRET_POST
                                                        : CLIENT_SECRET_BASIC;
    if (plain) {
        hash_sha256(secret, c->secret_hash);
        return true;
    }
    str bytes;
    if (!decode_hex(a, hash, &bytes) || bytes.n != HASH_SIZE)
        return auth_clients_fail(err, "client_secret_sha256 must be 64 hex characters");
    memcpy(c->secret_hash, bytes.p, HASH_SIZE);
    return true;
}

static bool read_grants(struct arena *a, const struct json *list, struct oauth_client *c,
                        struct err *err)
{
    static const struct {
        str name;
        enum oauth_grant_type type;
    } known[] = {
        {{"authorization_code", 18}, GRANT_CODE},
        {{"refresh_token", 13}, GRANT_REFRESH},
        {{"client_credentials", 18}, GRANT_CREDENTIALS},
    };
    const str *names = NULL;
    size_t n;
    if (!read_texts(a, list, &names, &n))
        return auth_clients_fail(err, "grant_types must be a list of names");
    c->grants = n == 0 ? GRANT_CODE | GRANT_REFRESH : 0;
    for (size_t i = 0; i < n; i++) {
        unsigned before = c->grants;
        for (size_t k = 0; k < COUNT_OF(known); k++)
            if (str_eq(names[i], known[k].name))
                c->grants |= known[k].type;
        if (c->grants == before)
            return auth_clients_fail(err, "grant_types has an unknown or repeated name");
    }
    return true;
}

static bool read_client(struct arena *a, const struct json *j, struct oauth_client *c,
                        struct err *err)
{
    str scope = STR("vault:read");
    *c = (struct oauth_client){.kind = CLIENT_CONFIGURED};
    if (!json_str(json_get(j, STR("client_id")), &c->id) || c->id.n == 0)
        return auth_clients_fail(err, "every client needs a client_id");
    c->name = c->id;
    json_str(json_get(j, STR("client_name")), &c->name);
    json_str(json_get(j, STR("scope")), &scope);
    if (!rights_read_scopes(scope, &c->rights.scopes) || c->rights.scopes == 0)
        return auth_clients_fail(
            err, "scope must be vault:read, vault:propose or vault:write");
    if (!read_texts(a, json_get(j, STR("redirect_uris")), &c->redirect_uris,
                    &c->n_redirect_uris))
        return auth_clients_fail(err, "redirect_uris must be a list of strings");
    return read_folders(a, json_get(j, STR("folders")), &c->rights, err) &&
           read_client_secret(a, j, c, err) &&
           read_grants(a, json_get(j, STR("grant_types")), c, err);
}

bool auth_read_clients(struct arena *a, str path, struct oauth_config *out,
                       struct err *err)
{
    str text;
    const struct json *list;
    struct err why = {0};
    if (!fs_read_file(a, path, CLIENTS_FILE_MAX, &text, &why) ||
        !json_parse(a, text, &list, &why))
        return auth_clients_fail(err, why.msg);
    if (!json_is(list, JSON_ARRAY))
        return auth_clients_fail(err, "it must be a JSON list of clients");
    struct oauth_client *clients = ARENA_ARRAY(a, struct oauth_client, list->n);
    size_t n = 0;
    for (const struct json *j = list->child; j != NULL; j = j->next)
        if (!read_client(a, j, &clients[n++], err))
            return false;
    out->clients = clients;
    out->n_clients = n;
    return true;
}
