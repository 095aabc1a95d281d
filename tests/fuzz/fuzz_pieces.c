/* Pieces of any note: never empty, never too long, valid UTF-8, in the order of its lines. */
#include "vault/meaning/pieces.h"

#include "base/err.h"
#include "base/utf8.h"

enum { BYTES = 300 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a = {0};
    struct fs_info info = {.size = (int64_t)size};
    struct file *f =
        file_make(&a, STR("A note.md"), &info, (str){(const char *)data, size});
    struct pieces_how how = {.id = STR("model"), .bytes = BYTES};
    struct piece *pieces;
    uint32_t line = 0;
    size_t n = pieces_cut(&a, f, &how, &pieces);
    for (size_t i = 0; i < n; i++) {
        if (pieces[i].text.n == 0 || pieces[i].text.n > BYTES ||
            !utf8_valid(pieces[i].text) || pieces[i].line < line)
            BUG("piece %zu of %zu bytes, line %u", i, pieces[i].text.n, pieces[i].line);
        line = pieces[i].line;
    }
    if (n == 0)
        BUG("no piece");
    file_free(f);
    arena_release(&a);
    return 0;
}
