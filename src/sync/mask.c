#include "sync/mask.h"

#include "base/encode.h"
#include "base/sbuf.h"
#include "base/uri.h"
#include "base/utf8.h"

/* The end of the authority at the start of s. */
static size_t authority_end(str s)
{
    size_t i = 0;
    while (i < s.n && (uint8_t)s.p[i] > ' ' && strchr("/?#'\"<>", s.p[i]) == NULL)
        i++;
    return i;
}

str mask_urls(struct arena *a, str text)
{
    struct sbuf b = SBUF_ON(a);
    for (size_t at; (at = str_find(text, STR("//"))) != STR_NONE;) {
        sbuf_add(&b, str_slice(text, 0, at + 2));
        text = str_skip(text, at + 2);
        str authority = str_slice(text, 0, authority_end(text));
        size_t user = str_find_last(authority, '@');
        if (user == STR_NONE)
            continue;
        sbuf_add(&b, STR("***"));
        text = str_skip(text, user);
    }
    sbuf_add(&b, text);
    return sbuf_str(&b);
}

bool mask_has_secret(str url)
{
    size_t at = str_find(url, STR("://"));
    if (at == STR_NONE)
        return false;
    str rest = str_skip(url, at + 3);
    str authority = str_slice(rest, 0, authority_end(rest));
    size_t end = str_find_last(authority, '@');
    if (end == STR_NONE)
        return false;
    return str_find_char(str_slice(authority, 0, end), ':') != STR_NONE ||
           !str_eq_nocase(str_slice(url, 0, at), STR("ssh"));
}

str mask_line(struct arena *a, str text)
{
    struct sbuf b = SBUF_ON(a);
    for (size_t n; text.n > 0; text = str_skip(text, n)) {
        uint32_t c = utf8_decode(text, &n);
        if (c < ' ' || c == 0x7F)
            sbuf_char(&b, ' ');
        else
            sbuf_add(&b, c == 0xFFFD ? STR("?") : str_slice(text, 0, n));
    }
    return sbuf_str(&b);
}

/* Progress, advice, and verbose lines of ssh around the actual error. */
static bool is_noise(str line)
{
    static const char *const starts[] = {"hint:",
                                         "Receiving ",
                                         "Resolving ",
                                         "Counting",
                                         "Enumerating",
                                         "Compressing",
                                         "Writing ",
                                         "Total ",
                                         "Delta ",
                                         "remote: Counting",
                                         "remote: Compressing",
                                         "remote: Enumerating",
                                         "remote: Total",
                                         "error: failed to push some refs",
                                         "Please make sure you have the correct access",
                                         "and the repository exists.",
                                         "Warning: Permanently added",
                                         "@",
                                         "IT IS POSSIBLE THAT SOMEONE",
                                         "Someone could be eavesdropping",
                                         "It is also possible that a host key",
                                         "The fingerprint for the ",
                                         "SHA256:",
                                         "Please contact your system administrator",
                                         "Add correct host key in",
                                         "remove with:",
                                         "ssh-keygen -f"};
    for (size_t i = 0; i < COUNT_OF(starts); i++)
        if (str_starts(line, str_c(starts[i])))
            return true;
    return line.n == 0;
}

str mask_reason(struct arena *a, str errors)
{
    struct sbuf b = SBUF_ON(a);
    str line, all = mask_urls(a, errors);
    while (str_next(&all, '\n', &line)) {
        line = str_trim_line(line);
        if (is_noise(line))
            continue;
        if (b.n > 0)
            sbuf_add(&b, STR("; "));
        sbuf_add(&b, mask_line(a, line));
    }
    return utf8_cut(sbuf_str(&b), MASK_REASON_MAX);
}

static str decoded(struct arena *a, str s)
{
    str out;
    return decode_percent(a, s, &out) ? out : s;
}

void mask_split(struct arena *a, str url, str *clean, str *user, str *password)
{
    struct uri_parts parts;
    *clean = url;
    *user = *password = (str){0};
    if (!uri_split(url, &parts) || !parts.has_user || !str_starts(url, STR("http")))
        return;
    str who = parts.user;
    size_t colon = str_find_char(who, ':');
    /* "https://TOKEN@host": tokens are often given as a user name */
    *user = colon == STR_NONE ? (str){0} : decoded(a, str_slice(who, 0, colon));
    *password = decoded(a, colon == STR_NONE ? who : str_skip(who, colon + 1));
    *clean = arena_printf(a, STR_FMT "://" STR_FMT STR_FMT, STR_ARG(parts.scheme),
                          STR_ARG(parts.place), STR_ARG(parts.rest));
}
