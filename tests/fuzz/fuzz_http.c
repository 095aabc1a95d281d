/* A request reads the same however it is cut into pieces. */
#include "base/err.h"
#include "http/parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The result for text fed in pieces of step bytes; *used is how much was read. */
static enum http_parse parse(struct http_parser *p, struct arena *a, str text,
                             size_t step, size_t *used)
{
    enum http_parse state = HTTP_MORE;
    http_parser_start(p, a);
    for (*used = 0; state == HTTP_HEAD_END || (state == HTTP_MORE && *used < text.n);) {
        size_t n;
        state = http_parser_feed(p, str_slice(text, *used, *used + step), &n);
        *used += n;
        if (state == HTTP_HEAD_END)
            http_parser_body(p, 1000);
    }
    return state;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct http_limits limits = HTTP_LIMITS_DEFAULT;
    limits.request_line = 200, limits.head = 1000, limits.headers = 10;
    struct http_parser *p = http_parser_create(&limits), *q = http_parser_create(&limits);
    struct arena a = {0};
    size_t step = size > 0 ? data[0] % 32 + 1 : 1, n, m;
    str text = str_skip((str){(const char *)data, size}, 1);
    enum http_parse whole = parse(p, &a, text, text.n + 1, &n);
    enum http_parse cut = parse(q, &a, text, step, &m);
    if (whole != cut || (whole == HTTP_COMPLETE && n != m) ||
        (whole == HTTP_COMPLETE &&
         !str_eq(http_parser_request(p)->body, http_parser_request(q)->body)))
        BUG("by %zu: %d after %zu, %d after %zu", step, whole, n, cut, m);
    http_parser_free(p);
    http_parser_free(q);
    arena_release(&a);
    return 0;
}
