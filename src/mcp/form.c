#include "mcp/form.h"

#include <stdalign.h>

#include "mcp/schema.h"

static size_t count_fields(const struct mcp_field *fields)
{
    size_t n = 0;
    while (fields != NULL && fields[n].name != NULL)
        n++;
    return n;
}

/* The offset of a struct placed after one of that size; never 0. */
static size_t offset_after(size_t size)
{
    size_t unit = alignof(max_align_t);
    return size_add(size, unit) / unit * unit;
}

struct mcp_form mcp_form_make(struct arena *a, const struct mcp_field *own,
                              size_t own_size, const struct mcp_field *common,
                              size_t common_size)
{
    size_t n_own = count_fields(own), n_common = count_fields(common);
    if (n_common == 0)
        return (struct mcp_form){.fields = own, .size = own_size};
    struct mcp_form f = {.common_at = offset_after(own_size)};
    f.size = size_add(f.common_at, common_size);
    struct mcp_field *all = ARENA_ARRAY(a, struct mcp_field, n_own + n_common + 1);
    if (n_own > 0)
        memcpy(all, own, n_own * sizeof(*all));
    for (size_t i = 0; i < n_common; i++) {
        all[n_own + i] = common[i];
        all[n_own + i].offset += f.common_at;
    }
    f.fields = all;
    return f;
}

bool mcp_form_read(const struct mcp_form *f, struct arena *a,
                   const struct json *arguments, bool strict, struct mcp_form_values *out,
                   struct err *err)
{
    char *block = arena_zero(a, f->size);
    *out = (struct mcp_form_values){
        .own = block, .common = f->common_at > 0 ? block + f->common_at : NULL};
    if (!mcp_schema_read(a, f->fields, arguments, false, block, err))
        return false;
    if (strict)
        out->why = mcp_schema_unknown(a, f->fields, arguments);
    return out->why.n == 0 ||
           err_named(err, E_INVALID_ARGUMENT, STR_FMT, STR_ARG(out->why));
}
