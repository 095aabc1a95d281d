/* Chunks of any note: never empty, never too long, valid UTF-8, in the order of its
 * lines. */
#include "vault/meaning/chunks.h"

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
    struct chunks_how how = {.id = STR("model"), .bytes = BYTES};
    struct note_chunk *chunks;
    uint32_t line = 0;
    size_t n = chunks_cut(&a, f, &how, &chunks);
    for (size_t i = 0; i < n; i++) {
        if (chunks[i].text.n == 0 || chunks[i].text.n > BYTES ||
            !utf8_valid(chunks[i].text) || chunks[i].line < line)
            BUG("chunk %zu of %zu bytes, line %u", i, chunks[i].text.n, chunks[i].line);
        line = chunks[i].line;
    }
    if (n == 0)
        BUG("no chunk");
    file_free(f);
    arena_release(&a);
    return 0;
}
