/* A query is printed in one way only: what was printed, parsed and printed is the same.
 */
#include "vault/ask/query.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a = {0};
    struct err err = {0};
    const struct query *q;
    if (query_parse(&a, (str){(const char *)data, size}, &q, &err)) {
        str once = query_print(&a, q);
        if (query_parse(&a, once, &q, &err)) {
            str twice = query_print(&a, q);
            if (!str_eq(once, twice))
                BUG("'" STR_FMT "' became '" STR_FMT "'", STR_ARG(once), STR_ARG(twice));
        } else if (err.code != ERR_LIMIT) { /* escapes and brackets make it longer */
            BUG("'" STR_FMT "': %s", STR_ARG(once), err.msg);
        }
    } else if (err.code != ERR_LIMIT) {
        BUG("%s", err.msg);
    }
    arena_release(&a);
    return 0;
}
