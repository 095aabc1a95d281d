#include "http/forwarded.h"

#include <string.h>

static unsigned bits_of(const struct net_address *a)
{
    return a->kind == NET_IP6 ? 128 : 32;
}

static bool parse_network(str text, struct http_network *out)
{
    size_t slash = str_find_char(text, '/');
    int64_t bits;
    if (!net_read_ip(str_slice(text, 0, slash), &out->address))
        return false;
    out->bits = bits_of(&out->address);
    if (slash == STR_NONE)
        return true;
    if (!str_to_int(str_skip(text, slash + 1), &bits) || bits < 0 ||
        bits > (int64_t)out->bits)
        return false;
    out->bits = (unsigned)bits;
    return true;
}

bool http_proxies_parse(struct arena *a, const str *words, size_t n,
                        struct http_proxies *out, struct err *err)
{
    *out = (struct http_proxies){.networks = ARENA_ARRAY(a, struct http_network, n)};
    for (size_t i = 0; i < n; i++) {
        if (str_eq(words[i], STR("unix")))
            out->unix_sockets = true;
        else if (parse_network(words[i], &out->networks[out->n]))
            out->n++;
        else
            return err_set(err, ERR_INVALID,
                           "trusted-proxies: '" STR_FMT
                           "' is not an address or a network such as 127.0.0.1, "
                           "10.0.0.0/8, fd00::/8, or unix",
                           STR_ARG(words[i]));
    }
    return true;
}

static bool forwarded_holds(const struct http_network *net, const struct net_address *a)
{
    size_t whole = net->bits / 8;
    unsigned rest = net->bits % 8;
    const uint8_t *ip = net->address.ip;
    if (net->address.kind != a->kind || memcmp(ip, a->ip, whole) != 0)
        return false;
    return rest == 0 || (ip[whole] ^ a->ip[whole]) >> (8 - rest) == 0;
}

bool http_proxies_trust(const struct http_proxies *p, str peer)
{
    struct net_address a;
    if (str_eq(peer, STR("unix")))
        return p->unix_sockets;
    if (!net_read_ip(peer, &a))
        return false;
    net_unmap(&a); /* 127.0.0.1 may arrive as ::ffff:127.0.0.1 on a dual-stack socket */
    for (size_t i = 0; i < p->n; i++)
        if (forwarded_holds(&p->networks[i], &a))
            return true;
    return false;
}

/* "192.0.2.1:80", "[2001:db8::1]:80", quoted or not: only the address. */
static str bare_address(str text)
{
    text = str_trim(text);
    if (text.n >= 2 && text.p[0] == '"' && text.p[text.n - 1] == '"')
        text = str_slice(text, 1, text.n - 1);
    if (text.n > 0 && text.p[0] == '[')
        return str_slice(text, 1, str_find_char(text, ']'));
    size_t colon = str_find_char(text, ':');
    bool one_colon =
        colon != STR_NONE && str_find_char(str_skip(text, colon + 1), ':') == STR_NONE;
    return one_colon ? str_slice(text, 0, colon) : text;
}

/* for=… of one element of Forwarded; empty if it has none. */
static str forwarded_for(str element)
{
    str pair;
    while (str_next(&element, ';', &pair)) {
        pair = str_trim(pair);
        if (str_eq_nocase(str_slice(pair, 0, 4), STR("for=")))
            return bare_address(str_skip(pair, 4));
    }
    return STR("");
}

/* Remove the last element of a comma-separated list and return it. */
static bool take_last(str *list, str *element)
{
    if (list->n == 0)
        return false;
    size_t comma = str_find_last(*list, ',');
    *element = comma == STR_NONE ? *list : str_skip(*list, comma + 1);
    *list = comma == STR_NONE ? STR("") : str_slice(*list, 0, comma);
    return true;
}

/* The rightmost address that is not a trusted proxy. Anything that is not an address ends
 * the chain: what is to its left cannot be trusted. */
static str forwarded_walk(const struct http_proxies *p, str list, bool rfc7239, str peer)
{
    str element;
    while (take_last(&list, &element)) {
        str at = rfc7239 ? forwarded_for(element) : bare_address(element);
        struct net_address one;
        if (!net_read_ip(at, &one))
            break;
        peer = at;
        if (!http_proxies_trust(p, at))
            break;
    }
    return peer;
}

/* Fields with the same name form one list, in order (RFC 9110 §5.3). */
static str forwarded_joined(struct arena *a, const struct http_request *r, str name)
{
    str all = {0};
    for (size_t i = 0; i < r->n_headers; i++)
        if (str_eq_nocase(r->headers[i].name, name))
            all = all.n == 0 ? r->headers[i].value
                             : arena_printf(a, STR_FMT "," STR_FMT, STR_ARG(all),
                                            STR_ARG(r->headers[i].value));
    return all;
}

str http_forwarded_peer(const struct http_proxies *p, struct arena *a,
                        const struct http_request *r, str peer)
{
    if ((p->n == 0 && !p->unix_sockets) || !http_proxies_trust(p, peer))
        return peer;
    str list = forwarded_joined(a, r, STR("x-forwarded-for"));
    if (list.n > 0)
        return forwarded_walk(p, list, false, peer);
    return forwarded_walk(p, forwarded_joined(a, r, STR("forwarded")), true, peer);
}

bool http_is_forwarded(const struct http_request *r)
{
    static const str names[] = {
        {"forwarded", 9},   {"via", 3},
        {"x-real-ip", 9},   {"x-client-ip", 11},
        {"x-envoy-", 8},    {"cf-connecting-ip", 16},
        {"cf-ray", 6},      {"true-client-ip", 14},
        {"tailscale-", 10}, {"x-forwarded-", 12},
    };
    for (size_t i = 0; i < r->n_headers; i++)
        for (size_t k = 0; k < COUNT_OF(names); k++) {
            str name = r->headers[i].name;
            bool prefix = str_ends(names[k], STR("-"));
            if (str_eq_nocase(prefix ? str_slice(name, 0, names[k].n) : name, names[k]))
                return true;
        }
    return false;
}
