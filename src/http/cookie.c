#include "http/cookie.h"

/* How often name occurs in one header; its value in *out. */
static size_t cookie_look(str header, str name, str *out)
{
    size_t n = 0;
    str part;
    while (str_next(&header, ';', &part)) {
        part = str_trim(part);
        if (part.n > name.n && str_starts(part, name) && part.p[name.n] == '=') {
            *out = str_skip(part, name.n + 1);
            n++;
        }
    }
    return n;
}

str http_cookie(const struct http_request *r, str name)
{
    str found = {0};
    size_t n = 0;
    for (size_t i = 0; i < r->n_headers; i++)
        if (str_eq_nocase(r->headers[i].name, STR("Cookie")))
            n += cookie_look(r->headers[i].value, name, &found);
    return n == 1 ? found : (str){0};
}
