/*
 * A search while the first index is made. The files that a first scan reads are known
 * early; a search for text reads them all once, and the scan pauses meanwhile.
 */
#include "vault/index/index.h"
#include "vault/load.h"
#include "vault/note/policy.h"
#include "vault/policies.h"
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

/* Before the first index is complete, nothing is known of policies: those of folders are read
 * now. */
static void early_index_rules(const struct live *v, const struct walk *w,
                              struct policies *rules)
{
    str property = policies_property(rules);
    for (size_t i = 0; i < w->n && property.n > 0; i++)
        if (policy_is_rule(w->files[i].path))
            (void)policies_set(
                rules, w->files[i].path,
                load_policy(&v->root, property, w->files[i].path, POLICY_HIDDEN));
}

/* Takes out what is hidden from clients. */
static void early_index_hide(struct index *x, struct policies *rules)
{
    for (file_id id = 0; id < x->n; id++) {
        struct file *f = x->files[id];
        if (f != NULL && (f->policy == POLICY_HIDDEN ||
                          (f->info.linked && policies_hide_folders(rules)) ||
                          policies_at(rules, f->path) == POLICY_HIDDEN))
            (void)index_remove(x, f->path);
    }
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
    struct policies *rules =
        policies_create(policies_property(v->policies), vault->access.folds);
    load.policies = rules;
    if (vault->ruled)
        early_index_rules(v, w, rules);
    struct index *x = load_early_index(&load, w, text, stop);
    end(v);
    if (x != NULL && vault->ruled)
        early_index_hide(x, rules);
    policies_free(rules);
    return x;
}
