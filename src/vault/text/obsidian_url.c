#include "vault/text/obsidian_url.h"

#include "base/encode.h"
#include "base/sbuf.h"

/* For a query string, where some characters that encode_percent() leaves unescaped in a
 * path have a meaning. */
static void obsidian_url_add_value(struct sbuf *out, str value)
{
    str text = encode_percent(out->arena, value);
    for (size_t i = 0; i < text.n; i++) {
        if (strchr("&+=;", text.p[i]) != NULL)
            sbuf_printf(out, "%%%02X", (unsigned)text.p[i]);
        else
            sbuf_char(out, text.p[i]);
    }
}

str obsidian_url(struct arena *a, str vault, str path)
{
    struct sbuf out = SBUF_ON(a);
    sbuf_add(&out, STR("obsidian://open?vault="));
    obsidian_url_add_value(&out, vault);
    sbuf_add(&out, STR("&file="));
    obsidian_url_add_value(&out, path);
    return sbuf_str(&out);
}

str obsidian_url_pattern(struct arena *a, str vault)
{
    return arena_printf(a, STR_FMT "{path}", STR_ARG(obsidian_url(a, vault, STR(""))));
}
