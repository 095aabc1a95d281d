/* The links of a canvas match their spans and are in the order of the file. */
#include "vault/forms/canvas.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a = {0};
    struct err err;
    struct canvas c;
    str text = {(const char *)data, size};
    bool ok = canvas_scan(&a, text, &c, &err);
    if (!ok && c.n_links > 0)
        BUG("links of a broken canvas");
    for (size_t i = 0; i < c.n_links; i++) {
        const struct canvas_link *l = &c.links[i];
        if (l->raw.p < text.p || l->raw.p + l->raw.n > text.p + text.n)
            BUG("raw is outside the text");
        if (i > 0 && (l->raw.p < l[-1].raw.p || l->line < l[-1].line))
            BUG("links are not in order");
        if (l->place == CANVAS_TEXT && !str_eq(l->path, span_of(l->value, l->link.path)))
            BUG("path is not where its span says");
    }
    arena_release(&a);
    return 0;
}
