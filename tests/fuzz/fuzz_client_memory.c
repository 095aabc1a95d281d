/* The file with the subscriptions of clients: what is read can be written and read. */
#include "base/err.h"
#include "mcp/hub.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a = {0};
    struct mcp_hub hub, again;
    hub_init(&hub);
    hub_init(&again);
    hub_recall(&hub, (str){(const char *)data, size});
    str memory = hub_memory(&hub, &a);
    hub_recall(&again, memory);
    if (!str_eq(hub_memory(&again, &a), memory))
        BUG("it is read differently");
    hub_release(&hub);
    hub_release(&again);
    arena_release(&a);
    return 0;
}
