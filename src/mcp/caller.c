#include "mcp/caller.h"

#include "base/array.h"
#include "base/sbuf.h"

str mcp_caller_key(struct arena *a, const struct mcp_caller *caller)
{
    struct sbuf out = SBUF_ON(a);
    sbuf_printf(&out, "%lld\n", (long long)caller->id);
    sbuf_add(&out, caller->proof); /* bytes, always as many */
    sbuf_add(&out, caller->grant);
    return sbuf_str(&out);
}

bool mcp_is_welcome(const struct mcp_check *c, const struct mcp_caller *caller,
                    int64_t expires)
{
    if (expires != 0 && expires <= c->now)
        return false;
    if (caller->id == 0 || c->refused.n == 0)
        return true;
    arena_reset(c->scratch);
    return map_find(&c->refused, mcp_caller_key(c->scratch, caller)) == MAP_NONE;
}

void mcp_callers_add(struct mcp_callers *list, const struct mcp_caller *caller)
{
    struct arena *a = list->arena;
    if (caller->id == 0 || !map_add_new(&list->keys, mcp_caller_key(a, caller)))
        return;
    *ARRAY_ADD(a, list->all, list->n) =
        (struct mcp_caller){.id = caller->id,
                            .user = arena_str(a, caller->user),
                            .proof = arena_str(a, caller->proof),
                            .grant = arena_str(a, caller->grant)};
}
