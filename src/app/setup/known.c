#include "app/setup/known.h"

#include "base/hash.h"

uint64_t known_id(str text)
{
    return hash_content(text).high | 1;
}

void known_made(struct known *k, uint64_t number)
{
    uint64_t before = atomic_load(&k->newest);
    while (before < number &&
           !atomic_compare_exchange_weak(&k->newest, &before, number)) {
    }
}

/* --- commits; with the lock held --- */

static bool is_known(const struct known *k, uint64_t commit)
{
    for (size_t i = 0; i < KNOWN_COMMITS; i++)
        if (k->commits[i] == commit)
            return true;
    return false;
}

static void learn(struct known *k, uint64_t commit)
{
    if (!is_known(k, commit))
        k->commits[k->n_commits++ % KNOWN_COMMITS] = commit;
}

bool known_has(struct known *k, str commit)
{
    mutex_lock(&k->lock);
    bool has = is_known(k, known_id(commit));
    mutex_unlock(&k->lock);
    return has;
}

void known_learn(struct known *k, str commit)
{
    mutex_lock(&k->lock);
    learn(k, known_id(commit));
    mutex_unlock(&k->lock);
}

/* --- replicas that are not waited for --- */

/* With the lock held. */
static struct known_gone *gone_find(struct known *k, uint64_t replica)
{
    for (size_t i = 0; i < KNOWN_GONE; i++)
        if (k->gone[i].replica == replica)
            return &k->gone[i];
    return NULL;
}

bool known_gave_up(struct known *k, str replica, uint64_t number, bool pushed)
{
    mutex_lock(&k->lock);
    const struct known_gone *gone = gone_find(k, known_id(replica));
    bool is =
        gone != NULL && (number <= gone->pushed || (!pushed && number <= gone->number));
    mutex_unlock(&k->lock);
    return is;
}

void known_give_up(struct known *k, str replica, uint64_t number, bool pushed)
{
    uint64_t id = known_id(replica);
    mutex_lock(&k->lock);
    struct known_gone *gone = gone_find(k, id);
    if (gone == NULL) {
        gone = &k->gone[k->n_gone++ % KNOWN_GONE];
        *gone = (struct known_gone){.replica = id};
    }
    uint64_t *most = pushed ? &gone->pushed : &gone->number;
    if (*most < number) /* callers have seen different ones, and give up in any order */
        *most = number;
    mutex_unlock(&k->lock);
}

void known_level(struct known *k, str commit)
{
    mutex_lock(&k->lock);
    learn(k, known_id(commit));
    for (size_t i = 0; i < KNOWN_GONE; i++)
        k->gone[i].pushed = 0;
    mutex_unlock(&k->lock);
}
