/* An accepted URI consists of exactly its parts, and is equal to itself. */
#include "oauth/uri.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a = {0};
    struct err err;
    struct uri u;
    str text = {(const char *)data, size};
    if (uri_parse(text, &u)) {
        str again = arena_printf(
            &a, STR_FMT "://" STR_FMT "%s" STR_FMT STR_FMT, STR_ARG(u.scheme),
            STR_ARG(u.host), u.port.n > 0 ? ":" : "", STR_ARG(u.port), STR_ARG(u.rest));
        if (!str_eq(again, text))
            BUG("parts of '" STR_FMT "'", STR_ARG(text));
        if (str_find_char(u.host, '@') != STR_NONE ||
            str_find_char(text, '\\') != STR_NONE || str_find_char(text, '#') != STR_NONE)
            BUG("'" STR_FMT "' passed", STR_ARG(text));
    } else if (uri_check_redirect(text, &err)) {
        BUG("a redirect that is not a URI");
    }
    bool twice = uri_same_redirect(text, STR("http://localhost/callback"));
    if (twice && !uri_check_redirect(text, &err))
        BUG("'" STR_FMT "' is one of ours", STR_ARG(text));
    if (uri_is_resource(text, STR("https://v.example"), STR("/mcp")) &&
        !uri_parse(text, &u))
        BUG("'" STR_FMT "' is a resource", STR_ARG(text));
    arena_release(&a);
    return 0;
}
