#include "fetch/url.h"

#include "base/os/net.h"

enum { PORT_HTTP = 80, PORT_HTTPS = 443 };

/* "HOST", "HOST:PORT" or "HOST:"; an IPv6 address is in brackets. */
static bool split_authority(str text, struct url *out)
{
    bool bracket = text.n > 0 && text.p[0] == '[';
    size_t close = bracket ? str_find_char(text, ']') : 0;
    if (close == STR_NONE || str_find_char(text, '@') != STR_NONE)
        return false;
    size_t colon = str_find_char(str_skip(text, close), ':');
    size_t end = colon == STR_NONE ? text.n : close + colon;
    out->host = str_slice(text, 0, end);
    out->name = bracket ? str_slice(text, 1, close) : out->host;
    str port = str_skip(text, end + 1);
    int64_t number = out->https ? PORT_HTTPS : PORT_HTTP;
    if (port.n > 0 && (!str_to_int(port, &number) || number < 1 || number > UINT16_MAX))
        return false;
    out->port = (uint16_t)number;
    return out->name.n > 0 && (!bracket || end == close + 1);
}

bool url_split(str text, struct url *out, struct err *err)
{
    bool https = str_starts(text, STR("https://"));
    if (!https && !str_starts(text, STR("http://")))
        return err_set(err, ERR_INVALID, "a URL begins with https:// or http://");
    str rest = str_skip(text, https ? 8 : 7);
    size_t end = 0;
    while (end < rest.n && rest.p[end] != '/' && rest.p[end] != '?' && rest.p[end] != '#')
        end++;
    *out = (struct url){.https = https, .rest = str_skip(rest, end)};
    return split_authority(str_slice(rest, 0, end), out) ||
           err_set(err, ERR_INVALID,
                   "a URL names a host, and perhaps a port, but not a user");
}

bool url_is_loopback(const struct url *u)
{
    struct net_address a;
    return str_eq_nocase(u->name, STR("localhost")) || str_eq(u->host, STR("[::1]")) ||
           (net_read_ip(u->name, &a) && a.kind == NET_IP4 && net_is_local(&a));
}
