#include "http/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>

static bool parse_unix(str path, struct http_address *out, struct err *err)
{
    struct sockaddr_un *un = (struct sockaddr_un *)&out->sa;
    if (path.n == 0 || path.n >= sizeof(un->sun_path) ||
        str_find_char(path, '\0') != STR_NONE)
        return err_set(err, ERR_INVALID, "a unix socket needs a path of 1 to %zu bytes",
                       sizeof(un->sun_path) - 1);
    un->sun_family = AF_UNIX;
    memcpy(un->sun_path, path.p, path.n);
    out->len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + path.n + 1);
    return true;
}

static bool parse_host(str host, bool bracketed, uint16_t port, struct http_address *out)
{
    struct sockaddr_in *in4 = (struct sockaddr_in *)&out->sa;
    struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&out->sa;
    char text[INET6_ADDRSTRLEN];
    if (host.n >= sizeof(text))
        return false;
    if (host.n > 0)
        memcpy(text, host.p, host.n);
    text[host.n] = '\0';

    if (str_eq_nocase(host, STR("localhost")))
        memcpy(text, "127.0.0.1", sizeof("127.0.0.1"));
    if (!bracketed && host.n > 0) {
        in4->sin_family = AF_INET;
        in4->sin_port = htons(port);
        out->len = sizeof(*in4);
        return inet_pton(AF_INET, text, &in4->sin_addr) == 1;
    }
    in6->sin6_family = AF_INET6;
    in6->sin6_port = htons(port);
    out->len = sizeof(*in6);
    return !bracketed || inet_pton(AF_INET6, text, &in6->sin6_addr) == 1;
}

bool http_address_parse(str text, struct http_address *out, struct err *err)
{
    struct http_address found = {0};
    if (str_starts(text, STR("unix:"))) {
        if (!parse_unix(str_skip(text, 5), &found, err))
            return false;
    } else {
        size_t colon = str_find_last(text, ':');
        str host = colon != STR_NONE ? str_slice(text, 0, colon) : text;
        int64_t port = -1;
        bool numeric = colon != STR_NONE && text.n - colon <= 6 &&
                       str_to_int(str_skip(text, colon + 1), &port);
        if (!numeric || port < 0 || port > 65535)
            return err_set(err, ERR_INVALID,
                           "address '" STR_FMT "' needs a port from 0 to 65535",
                           STR_ARG(text));
        bool bracketed = host.n >= 2 && host.p[0] == '[' && host.p[host.n - 1] == ']';
        if (bracketed)
            host = str_slice(host, 1, host.n - 1);
        if (!parse_host(host, bracketed, (uint16_t)port, &found))
            return err_set(err, ERR_INVALID,
                           "address '" STR_FMT
                           "' is not host:port, :port, [v6]:port or unix:/path",
                           STR_ARG(text));
    }
    found.local = http_address_is_local((const struct sockaddr *)&found.sa);
    *out = found;
    return true;
}

str http_address_print(const struct sockaddr *sa, char *out, size_t size)
{
    const char *text = NULL;
    if (sa->sa_family == AF_INET) {
        text = inet_ntop(AF_INET, &((const struct sockaddr_in *)sa)->sin_addr, out,
                         (socklen_t)size);
    } else if (sa->sa_family == AF_INET6) {
        const struct in6_addr *a = &((const struct sockaddr_in6 *)sa)->sin6_addr;
        text = IN6_IS_ADDR_V4MAPPED(a)
                   ? inet_ntop(AF_INET, &a->s6_addr[12], out, (socklen_t)size)
                   : inet_ntop(AF_INET6, a, out, (socklen_t)size);
    }
    if (text == NULL)
        snprintf(out, size, "unix");
    return str_c(out);
}

str http_address_network(str address, char out[HTTP_PEER_SIZE])
{
    enum { NETWORK_BYTES = 8 };
    struct in6_addr a;
    if (address.n >= INET6_ADDRSTRLEN)
        return address;
    if (address.n > 0)
        memcpy(out, address.p, address.n);
    out[address.n] = '\0';
    if (inet_pton(AF_INET6, out, &a) != 1 || IN6_IS_ADDR_V4MAPPED(&a))
        return address;
    memset(&a.s6_addr[NETWORK_BYTES], 0, sizeof(a) - NETWORK_BYTES);
    inet_ntop(AF_INET6, &a, out, INET6_ADDRSTRLEN);
    size_t n = strlen(out);
    memcpy(out + n, "/64", sizeof("/64"));
    return str_c(out);
}

bool http_address_is_local(const struct sockaddr *sa)
{
    if (sa->sa_family == AF_INET) {
        const struct in_addr *a = &((const struct sockaddr_in *)sa)->sin_addr;
        return ntohl(a->s_addr) >> 24 == 127;
    }
    if (sa->sa_family == AF_INET6) {
        const struct in6_addr *a = &((const struct sockaddr_in6 *)sa)->sin6_addr;
        return IN6_IS_ADDR_LOOPBACK(a) ||
               (IN6_IS_ADDR_V4MAPPED(a) && a->s6_addr[12] == 127);
    }
    return sa->sa_family == AF_UNIX; /* who can reach another family is not known */
}
