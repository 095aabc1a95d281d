#include "http/address.h"

#include <stdio.h>

static bool parse_unix(str path, struct net_address *out, struct err *err)
{
    if (path.n == 0 || path.n >= NET_PATH_MAX || str_find_char(path, '\0') != STR_NONE)
        return err_set(err, ERR_INVALID, "a unix socket needs a path of 1 to %d bytes",
                       NET_PATH_MAX - 1);
    *out = (struct net_address){.kind = NET_UNIX};
    memcpy(out->path, path.p, path.n);
    return true;
}

/* Without a host: every address. */
static bool parse_host(str host, struct net_address *out)
{
    bool bracketed = host.n >= 2 && host.p[0] == '[' && host.p[host.n - 1] == ']';
    if (host.n == 0) {
        *out = (struct net_address){.kind = NET_IP6};
        return true;
    }
    if (str_eq_nocase(host, STR("localhost")))
        host = STR("127.0.0.1");
    return net_read_ip(bracketed ? str_slice(host, 1, host.n - 1) : host, out) &&
           out->kind == (bracketed ? NET_IP6 : NET_IP4);
}

bool http_address_parse(str text, struct net_address *out, struct err *err)
{
    if (str_starts(text, STR("unix:")))
        return parse_unix(str_skip(text, 5), out, err);
    size_t colon = str_find_last(text, ':');
    int64_t port = -1;
    bool numeric = colon != STR_NONE && text.n - colon <= 6 &&
                   str_to_int(str_skip(text, colon + 1), &port);
    if (!numeric || port < 0 || port > UINT16_MAX)
        return err_set(err, ERR_INVALID,
                       "address '" STR_FMT "' needs a port from 0 to %d", STR_ARG(text),
                       UINT16_MAX);
    if (!parse_host(str_slice(text, 0, colon), out))
        return err_set(err, ERR_INVALID,
                       "address '" STR_FMT
                       "' is not host:port, :port, [v6]:port or unix:/path",
                       STR_ARG(text));
    out->port = (uint16_t)port;
    return true;
}

/* The network with so many bytes, printed. */
static str print_network(struct net_address *a, size_t bytes, char out[NET_TEXT_SIZE])
{
    char bits[8];
    memset(a->ip + bytes, 0, (a->kind == NET_IP6 ? 16 : 4) - bytes);
    size_t n = net_print(a, out).n,
           m = (size_t)snprintf(bits, sizeof(bits), "/%zu", bytes * 8);
    memcpy(out + n, bits, m + 1);
    return str_c(out);
}

str http_address_network(str address, char out[NET_TEXT_SIZE])
{
    struct net_address a;
    if (!net_read_ip(address, &a))
        return address;
    net_unmap(&a);
    return a.kind == NET_IP6 ? print_network(&a, 8, out) : address;
}

str http_address_site(str address, char out[NET_TEXT_SIZE])
{
    struct net_address a;
    if (!net_read_ip(address, &a))
        return address;
    net_unmap(&a);
    return print_network(&a, a.kind == NET_IP6 ? 6 : 3, out);
}
