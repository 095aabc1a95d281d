/*
 * Callers that are not welcome any more. Whether one is may have to be looked up in a
 * database, so the callers are listed first, then asked about, then their calls and streams
 * end; a lock is held only for the first and the last. Whoever came in between was let in
 * later than what is checked here.
 */
#include "base/array.h"
#include "base/sbuf.h"
#include "mcp/core.h"
#include "mcp/hub.h"
#include "mcp/request.h"

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

static void list_callers(struct mcp_server *s, struct mcp_callers *out)
{
    lock_take(&s->lock);
    for (const struct mcp_request *r = s->running; r != NULL; r = r->next)
        mcp_callers_add(out, &r->caller);
    lock_drop(&s->lock);
    hub_list_callers(&s->hub, out);
}

void mcp_check_callers(struct mcp_server *s, mcp_welcome_fn *welcome, void *context,
                       int64_t now)
{
    struct arena a = {0}, scratch = {0};
    struct mcp_callers callers = {.arena = &a, .keys.arena = &a};
    struct mcp_check check = {.now = now, .refused.arena = &a, .scratch = &scratch};
    if (welcome != NULL)
        list_callers(s, &callers);
    for (size_t i = 0; i < callers.n; i++)
        if (!welcome(context, &callers.all[i]))
            map_add(&check.refused, callers.keys.keys[i]);
    if (check.refused.n > 0)
        mcp_cancel_unwelcome(s, &check);
    hub_check(&s->hub, &check, s->config.name, s->config.version);
    arena_release(&scratch);
    arena_release(&a);
}
