#include "vault/forms/queries.h"

#include "vault/forms/code_block.h"

bool queries_is_inline(str code)
{
    while (str_starts(code, STR("`")))
        code = str_skip(code, 1);
    code = str_trim(code);
    return str_starts(code, STR("= ")) || str_starts(code, STR("$="));
}

static bool queries_is_block(const struct note *n, struct span block)
{
    str language = code_block_language(n, block);
    return str_eq(language, STR("base")) || str_eq(language, STR("dataview")) ||
           str_eq(language, STR("dataviewjs"));
}

bool queries_has(const struct note *n)
{
    for (uint32_t i = 0; i < n->n_regions; i++) {
        const struct note_region *r = &n->regions[i];
        if ((r->kind == NOTE_FENCED_CODE && queries_is_block(n, r->span)) ||
            (r->kind == NOTE_INLINE_CODE && queries_is_inline(span_of(n->text, r->span))))
            return true;
    }
    return false;
}
