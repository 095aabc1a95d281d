/*
 * X-Forwarded-For and Forwarded: the client's address is an address, and a stranger's
 * header never changes it.
 */
#include <arpa/inet.h>

#include "base/arena.h"
#include "http/forwarded.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_address(struct arena *a, str peer)
{
    uint8_t out[16];
    const char *text = arena_str(a, peer).p;
    return inet_pton(AF_INET, text, out) == 1 || inet_pton(AF_INET6, text, out) == 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const str trusted[] = {STR("127.0.0.1"), STR("10.0.0.0/8"), STR("fd00::/8")};
    struct arena a = {0};
    struct http_proxies proxies;
    struct err err;
    if (!http_proxies_parse(&a, trusted, COUNT_OF(trusted), &proxies, &err))
        BUG("%s", err.msg);
    str all = {(const char *)data, size}, line;
    struct http_header headers[8];
    struct http_request r = {.headers = headers};
    while (r.n_headers < COUNT_OF(headers) && str_next(&all, '\n', &line))
        headers[r.n_headers++] = (struct http_header){
            str_starts(line, STR("f")) ? STR("Forwarded") : STR("X-Forwarded-For"), line};
    if (!is_address(&a, http_forwarded_peer(&proxies, &a, &r, STR("127.0.0.1"))))
        BUG("not an address");
    str stranger = http_forwarded_peer(&proxies, &a, &r, STR("192.0.2.1"));
    if (!str_eq(stranger, STR("192.0.2.1")))
        BUG("a stranger was believed");
    arena_release(&a);
    return 0;
}
