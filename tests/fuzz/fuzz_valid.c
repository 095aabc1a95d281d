/* Whatever is in a file, it is valid or the reason is named; every encoding becomes
 * UTF-8. */
#include "vault/valid.h"

#include "base/utf8.h"
#include "vault/text/encoding.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const paths[] = {"a.md", "a.canvas", "a.base", "a.png", "a.mp3"};
    str text = {(const char *)data, size};
    enum encoding e = encoding_of(text);
    struct arena a = {0};
    if (e != ENCODING_NONE && !utf8_valid(encoding_convert(&a, text, e)))
        BUG("not UTF-8");
    for (size_t i = 0; i < COUNT_OF(paths); i++) {
        struct err err = {0};
        enum valid_problem problem = valid_check(&a, str_c(paths[i]), text, &err);
        if ((problem == VALID) != (err.code == ERR_NONE))
            BUG("%s: %s", paths[i], err.msg);
    }
    arena_release(&a);
    return 0;
}
