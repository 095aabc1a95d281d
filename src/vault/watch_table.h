/*
 * watch_table - the watched folders: a tree, searched by watch and by parent and name.
 * Private to watch.
 *
 * A folder has only its name and its parent, so its path stays right when folders above
 * it move. Does not touch the disk.
 */
#pragma once

#include "base/os/watcher.h"
#include "base/path.h"

struct watch_folder {
    int wd;         /* of the watcher */
    unsigned depth; /* 0: the top, which is the vault */
    struct watch_folder *parent, *children;
    struct watch_folder *next, **link;              /* among the parent's children */
    struct watch_folder *next_by_wd, *next_by_name; /* in the buckets */
    str name;
    char bytes[]; /* of name */
};

struct watch_table {
    struct watcher watcher;
    size_t n;
    struct watch_folder *top;
    struct watch_folder **by_wd, **by_name; /* n_buckets chains each */
    size_t n_buckets;                       /* a power of two */
};

/* An empty table for the folders of a watcher, which it now owns. */
void watch_table_init(struct watch_table *t, struct watcher watcher);

/* Closes the watcher. */
void watch_table_release(struct watch_table *t);

/* NULL if there is none. */
struct watch_folder *watch_table_find(const struct watch_table *t, int wd);
struct watch_folder *watch_table_child(const struct watch_table *t,
                                       const struct watch_folder *parent, str name);

/* parent NULL: the top. Neither wd nor the name in parent may be in the table. */
struct watch_folder *watch_table_add(struct watch_table *t, struct watch_folder *parent,
                                     str name, int wd);

/* Stop watching f and everything below, and free them. */
void watch_table_forget(struct watch_table *t, struct watch_folder *f);

/* Whether f is `above` or below it. */
bool watch_folder_within(const struct watch_folder *f, const struct watch_folder *above);

/* The path of name in f, in buffer; "" if it is too long. */
str watch_folder_path(const struct watch_folder *f, str name,
                      char buffer[PATH_MAX_BYTES]);
