/*
 * Cookies: what is found is a part of the header that names it, and of two cookies with
 * one name neither is found.
 */
#include "base/arena.h"
#include "base/err.h"
#include "http/cookie.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_within(str part, str all)
{
    return part.p >= all.p && part.p + part.n <= all.p + all.n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const str name = STR("__Host-vaultd");
    struct arena a = {0};
    str all = {(const char *)data, size}, first;
    str second = str_next(&all, '\n', &first) ? all : (str){0};
    struct http_header headers[] = {{STR("Cookie"), first}, {STR("cookie"), second}};
    struct http_request r = {.headers = headers, .n_headers = COUNT_OF(headers)};
    str value = http_cookie(&r, name);
    if (value.p != NULL && !is_within(value, first) && !is_within(value, second))
        BUG("a value from nowhere");
    if (value.p != NULL && str_find_char(value, ';') != STR_NONE)
        BUG("two cookies in one value");
    headers[1].value = arena_printf(&a, STR_FMT "=x", STR_ARG(name));
    value = http_cookie(&r, name);
    if (value.p != NULL && !str_eq(value, STR("x")))
        BUG("one of two cookies was believed");
    arena_release(&a);
    return 0;
}
