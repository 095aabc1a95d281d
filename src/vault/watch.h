/*
 * watch - which paths of a vault may have changed, soon after they did.
 *
 * A thread of its own. It watches every visible folder with inotify: names that are
 * hidden (path_is_hidden) or that nobody can spell (path_is_spellable) are left out, with
 * what they hold; of ".obsidian" the files are watched, not its folders. Symlinked
 * folders are not entered; a folder that is mounted at two places is reported under one
 * of them. Where the file system does not tell (FUSE, NFS, SMB, 9p, virtiofs, ...), where
 * a limit is met or inotify fails, it polls from then on: it says "look at everything"
 * every so often. Nobody tells of changes in the lower layer of an overlay, or of what is
 * mounted later; safety_ms is for those.
 *
 * What comes out are hints: files and folders that may have appeared, changed or gone.
 * The receiver looks for itself, and at all that is below when the path is a folder: a
 * new folder is watched before it is reported, so whatever was made in it before is found
 * by who looks then. When the kernel's queue overflows (fs.inotify.max_queued_events),
 * the hint is "everything". All watches are set anew before each such hint.
 *
 * The vault is the folder that root has open, also when it is renamed or removed; what
 * takes its place under the same name is another folder, for another watcher.
 */
#pragma once

#include "base/err.h"
#include "base/fs.h"

enum {
    WATCH_PATHS_MAX = 10000,    /* in one burst; more are "everything" */
    WATCH_FOLDERS_MAX = 250000, /* more are polled; the kernel's limit may be lower */
    WATCH_DEPTH_MAX = 256,      /* deeper folders are not watched */
};

struct watch;

enum watch_how { WATCH_INOTIFY, WATCH_POLL };

struct watch_config {
    const struct fs_root *root; /* borrowed until watch_stop */
    unsigned quiet_ms;  /* a burst is reported when nothing came for so long ... */
    unsigned burst_ms;  /* ... or when it has lasted so long */
    unsigned poll_ms;   /* least time between two looks when polling */
    unsigned safety_ms; /* with inotify: look at everything that often; 0: never */
    bool poll;          /* even where inotify would work */

    /*
     * On the watcher's thread. Paths are clean, from the root, each once, ordered by
     * bytes, and gone when it returns. n == 0: look at everything. When polling, the next
     * call waits at least 20 times as long as this one took.
     */
    void (*changed)(void *arg, const str *paths, size_t n);
    void *arg;
};

#define WATCH_DEFAULTS                                                                   \
    .quiet_ms = 50, .burst_ms = 400, .poll_ms = 1000, .safety_ms = 300000

/*
 * Sets all watches first, so every change after it returns is hinted; it takes a listing
 * of every folder. Fails only when no thread can be had: a folder that cannot be watched
 * is polled.
 */
MUST_CHECK bool watch_start(const struct watch_config *config, struct watch **out,
                            struct err *err);

/*
 * No call of changed runs or begins after it returns. It waits for one that runs, so not
 * from changed itself, nor holding a lock that changed takes. NULL is fine.
 */
void watch_stop(struct watch *w);

/* How it works at the moment; from any thread. It may go over to polling, never back. */
enum watch_how watch_how(const struct watch *w);

/* Folders that are watched now; 0 when polling. From any thread. */
size_t watch_folders(const struct watch *w);
