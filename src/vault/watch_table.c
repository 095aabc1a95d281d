#include "vault/watch_table.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/hash.h"

enum { BUCKETS_FIRST = 256 };

static struct watch_folder **wd_bucket(const struct watch_table *t, int wd)
{
    return &t->by_wd[(size_t)wd & (t->n_buckets - 1)];
}

static struct watch_folder **name_bucket(const struct watch_table *t,
                                         const struct watch_folder *parent, str name)
{
    uint64_t parents = hash_table((str){(const char *)&parent, sizeof(parent)});
    return &t->by_name[(parents + hash_table(name)) & (t->n_buckets - 1)];
}

struct watch_folder *watch_table_find(const struct watch_table *t, int wd)
{
    struct watch_folder *f = *wd_bucket(t, wd);
    while (f != NULL && f->wd != wd)
        f = f->next_by_wd;
    return f;
}

struct watch_folder *watch_table_child(const struct watch_table *t,
                                       const struct watch_folder *parent, str name)
{
    struct watch_folder *f = *name_bucket(t, parent, name);
    while (f != NULL && (f->parent != parent || !str_eq(f->name, name)))
        f = f->next_by_name;
    return f;
}

static void put_in_buckets(struct watch_table *t, struct watch_folder *f)
{
    struct watch_folder **wd = wd_bucket(t, f->wd);
    struct watch_folder **name = name_bucket(t, f->parent, f->name);
    f->next_by_wd = *wd;
    *wd = f;
    f->next_by_name = *name;
    *name = f;
}

static void put_all_in_buckets(struct watch_table *t, struct watch_folder *f)
{
    put_in_buckets(t, f);
    for (struct watch_folder *c = f->children; c != NULL; c = c->next)
        put_all_in_buckets(t, c);
}

static void grow_buckets(struct watch_table *t)
{
    free(t->by_wd);
    free(t->by_name);
    t->n_buckets = t->n_buckets > 0 ? size_mul(t->n_buckets, 2) : BUCKETS_FIRST;
    t->by_wd = mem_zero(size_mul(t->n_buckets, sizeof(struct watch_folder *)));
    t->by_name = mem_zero(size_mul(t->n_buckets, sizeof(struct watch_folder *)));
    if (t->top != NULL)
        put_all_in_buckets(t, t->top);
}

static void take_from_buckets(struct watch_table *t, const struct watch_folder *f)
{
    struct watch_folder **at = wd_bucket(t, f->wd);
    while (*at != f)
        at = &(*at)->next_by_wd;
    *at = f->next_by_wd;
    at = name_bucket(t, f->parent, f->name);
    while (*at != f)
        at = &(*at)->next_by_name;
    *at = f->next_by_name;
}

struct watch_folder *watch_table_add(struct watch_table *t, struct watch_folder *parent,
                                     str name, int wd)
{
    if (t->n >= t->n_buckets)
        grow_buckets(t);
    struct watch_folder *f = mem_zero(size_add(sizeof(*f), name.n + 1));
    if (name.n > 0)
        memcpy(f->bytes, name.p, name.n);
    f->name = (str){f->bytes, name.n};
    f->wd = wd;
    f->parent = parent;
    f->depth = parent != NULL ? parent->depth + 1 : 0;
    f->link = parent != NULL ? &parent->children : &t->top;
    f->next = *f->link;
    if (f->next != NULL)
        f->next->link = &f->next;
    *f->link = f;
    put_in_buckets(t, f);
    t->n++;
    return f;
}

void watch_table_forget(struct watch_table *t, struct watch_folder *f)
{
    while (f->children != NULL)
        watch_table_forget(t, f->children);
    *f->link = f->next;
    if (f->next != NULL)
        f->next->link = f->link;
    take_from_buckets(t, f);
    watcher_remove(&t->watcher, f->wd);
    free(f);
    t->n--;
}

bool watch_folder_within(const struct watch_folder *f, const struct watch_folder *above)
{
    while (f != NULL && f != above)
        f = f->parent;
    return f != NULL;
}

/* Written from the end to the start. */
str watch_folder_path(const struct watch_folder *f, str name, char buffer[PATH_MAX_BYTES])
{
    size_t at = PATH_MAX_BYTES;
    for (; f != NULL; name = f->name, f = f->parent) {
        size_t slash = at < PATH_MAX_BYTES && name.n > 0;
        if (at < name.n + slash)
            return STR("");
        if (slash)
            buffer[--at] = '/';
        at -= name.n;
        if (name.n > 0)
            memcpy(buffer + at, name.p, name.n);
    }
    return (str){buffer + at, PATH_MAX_BYTES - at};
}

void watch_table_init(struct watch_table *t, struct watcher watcher)
{
    *t = (struct watch_table){.watcher = watcher};
    grow_buckets(t);
}

static void free_folders(struct watch_folder *f)
{
    for (struct watch_folder *c = f->children, *next; c != NULL; c = next) {
        next = c->next;
        free_folders(c);
    }
    free(f);
}

void watch_table_release(struct watch_table *t)
{
    watcher_close(&t->watcher);
    if (t->top != NULL)
        free_folders(t->top);
    free(t->by_wd);
    free(t->by_name);
    *t = (struct watch_table){.watcher.fd = -1};
}
