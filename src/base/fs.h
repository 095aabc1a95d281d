/*
 * fs - files beneath one root folder, and nowhere else.
 *
 * The root is opened once; every access goes through openat2(RESOLVE_BENEATH |
 * RESOLVE_NO_MAGICLINKS), so '..', absolute paths, symlinks that leave the root and
 * folders swapped for symlinks at any instant lead nowhere. Kernels or containers
 * without openat2 get a walk by component that refuses the same. FIFOs, sockets and
 * devices are never opened for reading data and never block.
 * Paths are relative to the root, clean (path.h), "" being the root itself.
 *
 * Failures have names: FILE_NOT_FOUND, PATH_NOT_ALLOWED (a symlink leads outside or in
 * circles; ERR_DENIED), FORBIDDEN (permissions; ERR_DENIED), FILE_TOO_LARGE, IO_ERROR.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"

#define AUTO_CLOSE __attribute__((cleanup(fs_auto_close)))
void fs_auto_close(int *fd);    /* closes unless negative; keeps errno */
#define TAKE(fd) fs_take(&(fd)) /* the descriptor leaves this scope */
int fs_take(int *fd);

struct fs_root {
    int fd;
    bool no_openat2; /* use the fallback; set by itself, or by a test */
    bool no_links;   /* symlinks are as if they were not there */
};

enum fs_type { FS_FILE, FS_FOLDER };

struct fs_info {
    enum fs_type type;
    int64_t size;
    int64_t mtime;       /* of the content, seconds since 1970 */
    int64_t modified_ns; /* the same in nanoseconds */
    int64_t changed_ns;  /* of anything, also of mode and name; nobody can set it back */
    uint64_t inode;
    bool linked; /* known to be reached through a symlink */
};

/* From what stat() says; false when it is neither a file nor a folder. */
struct stat;
bool fs_info_of(const struct stat *st, struct fs_info *info);

/* Whether a file seen twice is, as far as can be known without reading, unchanged. */
bool fs_same(const struct fs_info *a, const struct fs_info *b);

struct fs_entry {
    str name; /* valid UTF-8 */
    struct fs_info info;
    bool is_link; /* info is that of what the link leads to; links may form a circle, so a
                     walk that enters linked folders must know where it was */
};

/* path is an absolute or relative path of the machine, not of a vault. */
MUST_CHECK bool fs_root_open(struct fs_root *root, const char *path, struct err *err);
void fs_root_close(struct fs_root *root);

/* A descriptor of a regular file for reading. ERR_INVALID when it is something else. */
MUST_CHECK bool fs_open_file(const struct fs_root *root, str path, int *fd,
                             struct fs_info *info, struct err *err);

/*
 * A descriptor of a folder for listing. Unless follow, a symlink at the end of path or on
 * the way is ERR_DENIED, even one inside the root. ERR_INVALID when it is something else.
 */
MUST_CHECK bool fs_open_folder(const struct fs_root *root, str path, bool follow, int *fd,
                               struct err *err);

/* What is at path; symlinks inside the root are followed. */
MUST_CHECK bool fs_stat(const struct fs_root *root, str path, struct fs_info *info,
                        struct err *err);

/* The same, and in is_link whether the path leads through a symlink or is one. */
MUST_CHECK bool fs_stat_entry(const struct fs_root *root, str path, struct fs_entry *out,
                              struct err *err);

/* The whole file into the arena. ERR_LIMIT when it is larger than max. */
MUST_CHECK bool fs_read(const struct fs_root *root, struct arena *a, str path, size_t max,
                        str *out, struct err *err);

/*
 * The same with a single look, for files that fs_list() has just shown, and what the file
 * was when it was opened.
 */
MUST_CHECK bool fs_load(const struct fs_root *root, struct arena *a, str path, size_t max,
                        struct fs_info *info, str *out, struct err *err);

/*
 * The entries of a folder ordered by name bytes, files and folders only. Hidden names
 * (path_is_hidden) and names that no client could spell (path_is_spellable) are left out,
 * the latter counted in *skipped. Entries that cannot be looked at are left out, too.
 */
struct fs_list {
    struct fs_entry *entries;
    size_t n;
    size_t skipped;
};
enum { FS_LIST_MAX = 1000000 };
MUST_CHECK bool fs_list(const struct fs_root *root, struct arena *a, str path,
                        struct fs_list *out, struct err *err);

/* A whole file of the machine, such as one that a setting names. ERR_LIMIT when it is
 * larger than max. */
MUST_CHECK bool fs_read_file(struct arena *a, str path, size_t max, str *out,
                             struct err *err);

/* Write all bytes to fd, however often that takes; else errno says why not. */
MUST_CHECK bool fs_write_all(int fd, str bytes);

/* Put a small private file (mode 0600) of ours in place of the one that is there: any
 * reader and any crash finds the old one or the new one, and it is on disk when this
 * returns. */
MUST_CHECK bool fs_replace_file(const char *path, str text, struct err *err);

/* Make the names in a folder durable, where its file system can. */
void fs_sync_folder(int dir);

/* Make a folder of the machine (0700) with all its parents, where they are missing. */
MUST_CHECK bool fs_make_folder(const char *path, struct err *err);

/*
 * Create or read a small private file (mode 0600) in a state directory that is made
 * if missing (0700): the bytes of name, or else size random bytes that are stored there
 * durably. Safe against a second process doing the same. At most 256 bytes; a file of
 * another size is ERR_INVALID and stays as it is.
 */
MUST_CHECK bool fs_secret_file(const char *folder, const char *name, void *out,
                               size_t size, struct err *err);
