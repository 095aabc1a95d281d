#include "oauth/rights.h"

#include "base/path.h"
#include "base/sbuf.h"
#include "base/text.h"

static const struct {
    str name;
    unsigned scopes;
} known[] = {
    {{"vault:read", 10}, OAUTH_READ},
    {{"vault:write", 11}, OAUTH_READ | OAUTH_WRITE},
};

/* scope-token = 1*( %x21 / %x23-5B / %x5D-7E ) */
static bool is_scope_token(str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] < 0x21 || s.p[i] > 0x7e || s.p[i] == '"' || s.p[i] == '\\')
            return false;
    return s.n > 0;
}

bool rights_read_scopes(str text, unsigned *out)
{
    unsigned scopes = 0;
    str name;
    while (str_next(&text, ' ', &name)) {
        if (!is_scope_token(name))
            return false;
        for (size_t i = 0; i < COUNT_OF(known); i++)
            if (str_eq(name, known[i].name))
                scopes |= known[i].scopes;
    }
    *out = scopes;
    return true;
}

str rights_print_scopes(struct arena *a, unsigned scopes)
{
    struct sbuf out = SBUF_ON(a);
    if (scopes & (OAUTH_READ | OAUTH_WRITE))
        sbuf_add(&out, known[0].name);
    if (scopes & OAUTH_WRITE)
        sbuf_add(&out, STR(" vault:write"));
    return sbuf_str(&out);
}

str rights_print_folders(struct arena *a, const struct oauth_rights *r)
{
    struct sbuf out = SBUF_ON(a);
    for (size_t i = 0; i < r->n_folders; i++) {
        if (i > 0)
            sbuf_char(&out, '\n');
        /* "" is the root of a vault; without any text it would be no limit at all */
        sbuf_add(&out, r->folders[i].n > 0 ? r->folders[i] : STR("/"));
    }
    return sbuf_str(&out);
}

void rights_read_folders(struct arena *a, str text, struct oauth_rights *out)
{
    size_t n = (text.n > 0) + text_count_ends(text, 0, text.n);
    str *folders = ARENA_ARRAY(a, str, n);
    str rest = text;
    for (size_t i = 0; i < n && str_next(&rest, '\n', &folders[i]);)
        i++;
    out->folders = folders;
    out->n_folders = n;
}
