/* Parsed JSON that is written again, value by value or verbatim, parses to the same. */
#include "base/json.h"

#include "json_tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a = {0};
    struct err err;
    const struct json *first, *again;
    if (json_parse(&a, (str){(const char *)data, size}, &first, &err)) {
        for (int raw = 0; raw < 2; raw++) {
            struct sbuf out = SBUF_ON(&a);
            struct jsonw w = JSONW_ON(&out);
            if (raw)
                jsonw_value(&w, first);
            else
                json_tree_write(&w, first);
            if (str_find_char(sbuf_str(&out), '\n') != STR_NONE ||
                !json_parse(&a, sbuf_str(&out), &again, &err) ||
                !json_tree_same(first, again))
                BUG("written: " STR_FMT, STR_ARG(sbuf_str(&out)));
        }
    }
    arena_release(&a);
    return 0;
}
