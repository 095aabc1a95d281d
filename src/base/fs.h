/*
 * fs - files beneath one root folder, and nowhere else.
 *
 * The root is opened once. A path without symlinks is opened in one step (file_beneath()),
 * so '..', absolute paths and folders swapped for symlinks at any moment cannot escape. A
 * path with symlinks is walked one name at a time (fs_walk.h), as are all paths on systems
 * or in containers without openat2. A path is judged by where it
 * ends: a symlink that leaves the root, or whose target has a hidden name
 * (path_is_hidden), is refused for every operation. FIFOs, sockets and devices are never
 * opened for reading, so they cannot block us.
 * Paths are relative to the root and clean (path.h); "" is the root itself.
 *
 * Failures have names: FILE_NOT_FOUND, PATH_NOT_ALLOWED (a symlink that leaves the root,
 * leads to a hidden name or loops; ERR_DENIED), FORBIDDEN (permissions; ERR_DENIED),
 * FILE_TOO_LARGE, IO_ERROR.
 *
 * Nothing here is called while the index of a vault or another brief lock is held, which
 * every build checks (lock_check_slow()): readers never wait for a disk.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/map.h"
#include "base/os/file.h"

struct fs_root {
    int fd;
    bool no_openat2; /* use the fallback; set automatically or by a test */
    bool no_links;   /* treat symlinks as missing */

    /* Whether a file may be changed at path, where it really is; asked by fs_edit.h if
     * the path to it has a symlink. NULL: anywhere. */
    bool (*may_change)(const void *arg, str path);
    const void *may_change_arg;
};

enum fs_type { FS_FILE, FS_FOLDER };

struct fs_info {
    enum fs_type type;
    bool linked;     /* known to be reached through a symlink */
    bool many_names; /* it has hard links */
    bool in_cloud;   /* a placeholder: to read it is to download it */
    int64_t size;
    int64_t mtime;       /* of the content, seconds since 1970 */
    int64_t modified_ns; /* the same in nanoseconds */
    int64_t changed_ns;  /* ctime: includes mode and name, and cannot be set back */
    int64_t born_ns;     /* when it was created; 0: the file system does not say */
    uint64_t inode;
};

/* False if it is neither a file nor a folder. */
bool fs_info_of(const struct file_stat *st, struct fs_info *info);

/* Whether a file is unchanged, as far as can be known without reading it. */
bool fs_same(const struct fs_info *a, const struct fs_info *b);

struct fs_entry {
    str name; /* valid UTF-8 */
    struct fs_info info;
    bool is_link; /* info describes the target; links may form a loop, so a walk that
                     enters linked folders must remember where it was */
};

/* path is an absolute or relative path of the machine, not a vault path. */
MUST_CHECK bool fs_root_open(struct fs_root *root, const char *path, struct err *err);
void fs_root_close(struct fs_root *root);

/* Open a regular file for reading. ERR_INVALID if it is something else. */
MUST_CHECK bool fs_open_file(const struct fs_root *root, str path, int *fd,
                             struct fs_info *info, struct err *err);

/*
 * Open a folder for listing. Unless follow is set, a symlink anywhere in path is
 * ERR_DENIED, even one inside the root. ERR_INVALID if it is not a folder.
 */
MUST_CHECK bool fs_open_folder(const struct fs_root *root, str path, bool follow, int *fd,
                               struct err *err);

/* Describe what is at path; symlinks inside the root are followed. */
MUST_CHECK bool fs_stat(const struct fs_root *root, str path, struct fs_info *info,
                        struct err *err);

/* The same; is_link says whether the path is or goes through a symlink. */
MUST_CHECK bool fs_stat_entry(const struct fs_root *root, str path, struct fs_entry *out,
                              struct err *err);

/* Read the whole file into the arena. ERR_LIMIT if it is larger than max. */
MUST_CHECK bool fs_read(const struct fs_root *root, struct arena *a, str path, size_t max,
                        str *out, struct err *err);

/*
 * The same with fewer system calls, for files that fs_list() has just returned; also
 * returns the state of the file when it was opened.
 */
MUST_CHECK bool fs_load(const struct fs_root *root, struct arena *a, str path, size_t max,
                        struct fs_info *info, str *out, struct err *err);

/*
 * The files and folders in a folder, ordered by the bytes of their names. Hidden names
 * (path_is_hidden), names that no client could spell (path_is_spellable) and entries that
 * cannot be examined are left out; skipped lists the second ones, and what is only in iCloud
 * (path_in_icloud).
 */
struct fs_list {
    struct fs_entry *entries;
    size_t n;
    str *skipped; /* names, in the order of the file system */
    size_t n_skipped;
};
enum { FS_LIST_MAX = 1000000 };
MUST_CHECK bool fs_list(const struct fs_root *root, struct arena *a, str path,
                        struct fs_list *out, struct err *err);

/* Whether names that differ only in case are the same for the file system of the root:
 * its first entry with a letter is also found by another spelling. */
bool fs_ignores_case(const struct fs_root *root);

/* Whether other differs from name only in case, and is found, but not listed. */
bool fs_is_other_spelling(int dir, const char *name, const char *other);

/* Whether Windows would find another file by this name, which is the short name that it gave
 * to that one. */
bool fs_is_short_alias(int dir, const char *name);

/* The names in the folders that were looked into, each of them listed once. {.root, .a} */
struct fs_spelling {
    const struct fs_root *root;
    struct arena *a;
    struct map folders, paths;
};

/* Whether path, which is found, is spelled as it is listed, with all its folders. True if
 * a folder cannot be listed. */
bool fs_is_spelled_so(struct fs_spelling *s, str path);

/* Read a whole file outside the vault, such as one named by a setting. ERR_LIMIT if it is
 * larger than max. */
MUST_CHECK bool fs_read_file(struct arena *a, str path, size_t max, str *out,
                             struct err *err);

/* Read an open file to its end, of which file_stat() said size. EFBIG if it has more than
 * max; else errno is as file_read() sets it. */
MUST_CHECK bool fs_read_open(int fd, struct arena *a, int64_t size, size_t max, str *out);

/* Replace a small private file (mode 0600) atomically: readers, also after a crash, find
 * the old one or the new one. It is on disk when this returns. */
MUST_CHECK bool fs_replace_file(const char *path, str text, struct err *err);

/* Make the names in a folder durable, if its file system supports that. */
void fs_sync_folder(int dir);

/* Create a folder outside the vault (0700) and its missing parents. */
MUST_CHECK bool fs_make_folder(const char *path, struct err *err);

/*
 * Read a small private file (mode 0600) in a state folder, which is created if missing
 * (0700). A missing file is created durably with size random bytes, safely even if a
 * second process does the same. At most 256 bytes; a file of another size is ERR_INVALID
 * and stays as it is.
 */
MUST_CHECK bool fs_secret_file(const char *folder, const char *name, void *out,
                               size_t size, struct err *err);
