#include "oauth/uri.h"

#include "base/text.h"
#include "base/uri.h"

enum { URI_MAX = 2048 };

/* Printable ASCII except what RFC 3986 excludes and '#', '*' and '\'; escapes
 * complete. */
static bool has_good_characters(str s)
{
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        if (c < 0x21 || c > 0x7e || strchr("\"<>\\^`{|}#*", c) != NULL)
            return false;
        if (c == '%' && (i + 2 >= s.n || !is_hex(to_lower(s.p[i + 1])) ||
                         !is_hex(to_lower(s.p[i + 2]))))
            return false;
    }
    return true;
}

static bool is_scheme(str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!is_letter(s.p[i]) && (i == 0 || (!is_digit(s.p[i]) && s.p[i] != '+' &&
                                              s.p[i] != '-' && s.p[i] != '.')))
            return false;
    return s.n > 0;
}

static bool is_host_name(str s)
{
    char last = '.';
    for (size_t i = 0; i < s.n; last = s.p[i++]) {
        char c = s.p[i];
        if (!is_letter(c) && !is_digit(c) && c != '-' && c != '_' && c != '.')
            return false;
        if (c == '.' && last == '.')
            return false;
    }
    return s.n > 0;
}

static bool is_bracketed(str s)
{
    if (s.n < 4 || s.p[0] != '[' || s.p[s.n - 1] != ']')
        return false;
    for (size_t i = 1; i < s.n - 1; i++)
        if (!is_hex(to_lower(s.p[i])) && s.p[i] != ':' && s.p[i] != '.')
            return false;
    return true;
}

static bool is_port(str s)
{
    int64_t port;
    return s.n > 0 && s.n <= 5 && is_digit(s.p[0]) && s.p[0] != '0' &&
           str_to_int(s, &port) && port <= 65535;
}

/* Some readers would resolve '.' and '..', in any spelling, to another path. */
static bool is_dots(str segment)
{
    size_t dots = 0, i = 0;
    while (i < segment.n) {
        bool escaped = segment.p[i] == '%' && segment.p[i + 1] == '2' &&
                       (segment.p[i + 2] == 'e' || segment.p[i + 2] == 'E');
        if (segment.p[i] != '.' && !escaped)
            return false;
        dots++;
        i += escaped ? 3 : 1;
    }
    return dots == 1 || dots == 2;
}

static bool has_dots(str path)
{
    str segment;
    path = str_slice(path, 0, str_find_char(path, '?'));
    while (str_next(&path, '/', &segment))
        if (is_dots(segment))
            return true;
    return false;
}

bool uri_parse(str text, struct uri *out)
{
    struct uri_parts parts;
    if (text.n > URI_MAX || !has_good_characters(text) || !uri_split(text, &parts))
        return false;
    struct uri u = {parts.scheme, parts.host, parts.port, parts.rest};
    bool bracket = str_starts(u.host, STR("["));
    if (!is_scheme(u.scheme) || parts.has_user || (parts.has_port && !is_port(u.port)) ||
        !(bracket ? is_bracketed(u.host) : is_host_name(u.host)) || has_dots(u.rest))
        return false;
    *out = u;
    return true;
}

bool uri_is_loopback(const struct uri *u)
{
    return str_eq(u->host, STR("localhost")) || str_eq(u->host, STR("127.0.0.1")) ||
           str_eq(u->host, STR("[::1]"));
}

/* Schemes that make a browser run code, read files or start other programs. */
static bool is_dangerous(str scheme)
{
    static const char *const names[] = {
        "javascript", "data",  "vbscript",    "file", "blob", "filesystem",
        "intent",     "about", "view-source", "ftp",  "ws",   "wss",
    };
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (str_eq_nocase(scheme, str_c(names[i])))
            return true;
    return false;
}

bool uri_check_redirect(str text, struct err *err)
{
    struct uri u;
    if (text.n > URI_MAX)
        return err_set(err, ERR_INVALID, "a redirect URI may have at most %d bytes",
                       URI_MAX);
    if (!uri_parse(text, &u))
        return err_set(err, ERR_INVALID,
                       "a redirect URI must be absolute, scheme://host/path in ASCII, "
                       "without user, fragment, '*', backslash or dot segments");
    if (str_eq_nocase(u.scheme, STR("http")) && !uri_is_loopback(&u))
        return err_set(err, ERR_INVALID,
                       "http redirect URIs are for localhost, 127.0.0.1 and [::1] only");
    if (is_dangerous(u.scheme))
        return err_set(err, ERR_INVALID, "codes cannot be sent to this scheme");
    return true;
}

bool uri_is_owned(str text)
{
    struct uri u;
    return uri_parse(text, &u) && str_eq_nocase(u.scheme, STR("https")) &&
           !uri_is_loopback(&u);
}

str uri_place(struct arena *a, str text)
{
    struct uri u;
    if (!uri_parse(text, &u))
        return STR("");
    if (str_eq_nocase(u.scheme, STR("https")) || str_eq_nocase(u.scheme, STR("http")))
        return arena_str(a, u.host);
    return arena_printf(a, STR_FMT "://" STR_FMT, STR_ARG(u.scheme), STR_ARG(u.host));
}

bool uri_same_redirect(str given, str registered)
{
    if (str_eq(given, registered))
        return true;
    struct uri g, r;
    return uri_parse(registered, &r) && str_eq(r.scheme, STR("http")) &&
           uri_is_loopback(&r) && uri_parse(given, &g) && str_eq(g.scheme, r.scheme) &&
           str_eq(g.host, r.host) && str_eq(g.rest, r.rest);
}

static str significant_port(const struct uri *u)
{
    bool https = str_eq_nocase(u->scheme, STR("https"));
    return str_eq(u->port, https ? STR("443") : STR("80")) ? STR("") : u->port;
}

static str without_slash(str path)
{
    return str_ends(path, STR("/")) ? str_slice(path, 0, path.n - 1) : path;
}

bool uri_is_resource(str given, str url, str path)
{
    struct uri g, u;
    if (!uri_parse(given, &g) || !uri_parse(url, &u) ||
        !str_eq_nocase(g.scheme, u.scheme) || !str_eq_nocase(g.host, u.host) ||
        !str_eq(significant_port(&g), significant_port(&u)))
        return false;
    str got = without_slash(g.rest), base = without_slash(u.rest);
    return str_eq(got, base) ||
           (str_starts(got, base) && str_eq(str_skip(got, base.n), path));
}
