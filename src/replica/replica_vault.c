#include "replica/replica_vault.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/os/ready.h"
#include "replica/leader.h"
#include "replica/replica.h"
#include "state/store.h"

uint64_t replica_vault_id(str text)
{
    return hash_content(text).high | 1;
}

void replica_vault_made(struct replica_vault *v, uint64_t number)
{
    uint64_t before = atomic_load(&v->newest);
    while (before < number &&
           !atomic_compare_exchange_weak(&v->newest, &before, number)) {
    }
}

/* --- commits; with the lock held --- */

static bool is_known(const struct replica_vault *v, uint64_t commit)
{
    for (size_t i = 0; i < REPLICA_VAULT_COMMITS; i++)
        if (v->commits[i] == commit)
            return true;
    return false;
}

static void learn(struct replica_vault *v, uint64_t commit)
{
    if (!is_known(v, commit))
        v->commits[v->n_commits++ % REPLICA_VAULT_COMMITS] = commit;
}

bool replica_vault_has(struct replica_vault *v, str commit)
{
    mutex_lock(&v->lock);
    bool has = is_known(v, replica_vault_id(commit));
    mutex_unlock(&v->lock);
    return has;
}

void replica_vault_learn(struct replica_vault *v, str commit)
{
    mutex_lock(&v->lock);
    learn(v, replica_vault_id(commit));
    mutex_unlock(&v->lock);
}

/* --- replicas that are not waited for --- */

/* With the lock held. */
static struct replica_vault_gone *gone_find(struct replica_vault *v, uint64_t replica)
{
    for (size_t i = 0; i < REPLICA_VAULT_GONE; i++)
        if (v->gone[i].replica == replica)
            return &v->gone[i];
    return NULL;
}

bool replica_vault_gave_up(struct replica_vault *v, str replica, uint64_t number,
                           bool pushed)
{
    mutex_lock(&v->lock);
    const struct replica_vault_gone *gone = gone_find(v, replica_vault_id(replica));
    bool is =
        gone != NULL && (number <= gone->pushed || (!pushed && number <= gone->number));
    mutex_unlock(&v->lock);
    return is;
}

void replica_vault_give_up(struct replica_vault *v, str replica, uint64_t number,
                           bool pushed)
{
    uint64_t id = replica_vault_id(replica);
    mutex_lock(&v->lock);
    struct replica_vault_gone *gone = gone_find(v, id);
    if (gone == NULL) {
        gone = &v->gone[v->n_gone++ % REPLICA_VAULT_GONE];
        *gone = (struct replica_vault_gone){.replica = id};
    }
    uint64_t *most = pushed ? &gone->pushed : &gone->number;
    if (*most < number) /* callers have seen different ones, and give up in any order */
        *most = number;
    mutex_unlock(&v->lock);
}

void replica_vault_level(struct replica_vault *v, str commit)
{
    mutex_lock(&v->lock);
    learn(v, replica_vault_id(commit));
    for (size_t i = 0; i < REPLICA_VAULT_GONE; i++)
        v->gone[i].pushed = 0;
    mutex_unlock(&v->lock);
}

/* --- the lock for pushing --- */

static bool may_wait(const struct replica_vault *v, uint64_t until)
{
    return store_away_ms(v->replica->store) == 0 && clock_ms() < until &&
           !v->remote->is_stopping(v->arg);
}

void replica_push_lock(struct replica_vault *v, bool begin)
{
    struct arena a = {0};
    uint64_t fence, until = clock_ms() + PUSH_LOCK_MS;
    if (v->replica == NULL || !replica_is_shared(v->replica))
        return;
    struct store *s = v->replica->store;
    str name = arena_printf(&a, "push " STR_FMT, STR_ARG(v->remote->name(v->arg)));
    if (!begin)
        leader_leave(s, name);
    while (begin && !leader_take(s, name, &fence) && may_wait(v, until))
        ready_pause(PUSH_LOCK_POLL_MS);
    arena_release(&a);
}
