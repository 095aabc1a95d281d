/*
 * watch_paths - the paths of one burst, each once. Private to watch.
 *
 * Bounded by WATCH_PATHS_MAX; beyond, it knows only that everything may have changed.
 * {0} is empty.
 */
#pragma once

#include "base/map.h"

struct watch_paths {
    struct arena arena; /* the text of the paths */
    struct map list;
    size_t added; /* how often something was, repeated paths included */
    bool everything;
};

/* path is copied. */
void watch_paths_add(struct watch_paths *p, str path);

/* Everything may have changed. */
void watch_paths_add_all(struct watch_paths *p);

/* Order the list by bytes, for reading; nothing may be added before watch_paths_clear. */
void watch_paths_sort(struct watch_paths *p);

void watch_paths_clear(struct watch_paths *p);
void watch_paths_release(struct watch_paths *p);
