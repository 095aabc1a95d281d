#include "app/setup/page_vault.h"

#include "app/setup/app.h"
#include "app/setup/fresh.h"
#include "app/setup/vaults.h"
#include "base/clock.h"

bool page_vault_open(struct page_vault *u, struct arena *a, const struct app_vault *v,
                     str person, struct err *err)
{
    *u = (struct page_vault){0};
    if (!vaults_use(v, VAULTS_WAIT_MS, err))
        return false;
    u->vault = v;
    u->fresh = (struct fresh_request){.arena = a, .person = true};
    if (person.n > 0)
        u->fresh.owner = arena_printf(a, STR_FMT "\n", STR_ARG(person));
    fresh_wait(&u->fresh, (struct app_vault *)v, clock_ms() + FRESH_MS, NULL, NULL);
    return true;
}

void page_vault_close(struct page_vault *u)
{
    fresh_saw(&u->fresh);
    vaults_release(u->vault);
}
