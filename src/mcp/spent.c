#include "mcp/spent.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/clock.h"

struct mcp_spent_row {
    char id[2 * MCP_SPENT_SIZE];
    uint64_t share, until; /* clock_ms() */
};

void spent_init(struct mcp_spent *s)
{
    lock_init(&s->lock, LOCK_LEAF);
}

void spent_release(struct mcp_spent *s)
{
    free(s->rows);
    lock_release(&s->lock);
}

static void forget_expired(struct mcp_spent *s, uint64_t now)
{
    size_t n = 0;
    for (size_t i = 0; i < s->n; i++)
        if (s->rows[i].until > now)
            s->rows[n++] = s->rows[i];
    s->n = n;
}

static bool has_spent(const struct mcp_spent *s, str id)
{
    for (size_t i = 0; i < s->n; i++)
        if (memcmp(s->rows[i].id, id.p, id.n) == 0)
            return true;
    return false;
}

static bool spent_has_room(const struct mcp_spent *s, uint64_t share)
{
    size_t own = 0;
    for (size_t i = 0; i < s->n; i++)
        own += s->rows[i].share == share;
    return s->n < MCP_SPENT_MAX && (share == 0 || own < MCP_SPENT_SHARE);
}

enum mcp_spending spent_spend(struct mcp_spent *s, uint64_t share, str id,
                              unsigned seconds)
{
    if (id.n != 2 * MCP_SPENT_SIZE)
        return MCP_SPENT_UNKNOWN;
    uint64_t now = clock_ms();
    struct mcp_spent_row row = {.share = share, .until = now + seconds * UINT64_C(1000)};
    enum mcp_spending how = MCP_SPENT_UNKNOWN;
    memcpy(row.id, id.p, id.n);
    lock_take(&s->lock);
    if (s->rows == NULL)
        s->rows = mem_zero(MCP_SPENT_MAX * sizeof(*s->rows));
    forget_expired(s, now);
    if (has_spent(s, id)) {
        how = MCP_SPENT_BEFORE;
    } else if (spent_has_room(s, share)) {
        s->rows[s->n++] = row;
        how = MCP_SPENT_NOW;
    }
    lock_drop(&s->lock);
    return how;
}
