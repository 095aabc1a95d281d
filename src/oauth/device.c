/*
 * Browsers in which a user has signed in before (OWASP: device cookies).
 *
 * The cookie is a random number and a MAC of it, the user's name and the stamp of the
 * password, with the key that all servers of a database share. It opens nothing: it only
 * says that wrong passwords of others do not count against this browser (lockout.h). A new
 * password ends it.
 */
#include "base/encode.h"
#include "base/hash.h"
#include "base/sbuf.h"
#include "oauth/browser_request.h"
#include "oauth/parts.h"
#include "oauth/proof/secret.h"

/* The MAC for a device, or empty: there is no such user. */
static str device_mac(const struct oauth *o, struct arena *a, str user, str device)
{
    uint8_t mac[HASH_SIZE];
    str stamp;
    if (!oauth_stamp(o, a, user, &stamp))
        return STR("");
    struct sbuf text = SBUF_ON(a);
    sbuf_printf(&text, "device\n" STR_FMT "\n" STR_FMT "\n", STR_ARG(device),
                STR_ARG(stamp));
    sbuf_add(&text, user);
    hash_hmac((str){(const char *)o->refresh_key, HASH_SIZE}, sbuf_str(&text), mac);
    return encode_hex(a, (str){(const char *)mac, HASH_SIZE});
}

str browser_request_device(struct browser_request *v, str user)
{
    str cookie = browser_request_cookie(v, COOKIE_DEVICE), device;
    if (!str_next(&cookie, '.', &device) || !secret_is(device, STR("")))
        return STR("");
    str mac = device_mac(v->oauth, v->arena, user, device);
    return mac.n > 0 && hash_equal(mac, cookie) ? device : STR("");
}

void browser_request_remember_device(struct browser_request *v, str user)
{
    str device = secret_new(v->arena, STR(""));
    str mac = device_mac(v->oauth, v->arena, user, device);
    browser_request_set_cookie(
        v, COOKIE_DEVICE,
        arena_printf(v->arena, STR_FMT "." STR_FMT, STR_ARG(device), STR_ARG(mac)));
}
