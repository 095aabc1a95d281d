/*
 * Whatever a program prints for a PDF becomes valid text with pages, within its limit; each
 * page is found again, and all of them are the text.
 */
#include "base/err.h"
#include "base/text.h"
#include "base/utf8.h"
#include "pdf/pdf.h"
#include "vault/text/pages.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_pages(struct arena *a, str text)
{
    uint32_t n = pages_at(text, text.n);
    size_t at = 0, start, end;
    for (uint32_t page = 1; page <= n; page++, at = end)
        if (!pages_find(text, page, page, &start, &end) || start != at)
            BUG("page %u of %u is not after the one before", page, n);
    if (at != text.n || pages_find(text, n + 1, n + 1, &start, &end))
        BUG("%u pages are not all", n);
    if (text_count_lines(pages_show(a, text, 1)) != text_count_lines(text))
        BUG("another number of lines");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { MOST = 1000, PAGES = 200 };
    struct arena a = {0};
    str text;
    bool cut = pdf_clean(&a, (str){(const char *)data, size}, MOST, &text);
    if (text.n > MOST || !utf8_valid(text) || (cut && text.n == 0))
        BUG("%zu bytes", text.n);
    if (text.n > 0 && text.p[text.n - 1] != '\n')
        BUG("half a line");
    if (pages_at(text, text.n) <= PAGES)
        check_pages(&a, text);
    arena_release(&a);
    return 0;
}
