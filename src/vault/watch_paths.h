/*
 * watch_paths - the set of paths of one burst. Private to watch.
 *
 * Has at most WATCH_PATHS_MAX paths; with more, it is only "everything may have changed".
 * {0} is empty.
 */
#pragma once

#include "base/map.h"

struct watch_paths {
    struct arena arena; /* the text of the paths */
    struct map list;
    size_t added; /* number of calls, including repeated paths */
    bool everything;
};

/* path is copied. */
void watch_paths_add(struct watch_paths *p, str path);

/* Everything may have changed. */
void watch_paths_add_all(struct watch_paths *p);

/* Sort the list by bytes; nothing may be added until watch_paths_clear. */
void watch_paths_sort(struct watch_paths *p);

void watch_paths_clear(struct watch_paths *p);
void watch_paths_release(struct watch_paths *p);
