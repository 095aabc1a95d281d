#include "http/request.h"

str http_header(const struct http_request *r, str name)
{
    for (size_t i = 0; i < r->n_headers; i++)
        if (str_eq_nocase(r->headers[i].name, name))
            return r->headers[i].value;
    return (str){0};
}

size_t http_header_count(const struct http_request *r, str name)
{
    size_t n = 0;
    for (size_t i = 0; i < r->n_headers; i++)
        n += str_eq_nocase(r->headers[i].name, name);
    return n;
}

/* How closely a media range matches a type: 0 not at all, 3 exactly. */
static int closeness(str range, str type)
{
    if (str_eq_nocase(range, type))
        return 3;
    if (str_eq(range, STR("*/*")))
        return 1;
    size_t slash = str_find_char(type, '/');
    bool covers = slash != STR_NONE && range.n == slash + 2 && str_ends(range, STR("/*"));
    return covers && str_eq_nocase(str_slice(range, 0, slash), str_slice(type, 0, slash))
               ? 2
               : 0;
}

/* Whether the parameters of a media range say q=0: not acceptable (RFC 9110 §12.4.2). */
static bool is_refused(str parameters)
{
    str part;
    while (str_next(&parameters, ';', &part)) {
        part = str_trim(part);
        if (!str_starts(part, STR("q=")) && !str_starts(part, STR("Q=")))
            continue;
        for (size_t i = 2; i < part.n; i++)
            if (part.p[i] >= '1' && part.p[i] <= '9')
                return false;
        return true;
    }
    return false;
}

bool http_accepts(const struct http_request *r, str media_type)
{
    bool asked = false, accepted = false;
    int closest = 0;
    for (size_t i = 0; i < r->n_headers; i++) {
        if (!str_eq_nocase(r->headers[i].name, STR("accept")))
            continue;
        asked = true;
        str list = r->headers[i].value, item;
        while (str_next(&list, ',', &item)) {
            str range = item;
            str_next(&item, ';', &range);
            int close = closeness(str_trim(range), media_type);
            if (close > closest) {
                closest = close;
                accepted = !is_refused(item);
            }
        }
    }
    return accepted || !asked;
}

str http_content_type(const struct http_request *r)
{
    str value = http_header(r, STR("content-type")), type = value;
    str_next(&value, ';', &type);
    return str_trim(type);
}

bool http_wants_html(const struct http_request *r)
{
    bool looks = r->method == HTTP_GET || r->method == HTTP_HEAD;
    str accept = http_header(r, STR("accept"));
    return looks && str_find(accept, STR("text/html")) != STR_NONE &&
           str_find(accept, STR("text/event-stream")) == STR_NONE;
}
