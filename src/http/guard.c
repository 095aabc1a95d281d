#include "http/guard.h"

#include "base/text.h"
#include "http/request.h"

/* "host", "host:port", "[v6]:port": only the host, with brackets. False if it is invalid.
 */
static bool split_host(str authority, str *host)
{
    size_t from = 0;
    if (authority.n > 0 && authority.p[0] == '[') {
        from = str_find_char(authority, ']');
        if (from == STR_NONE)
            return false;
    }
    size_t colon = str_find_char(str_skip(authority, from), ':');
    if (colon == STR_NONE) {
        *host = authority;
        return from == 0 || from + 1 == authority.n;
    }
    colon += from;
    str port = str_skip(authority, colon + 1);
    for (size_t i = 0; i < port.n; i++)
        if (!is_digit(port.p[i]))
            return false;
    *host = str_slice(authority, 0, colon);
    return port.n <= 5 && (from == 0 || from + 1 == colon);
}

static bool is_loopback(str host)
{
    return str_eq_nocase(host, STR("localhost")) || str_eq(host, STR("127.0.0.1")) ||
           str_eq(host, STR("[::1]"));
}

bool http_host_is_loopback(str authority)
{
    str host;
    return split_host(authority, &host) && is_loopback(host);
}

/* Whether the authority is one of our hosts, with any port. */
static bool is_ours(const struct http_guard *g, str authority)
{
    str host;
    if (!split_host(authority, &host))
        return false;
    if (is_loopback(host))
        return true;
    for (size_t i = 0; i < g->n_hosts; i++)
        if (str_eq_nocase(host, g->hosts[i]))
            return true;
    return false;
}

static bool is_welcome(const struct http_guard *g, str origin)
{
    for (size_t i = 0; i < g->n_origins; i++)
        if (str_eq_nocase(origin, g->origins[i]))
            return true;
    static const str schemes[] = {{"http://", 7}, {"https://", 8}};
    for (size_t i = 0; i < COUNT_OF(schemes); i++)
        if (str_starts(origin, schemes[i]))
            return is_ours(g, str_skip(origin, schemes[i].n));
    return false;
}

bool http_is_same_origin(const struct http_request *r, str origin)
{
    str from = http_header(r, STR("origin"));
    str site = http_header(r, STR("sec-fetch-site"));
    return http_header_count(r, STR("origin")) <= 1 &&
           (from.p == NULL || str_eq_nocase(from, origin)) &&
           (site.p == NULL || str_eq(site, STR("same-origin")));
}

enum http_verdict http_guard_check(const struct http_guard *g,
                                   const struct http_request *r)
{
    /* Only HTTP/1.0 gets here without Host, and no browser uses that. */
    str host = http_header(r, STR("host"));
    if (!g->any_host && host.p != NULL && !is_ours(g, host))
        return HTTP_FOREIGN_HOST;

    size_t origins = http_header_count(r, STR("origin"));
    if (origins > 1 || (origins == 1 && !is_welcome(g, http_header(r, STR("origin")))))
        return HTTP_FOREIGN_ORIGIN;
    return HTTP_WELCOME;
}
