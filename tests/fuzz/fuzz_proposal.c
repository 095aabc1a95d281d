/* A proposal: any bytes can be read, and what was read is printed and read again. */
#include "vault/change/proposal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a = {0};
    struct proposal p, again;
    struct err err;
    if (proposal_parse(&a, (str){(const char *)data, size}, &p, &err)) {
        str text = proposal_print(&a, &p);
        if (!proposal_parse(&a, text, &again, &err) || again.n != p.n ||
            !str_eq(proposal_print(&a, &again), text))
            BUG("a proposal is not read back");
    }
    arena_release(&a);
    return 0;
}
