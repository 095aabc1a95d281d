/*
 * Globs, one per line, up to an empty line; then a path. A glob that compiles always
 * gives the same answer, and a path that is included stays so if "**" is added before the
 * globs.
 */
#include "vault/text/glob.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a = {0};
    struct err err = {0};
    struct glob *g, *wider;
    str globs[9] = {STR("**")}, rest = {(const char *)data, size}, line;
    size_t n = 1;
    while (n < COUNT_OF(globs) && str_next(&rest, '\n', &line) && line.n > 0)
        globs[n++] = line;
    if (glob_compile(&a, globs + 1, n - 1, &g, &err)) {
        bool in = glob_match(g, rest);
        if (in != glob_match(g, rest))
            BUG("two answers");
        if (!glob_compile(&a, globs, n, &wider, &err))
            BUG("** is refused: %s", err.msg);
        if (in && !glob_match(wider, rest))
            BUG("'" STR_FMT "' is excluded after **", STR_ARG(rest));
    } else if (err.code != ERR_INVALID && err.code != ERR_LIMIT) {
        BUG("%s", err.msg);
    }
    arena_release(&a);
    return 0;
}
