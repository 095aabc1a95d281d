/*
 * watch - reports which paths of a vault may have changed, soon after they did.
 *
 * Runs in a separate thread. It watches every visible folder (base/os/watcher.h; not at
 * all in a portable build); names that are hidden (path_is_hidden) or cannot be written
 * by clients (path_is_spellable) are skipped with their contents, and of ".obsidian" only
 * the files are watched and those of plugins whose settings are read (obsidian.h).
 * Symlinked folders are not entered; a folder that is mounted twice is reported under one
 * of its paths. If the file system does not report changes (FUSE, NFS, SMB, 9p, virtiofs,
 * ...), a limit is reached or watching fails, it polls from then on: it reports "look at
 * everything" at intervals. Changes in the lower layer of an overlay, and things mounted
 * later, are never reported; safety_ms is for these.
 *
 * The reports are hints: files and folders that may have been created, changed or
 * removed. The receiver looks at the disk itself, and at everything below if the path is
 * a folder: a new folder is watched before it is reported, so whatever was made in it
 * earlier is found then. If the kernel's queue overflows (fs.inotify.max_queued_events),
 * the hint is "everything". All watches are set again before each such hint.
 *
 * The vault is the folder that root has open, even if it is renamed or removed. If the
 * descriptor of root is made to mean another folder, `reopened` says so, and all watches
 * are set again.
 */
#pragma once

#include "base/err.h"
#include "base/fs.h"

enum {
    WATCH_PATHS_MAX = 10000,    /* in one burst; more count as "everything" */
    WATCH_FOLDERS_MAX = 250000, /* with more it polls; the kernel's limit may be lower */
    WATCH_DEPTH_MAX = 256,      /* deeper folders are not watched */
};

struct watch;

enum watch_how { WATCH_EVENTS, WATCH_POLL };

struct watch_config {
    const struct fs_root *root; /* borrowed until watch_stop */
    unsigned quiet_ms;  /* a burst is reported after this time without events ... */
    unsigned burst_ms;  /* ... or when it has lasted this long */
    unsigned poll_ms;   /* minimum time between two looks when polling */
    unsigned safety_ms; /* with events: interval of looking at everything; 0: never */
    bool poll;          /* even where events would be reported */
    unsigned root_ms;   /* with events: interval of calling reopened */

    /*
     * Called on the watcher's thread. Paths are clean, relative to the root, unique,
     * sorted by bytes, and valid during the call. n == 0: look at everything. When
     * polling, the next call comes after at least 20 times the duration of this one.
     */
    void (*changed)(void *arg, const str *paths, size_t n);

    /* Called on the watcher's thread: whether root means another folder than at *seen,
     * which is then updated. May be NULL. */
    bool (*reopened)(void *arg, unsigned *seen);
    void *arg;
};

#define WATCH_DEFAULTS                                                                   \
    .quiet_ms = 50, .burst_ms = 400, .poll_ms = 1000, .safety_ms = 300000, .root_ms = 2000

/*
 * Sets all watches before it returns, so every later change is reported; it has to list
 * every folder. Fails only if no thread can be started: a folder that cannot be watched
 * is polled.
 */
MUST_CHECK bool watch_start(const struct watch_config *config, struct watch **out,
                            struct err *err);

/*
 * When it returns, changed is not running and will not be called again. It waits for a
 * running call, so do not call it from changed, nor with a lock that changed takes. NULL
 * is fine.
 */
void watch_stop(struct watch *w);

/* How it works at the moment; from any thread. It may switch to polling, never back. */
enum watch_how watch_how(const struct watch *w);

/* The number of watched folders; 0 when polling. From any thread. */
size_t watch_folders(const struct watch *w);
