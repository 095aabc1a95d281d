/*
 * Two sorted lists: what notes say, and what that means for folders. Both are nearly always
 * short; most vaults have none, and then no call takes the lock.
 */
#include "vault/policies.h"

#include <stdatomic.h>

#include "base/arena.h"
#include "base/lock.h"
#include "base/path.h"
#include "base/utf8.h"
#include "vault/note/policy.h"

struct policies_item {
    char *key; /* the path, folded if names are */
    size_t n;
    enum policy says;
};

struct policies_list {
    struct policies_item *items; /* by key, as bytes */
    size_t n, cap;
};

struct policies {
    char *property;
    bool folds;
    struct lock lock;
    struct policies_list notes, folders;
    atomic_size_t n; /* of the notes */
    atomic_size_t hidden, hidden_folders, proposed;
};

struct policies *policies_create(str property, bool folds)
{
    struct policies *p = mem_zero(sizeof(*p));
    p->property = mem_str(property);
    p->folds = folds;
    lock_init(&p->lock, LOCK_LEAF);
    return p;
}

static void list_release(struct policies_list *l)
{
    for (size_t i = 0; i < l->n; i++)
        free(l->items[i].key);
    free(l->items);
}

void policies_free(struct policies *p)
{
    if (p == NULL)
        return;
    list_release(&p->notes);
    list_release(&p->folders);
    lock_release(&p->lock);
    free(p->property);
    free(p);
}

str policies_property(const struct policies *p)
{
    return p != NULL ? str_c(p->property) : STR("");
}

/* --- lists --- */

static str policies_key_at(const struct policies_item *item)
{
    return (str){item->key, item->n};
}

/* The position of the first item that is not before the key. */
static size_t list_at(const struct policies_list *l, str key)
{
    size_t low = 0, high = l->n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (str_cmp(policies_key_at(&l->items[mid]), key) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static enum policy list_get(const struct policies_list *l, str key)
{
    size_t at = list_at(l, key);
    bool there = at < l->n && str_eq(policies_key_at(&l->items[at]), key);
    return there ? l->items[at].says : POLICY_NONE;
}

static void list_insert(struct policies_list *l, size_t at, str key, enum policy says)
{
    if (l->n == l->cap) {
        l->cap = 2 * l->cap + 8;
        l->items = mem_grow(l->items, size_mul(l->cap, sizeof(*l->items)));
    }
    memmove(l->items + at + 1, l->items + at, (l->n - at) * sizeof(*l->items));
    l->items[at] = (struct policies_item){mem_str(key), key.n, says};
    l->n++;
}

static void list_remove(struct policies_list *l, size_t at)
{
    free(l->items[at].key);
    l->n--;
    memmove(l->items + at, l->items + at + 1, (l->n - at) * sizeof(*l->items));
}

/* Returns what was there. */
static enum policy list_put(struct policies_list *l, str key, enum policy says, bool keep)
{
    size_t at = list_at(l, key);
    bool there = at < l->n && str_eq(policies_key_at(&l->items[at]), key);
    enum policy before = there ? l->items[at].says : POLICY_NONE;
    if (there && !keep)
        list_remove(l, at);
    else if (there)
        l->items[at].says = says;
    else if (keep)
        list_insert(l, at, key, says);
    return before;
}

static void policies_tally(atomic_size_t *n, enum policy kind, enum policy before,
                           enum policy now)
{
    if (before == kind)
        atomic_fetch_sub(n, 1);
    if (now == kind)
        atomic_fetch_add(n, 1);
}

/* --- what notes say --- */

static str policies_key(const struct policies *p, struct arena *a, str path)
{
    return p->folds ? utf8_fold(a, path) : path;
}

/* What the rules of a folder say together: their names may differ in case. */
static enum policy folder_says(const struct policies *p, str folder)
{
    enum policy says = POLICY_NONE;
    for (size_t i = 0; i < p->notes.n; i++) {
        str key = policies_key_at(&p->notes.items[i]);
        if (policy_is_rule(key) && str_eq(path_folder(key), folder) &&
            p->notes.items[i].says > says)
            says = p->notes.items[i].says;
    }
    return says;
}

static bool set_held(struct policies *p, str key, enum policy says, bool there)
{
    bool rule = policy_is_rule(key);
    bool keep = there && (says != POLICY_NONE || rule);
    enum policy said = list_put(&p->notes, key, says, keep);
    policies_tally(&p->hidden, POLICY_HIDDEN, said, says);
    policies_tally(&p->proposed, POLICY_PROPOSE, said, says);
    atomic_store(&p->n, p->notes.n);
    if (!rule)
        return false;
    str folder = path_folder(key);
    enum policy now = folder_says(p, folder);
    enum policy before = list_put(&p->folders, folder, now, now != POLICY_NONE);
    policies_tally(&p->hidden_folders, POLICY_HIDDEN, before, now);
    return now != before;
}

static bool policies_put(struct policies *p, str path, enum policy says, bool there)
{
    struct arena a = {0};
    bool none = says == POLICY_NONE && !(there && policy_is_rule(path));
    if (policies_property(p).n == 0 || (none && atomic_load(&p->n) == 0))
        return false;
    str key = policies_key(p, &a, path);
    lock_take(&p->lock);
    bool rules = set_held(p, key, says, there);
    lock_drop(&p->lock);
    arena_release(&a);
    return rules;
}

bool policies_set(struct policies *p, str path, enum policy says)
{
    return policies_put(p, path, says, true);
}

bool policies_remove(struct policies *p, str path)
{
    return policies_put(p, path, POLICY_NONE, false);
}

enum policy policies_said(struct policies *p, str path)
{
    struct arena a = {0};
    if (p == NULL || atomic_load(&p->n) == 0)
        return POLICY_NONE;
    str key = policies_key(p, &a, path);
    lock_take(&p->lock);
    enum policy says = list_get(&p->notes, key);
    lock_drop(&p->lock);
    arena_release(&a);
    return says;
}

/* --- what counts --- */

/* Of a path, its folder, and so on up to the root. */
static enum policy at_held(const struct policies *p, str key)
{
    enum policy says = list_get(&p->notes, key);
    for (str at = key; p->folders.n > 0; at = path_folder(at)) {
        says = policy_stricter(says, list_get(&p->folders, at));
        if (at.n == 0)
            break;
    }
    return says;
}

enum policy policies_at(struct policies *p, str path)
{
    struct arena a = {0};
    enum policy says = POLICY_NONE;
    if (policies_property(p).n == 0)
        return says;
    if (atomic_load(&p->n) > 0) {
        str key = policies_key(p, &a, path);
        lock_take(&p->lock);
        says = at_held(p, key);
        lock_drop(&p->lock);
        arena_release(&a);
    }
    return policy_is_rule(path) ? policy_stricter(says, POLICY_READ_ONLY) : says;
}

enum policy policies_below(struct policies *p, str folder)
{
    struct arena a = {0};
    enum policy says = policies_at(p, folder);
    if (p == NULL || atomic_load(&p->n) == 0)
        return says;
    str key = policies_key(p, &a, folder);
    lock_take(&p->lock);
    for (size_t i = 0; i < p->notes.n; i++) {
        const struct policies_item *item = &p->notes.items[i];
        if (path_is_below(key, policies_key_at(item)))
            says =
                policy_stricter(says, policy_is_rule(policies_key_at(item))
                                          ? policy_stricter(item->says, POLICY_READ_ONLY)
                                          : item->says);
    }
    lock_drop(&p->lock);
    arena_release(&a);
    return says;
}

bool policies_hide(const struct policies *p)
{
    return p != NULL && atomic_load(&p->hidden) > 0;
}

bool policies_hide_folders(const struct policies *p)
{
    return p != NULL && atomic_load(&p->hidden_folders) > 0;
}

bool policies_propose(const struct policies *p)
{
    return p != NULL && atomic_load(&p->proposed) > 0;
}

void policies_count(struct policies *p, struct policies_counts *out)
{
    *out = (struct policies_counts){0};
    if (p == NULL)
        return;
    lock_take(&p->lock);
    for (size_t i = 0; i < p->notes.n; i++)
        if (!policy_is_rule(policies_key_at(&p->notes.items[i])))
            out->notes[p->notes.items[i].says]++;
    for (size_t i = 0; i < p->folders.n; i++)
        out->folders[p->folders.items[i].says]++;
    lock_drop(&p->lock);
}
