/*
 * Callers that are not welcome any more. Whether one is may have to be looked up in a
 * database, so the callers are listed first, then asked about, then their calls and
 * streams end; a lock is held only for the first and the last. Requests in between were
 * admitted later than what is checked here.
 */
#include "mcp/caller.h"
#include "mcp/core.h"
#include "mcp/hub.h"
#include "mcp/request.h"

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
