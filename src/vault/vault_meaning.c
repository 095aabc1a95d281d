/* The vectors of notes: the thread that makes them. */
#include "vault/meaning/meaning.h"
#include "vault/vault_live.h"

struct meaning *vault_meaning(struct vault *vault)
{
    (void)vault;
    return NULL;
}

void vault_embed_query(struct vault *vault, struct arena *a, str question,
                       uint64_t deadline_ns, struct meaning_query *out)
{
    meaning_ask(vault_meaning(vault), a, question, deadline_ns, out);
}
