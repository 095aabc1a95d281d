/* The AI clients of this user: which of them start vaultd, and whether that works. */
#include "app/cli/client_table.h"
#include "app/cli/connect_plan.h"
#include "app/doctor/checkup_parts.h"
#include "base/os/machine.h"

static void checkup_clients_look_at(struct checkup *c, const struct client *client,
                                    str program)
{
    struct connect_found found;
    connect_look(c->arena, client, program, &found);
    str fix = arena_printf(c->arena, "vaultd connect %s --write", client->name);
    if (found.unreadable.n > 0)
        FOUND_WARN(c, arena_printf(c->arena, "Repair " STR_FMT, STR_ARG(found.path)),
                   "%s: cannot read its configuration: " STR_FMT, client->title,
                   STR_ARG(found.unreadable));
    for (size_t i = 0; i < found.n; i++) {
        const struct connect_entry *e = &found.entries[i];
        if (e->wrong.n > 0)
            FOUND_WARN(c, fix, "%s, entry " STR_FMT ": " STR_FMT, client->title,
                       STR_ARG(e->name), STR_ARG(e->wrong));
        else
            FOUND_GOOD(c, "%s is connected as " STR_FMT, client->title, STR_ARG(e->name));
    }
}

void checkup_clients(struct checkup *c)
{
    struct err err;
    str program;
    size_t before = c->n;
    if (machine_home(c->arena).n == 0 || !connect_program(c->arena, &program, &err))
        return;
    for (const struct client *client = client_table; client->name != NULL; client++)
        if (client->files[0] != NULL)
            checkup_clients_look_at(c, client, program);
    if (c->n == before)
        FOUND_GOOD(
            c, "no AI client is configured to start vaultd; vaultd connect shows how");
}
