/* Any query is parsed, or exceeds a limit. */
#include "query_json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a = {0};
    struct err err = {0};
    const struct query *q;
    if (query_parse(&a, (str){(const char *)data, size}, &q, &err))
        (void)query_json(&a, q);
    else if (err.code != ERR_LIMIT)
        BUG("%s", err.msg);
    arena_release(&a);
    return 0;
}
