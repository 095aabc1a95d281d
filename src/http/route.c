#include "http/route.h"

#include "http/grammar.h"
#include "http/request.h"
#include "http/response.h"

bool http_route_fits(const char *route, str path)
{
    str want = str_c(route);
    if (str_eq(path, want))
        return true;
    return want.n > 1 && str_ends(want, STR("/")) && str_starts(path, want);
}

const struct http_route *http_route_find(const struct http_route *routes, str path)
{
    for (; routes->path != NULL; routes++)
        if (http_route_fits(routes->path, path))
            return routes;
    return NULL;
}

/* The methods that the row accepts, with HEAD. */
static unsigned methods_of(const struct http_route *route)
{
    if (route == NULL)
        return HTTP_GET | HTTP_HEAD | HTTP_POST | HTTP_DELETE | HTTP_OPTIONS;
    unsigned head = route->methods & HTTP_GET ? HTTP_HEAD : 0;
    return route->methods | head | HTTP_OPTIONS;
}

bool http_route_takes(const struct http_route *route, enum http_method method)
{
    return method != HTTP_OTHER && (methods_of(route) & method) != 0;
}

str http_route_allow(struct arena *a, const struct http_route *route)
{
    static const struct {
        enum http_method method;
        const char *name;
    } names[] = {
        {HTTP_GET, "GET"},       {HTTP_HEAD, "HEAD"},       {HTTP_POST, "POST"},
        {HTTP_DELETE, "DELETE"}, {HTTP_OPTIONS, "OPTIONS"},
    };
    struct sbuf out = SBUF_ON(a);
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        if (!(methods_of(route) & names[i].method))
            continue;
        if (out.n > 0)
            sbuf_add(&out, STR(", "));
        sbuf_add(&out, str_c(names[i].name));
    }
    return sbuf_str(&out);
}

/* Tool parameters are sent in headers whose names only the client knows. */
static str allowed_headers(struct arena *a, const struct http_request *r)
{
    struct sbuf out = SBUF_ON(a);
    sbuf_add(&out, STR("authorization, content-type, accept, mcp-protocol-version, "
                       "mcp-session-id, mcp-method, mcp-name, last-event-id"));
    str asked = http_header(r, STR("access-control-request-headers")), name;
    const str prefix = STR("mcp-param-");
    while (str_next(&asked, ',', &name)) {
        name = str_trim(name);
        if (!http_is_token(name) || !str_eq_nocase(str_slice(name, 0, prefix.n), prefix))
            continue;
        sbuf_add(&out, STR(", "));
        sbuf_add(&out, name);
    }
    return sbuf_str(&out);
}

void http_route_options(struct arena *a, const struct http_route *route,
                        const struct http_request *r, struct http_response *out)
{
    *out = (struct http_response){.status = 204};
    str allow = http_route_allow(a, route);
    http_add_header(out, STR("Allow"), allow);
    if (route == NULL || route->cors == HTTP_CORS_NONE ||
        http_header(r, STR("origin")).n == 0)
        return;
    http_add_header(out, STR("Access-Control-Allow-Methods"), allow);
    http_add_header(out, STR("Access-Control-Allow-Headers"), allowed_headers(a, r));
    http_add_header(out, STR("Access-Control-Max-Age"), STR("86400"));
}
