/*
 * A search while the first index is made. The files that a first scan reads are known
 * early; a search for text reads them all once, and the scan pauses meanwhile.
 */
#include "vault/load.h"
#include "vault/vault_live.h"

/* What an early index uses stays until it is over. */
void live_scans(void *arg, const struct walk *w)
{
    struct live *v = arg;
    lock_take(&v->state_lock);
    while (w == NULL && atomic_load(&v->early_indexing))
        live_wait_a_little(v);
    v->scanned = w;
    cond_wake_all(&v->state_changed);
    lock_drop(&v->state_lock);
}

/* Waiting for the rest of the scan takes longer than reading all files again. */
static bool vault_early_index_is_worth_it(const struct live *v)
{
    return v->scanned != NULL && !atomic_load(&v->early_indexing) &&
           atomic_load(&v->done) < v->scanned->n / 2;
}

/* Waits until it is known whether there is a first scan. The files, or NULL. */
static const struct walk *begin(struct live *v, const struct stop *stop)
{
    const struct walk *w = NULL;
    lock_take(&v->state_lock);
    while (v->state == LIVE_LOADING && v->scanned == NULL && !atomic_load(&v->closing) &&
           !stop_now(stop))
        live_wait_a_little(v);
    if (v->state == LIVE_LOADING && vault_early_index_is_worth_it(v)) {
        w = v->scanned;
        atomic_store(&v->early_indexing, true);
    }
    lock_drop(&v->state_lock);
    return w;
}

static void end(struct live *v)
{
    lock_take(&v->state_lock);
    atomic_store(&v->early_indexing, false);
    cond_wake_all(&v->state_changed);
    lock_drop(&v->state_lock);
}

struct index *vault_early_index(struct vault *vault, str text, struct pool *pool,
                                const struct stop *stop)
{
    struct live *v = vault->live;
    if (vault->view.n > 0) /* the files of the scan are more than this caller may see */
        return NULL;
    const struct walk *w = begin(v, stop);
    if (w == NULL)
        return NULL;
    struct load load = v->load;
    load.pool = pool;
    load.done = load.expected = NULL;
    load.wait = NULL;
    struct index *x = load_early_index(&load, w, text, stop);
    end(v);
    return x;
}
