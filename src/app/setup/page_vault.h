/*
 * page_vault - a page for a person in a browser uses a vault: it is open meanwhile, and
 * has what the person has seen at other replicas, with any program (read_your_writes.h).
 */
#pragma once

#include "app/setup/app.h"
#include "replica/read_your_writes.h"

struct page_vault {
    const struct app_vault *vault; /* NULL: none is used */
    struct ryw_request seen;
};

/* Waits for it, without occupying a worker; u->seen.stale if that did not help. The
 * person is empty without sign-in. Fails like vaults_use(). */
MUST_CHECK bool page_vault_open(struct page_vault *u, struct arena *a,
                                const struct app_vault *v, str person, struct err *err);

/* What the page shows and changes: without sign-in, the request may be of any program, so that
 * is what clients may see and do. */
struct vault *page_vault_of(const struct app_vault *v, str person);

/* The page is about to be shown. */
void page_vault_close(struct page_vault *u);
