#include "app/setup/page_vault.h"

#include "app/setup/app.h"
#include "app/setup/vaults.h"
#include "base/clock.h"
#include "replica/read_your_writes.h"

bool page_vault_open(struct page_vault *u, struct arena *a, const struct app_vault *v,
                     str person, struct err *err)
{
    *u = (struct page_vault){0};
    if (!vaults_use(v, VAULTS_WAIT_MS, err))
        return false;
    u->vault = v;
    u->seen = (struct ryw_request){.arena = a, .person = true};
    if (person.n > 0)
        u->seen.owner = arena_printf(a, STR_FMT "\n", STR_ARG(person));
    ryw_wait(&u->seen, &((struct app_vault *)v)->replica, clock_ms() + RYW_MS, NULL,
             NULL);
    return true;
}

struct vault *page_vault_of(const struct app_vault *v, str person)
{
    return person.n > 0 ? v->vault : v->for_clients;
}

void page_vault_close(struct page_vault *u)
{
    ryw_saw(&u->seen);
    vaults_release(u->vault);
}
