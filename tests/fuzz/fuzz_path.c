/* An accepted path has no hidden names and is its own clean form. */
#include "base/path.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a = {0};
    struct err err;
    str out, again, name;
    if (path_clean(&a, (str){(const char *)data, size}, &out, &err)) {
        str rest = out;
        while (out.n > 0 && str_next(&rest, '/', &name))
            if (name.n == 0 || path_is_hidden(name)) /* '.' and '..' are hidden, too */
                BUG("segment '" STR_FMT "' passed", STR_ARG(name));
        if (!path_clean(&a, out, &again, &err) || !str_eq(out, again))
            BUG("not its own clean form: '" STR_FMT "'", STR_ARG(out));
    }
    arena_release(&a);
    return 0;
}
