/*
 * fd - descriptors: small numbers for what Windows knows by handles. Private to
 * base/os/windows.
 *
 * The table is our own and not that of the C library, which knows no sockets and has a text
 * mode. 0 to 2 are what the process was started with.
 */
#pragma once

#include "base/os/windows/base.h"
#include "base/str.h"

enum { FD_MAX = 4096 };

enum fd_kind {
    FD_NONE,
    FD_FILE,
    FD_FOLDER,
    FD_PIPE,
    FD_CONSOLE,
    FD_DEVICE, /* NUL, for example: never waits */
    FD_SOCKET,
    FD_EVENT,   /* ready while it is set */
    FD_PROCESS, /* ready when it has ended */
};

struct pump;

struct fd {
    enum fd_kind kind;
    HANDLE handle;     /* the SOCKET of FD_SOCKET */
    struct pump *pump; /* of a pipe or console that was waited for (pump.h) */
    HANDLE lock;       /* of a folder that file_lock() locked */
    bool locked[2];    /* of a file, by each kind of lock */
    uint64_t at;       /* FD_FILE: where reading and writing continue */
    bool inherited;    /* the position is that of the handle, which others may share */
    bool append;       /* writing continues at the end */
    bool unsaved;     /* written but not flushed, and it cannot be reopened to flush it */
    bool never_waits; /* pipe_never_wait() */
};

/* A new descriptor, which takes the handle; -1 and EMFILE, and the handle is closed. */
int fd_add(enum fd_kind kind, HANDLE handle);

/* NULL and EBADF if it is not open. Valid until it is closed. */
struct fd *fd_find(int fd);

/* Forget a descriptor, without closing anything: *out is what it was. */
bool fd_take(int fd, struct fd *out);

/* Close what a descriptor was. */
void fd_end(struct fd *entry);

/* Give a handle the kind of what it is, for one that was inherited. */
enum fd_kind fd_kind_of(HANDLE handle);

/* Put an entry into a number, and return what was there (FD_NONE: nothing). */
struct fd fd_replace(int number, const struct fd *entry);

/* How many are open. */
size_t fd_count(void);
