#include "fetch/url.h"

#include "base/os/net.h"
#include "base/uri.h"

enum { PORT_HTTP = 80, PORT_HTTPS = 443 };

bool url_split(str text, struct url *out, struct err *err)
{
    struct uri_parts u;
    bool split = uri_split(text, &u), https = str_eq(u.scheme, STR("https"));
    if (!str_starts(text, STR("https://")) && !str_starts(text, STR("http://")))
        return err_set(err, ERR_INVALID, "a URL begins with https:// or http://");
    int64_t port = https ? PORT_HTTPS : PORT_HTTP;
    bool good_port =
        u.port.n == 0 || (str_to_int(u.port, &port) && port >= 1 && port <= UINT16_MAX);
    bool only_name = str_eq(u.name, u.host) || u.host.n == u.name.n + 2;
    if (!split || u.has_user || u.name.n == 0 || !good_port || !only_name)
        return err_set(err, ERR_INVALID,
                       "a URL names a host, and perhaps a port, but not a user");
    *out = (struct url){https, u.host, u.name, (uint16_t)port, u.rest};
    return true;
}

bool url_is_loopback(const struct url *u)
{
    struct net_address a;
    return str_eq_nocase(u->name, STR("localhost")) || str_eq(u->host, STR("[::1]")) ||
           (net_read_ip(u->name, &a) && a.kind == NET_IP4 && net_is_local(&a));
}
