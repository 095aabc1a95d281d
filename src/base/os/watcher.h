/*
 * watcher - what changes in folders, as the system reports it: inotify on Linux, FSEvents on macOS.
 *
 * Not every system reports changes in a way that suits this, and not every file system
 * does. Then opening or adding fails with ERR_INVALID, and callers have to look for
 * changes at intervals. For one thread at a time.
 */
#pragma once

#include "base/err.h"

struct watcher {
    int fd; /* becomes ready for reading with the first event; -1: not open */
    struct watcher_own *own; /* what some systems keep in addition */
};

enum watcher_what {
    WATCHER_FOLDER = 1 << 0, /* the name is that of a folder */
    WATCHER_NAMES = 1 << 1,  /* the name appeared or disappeared */
    WATCHER_ENDED = 1 << 2,  /* the folder itself is gone, or its file system */
    WATCHER_LOST = 1 << 3,   /* events were lost, of all folders */
};

struct watcher_event {
    int folder;    /* as watcher_add() called it */
    unsigned what; /* enum watcher_what */
    str name;      /* in the folder; empty: the folder itself */
};

/* Whether this build can watch folders at all. */
bool watcher_is_supported(void);

/* What the system calls it: "inotify". */
const char *watcher_name(void);

/* How many folders this user may watch, in all programs together; false if that is not
 * known. */
MUST_CHECK bool watcher_limit(int64_t *out);

MUST_CHECK bool watcher_open(struct watcher *w, struct err *err);
void watcher_close(struct watcher *w); /* with all its folders; one not open is fine */

/*
 * Watch a folder that is open as fd, which may be closed afterwards, but nothing below it.
 * *folder is the same as before if it is watched already. ERR_LIMIT: the system has no room
 * for more; msg says how to get some.
 */
MUST_CHECK bool watcher_add(struct watcher *w, int fd, int *folder, struct err *err);
void watcher_remove(struct watcher *w, int folder); /* one that has ended is fine */

/* Call each() for the events so far, without waiting for others; false as soon as it returns
 * false, or if they cannot be read. */
MUST_CHECK bool watcher_read(struct watcher *w,
                             bool (*each)(void *arg, const struct watcher_event *e,
                                          struct err *err),
                             void *arg, struct err *err);
