/*
 * Hidden text is found in the same lines whether they are read alone or with all others.
 */
#include "base/err.h"
#include "vault/text/hidden.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t count_in(str text, size_t first, size_t last, bool comments)
{
    struct hidden_list list;
    size_t n = 0;
    hidden_find(text, first, last, &list);
    for (size_t i = 0; i < list.n; i++) {
        const struct hidden *h = &list.items[i];
        if (h->line < first || (last > 0 && h->line > last) || h->count == 0)
            BUG("%u at line %zu of %zu to %zu", h->count, h->line, first, last);
        if (comments || h->kind != HIDDEN_HTML_COMMENT)
            n += h->count;
    }
    return list.total > list.n ? SIZE_MAX : n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    str text = {(const char *)data, size};
    size_t all = count_in(text, 1, 0, false), sum = 0, lines = 1;
    for (size_t i = 0; i < size; i++)
        lines += data[i] == '\n';
    if (all == SIZE_MAX || lines > 100)
        return 0;
    for (size_t line = 1; line <= lines; line++)
        sum += count_in(text, line, line, false);
    if (sum != all)
        BUG("%zu in all, %zu by lines", all, sum);
    if (count_in(text, 1, lines, true) != count_in(text, 1, 0, true))
        BUG("all lines differ from everything");
    return 0;
}
