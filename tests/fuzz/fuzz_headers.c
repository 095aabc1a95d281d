/*
 * Host, Origin, Accept and Content-Type of a request: a page of another site is never
 * welcome, however its origin is spelled.
 */
#include "base/err.h"
#include "http/grammar.h"
#include "http/guard.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static enum http_verdict judge(const char *name, str value, str host)
{
    static const str ours = STR("vault.example");
    struct http_guard guard = {.hosts = &ours, .n_hosts = 1};
    struct http_header headers[] = {{STR("Host"), host}, {str_c(name), value}};
    struct http_request r = {.headers = headers, .n_headers = COUNT_OF(headers)};
    return http_guard_check(&guard, &r);
}

/* Letters, digits and dots only: a name that cannot be ours in another spelling. */
static bool is_plain_name(str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!(s.p[i] >= 'a' && s.p[i] <= 'z') && s.p[i] != '.')
            return false;
    return s.n > 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    str all = {(const char *)data, size}, type, path, query;
    struct http_header headers[] = {{STR("Accept"), all}, {STR("Content-Type"), all}};
    struct http_request r = {.headers = headers, .n_headers = COUNT_OF(headers)};
    (void)http_accepts(&r, STR("text/event-stream"));
    type = http_content_type(&r);
    if (type.n > 0 && (type.p < all.p || type.p + type.n > all.p + all.n))
        BUG("a media type from nowhere");
    (void)http_split_target(all, HTTP_GET, STR("vault.example"), &path, &query);
    (void)judge("Origin", all, STR("vault.example"));
    bool is_ours = str_eq(all, STR("vault.example")) || str_eq(all, STR("localhost"));
    if (is_plain_name(all) && !is_ours && judge("X", all, all) == HTTP_WELCOME)
        BUG("'" STR_FMT "' is not our host", STR_ARG(all));
    return 0;
}
