/* For any note, the page has only elements of ours, all of them closed, and no script. */
#include "app/web/note_html.h"
#include "base/err.h"
#include "oauth/html.h"
#include "vault/index/file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct page_site site = {{"", 0}, {"v", 1}};
    struct arena a = {0};
    struct fs_info info = {0};
    struct index *x = index_create();
    struct html h = HTML_ON(&a);
    struct note note;
    struct note_html to = {.h = &h, .a = &a, .x = x, .site = &site};
    str text = {(const char *)data, size};
    index_put(x, file_make(&a, STR("a.md"), &info, text), false);
    arena_reset(&a);
    h = HTML_ON(&a);
    note_scan(&a, text, &note);
    note_html_put(&to, STR("a.md"), &note);
    str html = html_done(&h);
    if (str_find(html, STR("<script")) != STR_NONE ||
        str_find(html, STR("href=\"java")) != STR_NONE)
        BUG("the page of a note has a script");
    index_free(x);
    arena_release(&a);
    return 0;
}
