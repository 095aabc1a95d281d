#include "base/uri.h"

static size_t authority_end(str text)
{
    size_t i = 0;
    while (i < text.n && text.p[i] != '/' && text.p[i] != '?' && text.p[i] != '#')
        i++;
    return i;
}

/* "host", "host:port", "[::1]:port". */
static bool split_place(struct uri_parts *u)
{
    bool bracket = str_starts(u->place, STR("["));
    size_t close = bracket ? str_find_char(u->place, ']') : 0;
    if (close == STR_NONE)
        return false;
    size_t colon = str_find_char(str_skip(u->place, close), ':');
    u->has_port = colon != STR_NONE;
    u->host = str_slice(u->place, 0, u->has_port ? close + colon : u->place.n);
    u->port = str_skip(u->place, u->has_port ? close + colon + 1 : u->place.n);
    u->name = bracket ? str_slice(u->place, 1, close) : u->host;
    return true;
}

bool uri_split(str text, struct uri_parts *out)
{
    size_t colon = str_find(text, STR("://"));
    *out = (struct uri_parts){.place = text};
    if (colon == STR_NONE)
        return false;
    str after = str_skip(text, colon + 3);
    size_t end = authority_end(after);
    struct uri_parts u = {.scheme = str_slice(text, 0, colon),
                          .origin = str_slice(text, 0, colon + 3 + end),
                          .authority = str_slice(after, 0, end),
                          .rest = str_skip(after, end)};
    size_t at = str_find_last(u.authority, '@');
    u.has_user = at != STR_NONE;
    u.user = str_slice(u.authority, 0, u.has_user ? at : 0);
    u.place = str_skip(u.authority, u.has_user ? at + 1 : 0);
    if (!split_place(&u))
        return false;
    *out = u;
    return true;
}
