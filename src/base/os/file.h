/*
 * file - files of this machine, by descriptor and by name.
 *
 * A descriptor is an int that no program started from here inherits. A name is looked up in
 * a folder that is open (folder.h), or with FILE_CWD in the current one; it may be a path,
 * but nothing here keeps a path beneath a root: that is what base/fs.h does.
 * What fails returns -1 or false and sets errno. A signal does not interrupt a call.
 */
#pragma once

#include "base/str.h"

enum { FILE_CWD = -100 }; /* in place of a folder */
enum { FILE_STDIN, FILE_STDOUT, FILE_STDERR };
enum { FILE_NAME_MAX = 255 }; /* bytes of a name on most file systems */

/* --- descriptors --- */

#define AUTO_CLOSE __attribute__((cleanup(file_auto_close)))
void file_auto_close(int *fd);
#define TAKE(fd) file_take(&(fd)) /* the descriptor leaves this scope */
int file_take(int *fd);

void file_close(int fd); /* unless it is negative; keeps errno */

/* From now on number is what fd is, too; what it was before is closed at that moment.
 * Programs started from here inherit the numbers up to FILE_STDERR. */
MUST_CHECK bool file_renumber(int fd, int number);

/* --- what there is --- */

enum file_type {
    FILE_REGULAR,
    FILE_FOLDER,
    FILE_SYMLINK,
    FILE_PIPE,
    FILE_SOCKET,
    FILE_ODD,    /* a device, for example */
    FILE_UNSEEN, /* in folder.h: without a look at it */
};

struct file_stat {
    enum file_type type;
    unsigned mode; /* permissions: 07777 */
    unsigned owner, group;
    int64_t size;
    int64_t mtime;       /* of the content, seconds since 1970 */
    int64_t modified_ns; /* the same in nanoseconds; 0 if there are too many */
    int64_t changed_ns;  /* includes mode and name, and cannot be set back */
    int64_t born_ns;     /* when it was created; 0: the file system does not say */
    uint64_t inode, device;
    uint64_t names; /* hard links; 0: it has no name any more */
    bool in_cloud; /* a placeholder of OneDrive or iCloud: to read it is to download it */
};

enum file_end { FILE_FOLLOW, FILE_NO_LINK }; /* a symlink as the last name of a path */

MUST_CHECK bool file_stat(int fd, struct file_stat *out);
MUST_CHECK bool file_stat_at(int dir, const char *path, enum file_end end,
                             struct file_stat *out);

/* Whether both are one file. Over a longer time the inode may be that of a new file, which
 * born_ns tells. */
bool file_is_same(const struct file_stat *a, const struct file_stat *b);

bool file_exists(const char *path);

/* Whether it is on a file system that is mounted read-only. */
bool file_is_read_only(int fd);

/* Where an open file is, if the system says that. */
MUST_CHECK bool file_find_path(int fd, char *out, size_t size);

/* The absolute path of what path leads to, without symlinks, "." and "..", to be freed with
 * free(). NULL and errno if something of it does not exist. Separated by '/'; on Windows it
 * begins with a drive in upper case ("C:/") or a share ("//server/share"). */
char *file_real_path(const char *path);

/* Whether this process may do all of that, as far as the system says in advance. To run a
 * folder is to enter it. */
enum file_right { FILE_MAY_READ = 1, FILE_MAY_WRITE = 2, FILE_MAY_RUN = 4 };
bool file_allows(int dir, const char *path, unsigned rights);

/* --- opening --- */

/* For reading, at once: a FIFO without a writer is at its end. With FILE_NO_LINK, a symlink
 * is ELOOP. */
int file_open(int dir, const char *path, enum file_end end);

/* Keep other programs from writing to a file until this descriptor is closed; its name can
 * still be given to another file. EBUSY if a program has it open for writing; ENOTSUP if the
 * system cannot do that (all but Windows). */
int file_guard(int dir, const char *name);

/* For reading; a FIFO is waited for. */
int file_open_stream(const char *path);

/* /dev/null: reads nothing, discards what is written. */
int file_open_null(void);

/* For writing a file that does not exist yet, else EEXIST. */
int file_create(int dir, const char *path, unsigned mode);

/* For reading and writing a private file (0600) of this program; a symlink is ELOOP. */
enum file_own {
    FILE_OLD,     /* else ENOENT */
    FILE_KEPT,    /* as it is, or new */
    FILE_EMPTIED, /* or new */
};
int file_open_own(int dir, const char *path, enum file_own how);

/* For writing at the end of a private file, which may be new. */
int file_open_end(const char *path);

/*
 * Find path beneath root, where no name may be a symlink: one is ELOOP, a way out of root
 * EXDEV. Looking has no effect on devices and FIFOs and sets *out alone; the others set *fd,
 * too (FILE_LIST: of a folder, without *out). ENOSYS if the system cannot do that in one
 * step.
 */
enum file_want { FILE_LOOK, FILE_READ, FILE_LIST };
MUST_CHECK bool file_beneath(int root, const char *path, enum file_want want, int *fd,
                             struct file_stat *out);

/* --- content --- */

/* Some bytes, as many as there are at once; *got is 0 at the end. */
MUST_CHECK bool file_read(int fd, void *out, size_t size, size_t *got);

/* How many of the bytes from there on could be read; fewer than size at the end. */
size_t file_read_at(int fd, void *out, size_t size, uint64_t at);

/* All of them, with as many calls as needed. */
MUST_CHECK bool file_write(int fd, str bytes);
MUST_CHECK bool file_write_at(int fd, str bytes, uint64_t at);

/* Cut it off, or add zeros; file_write() continues at the new end. */
MUST_CHECK bool file_resize(int fd, uint64_t size);

/* Make it durable: the bytes; the file; the names in a folder, if its file system can; or
 * everything on the file system of fd. */
enum file_sync { FILE_SYNC_BYTES, FILE_SYNC_FILE, FILE_SYNC_NAMES, FILE_SYNC_ALL };
MUST_CHECK bool file_sync(int fd, enum file_sync what);

/* Lock a file or folder against other descriptors, here and in other processes, until it is
 * unlocked or closed. EWOULDBLOCK if it is locked; another errno if its file system has no
 * locks. */
MUST_CHECK bool file_lock(int fd);
void file_unlock(int fd);

/* The same by another kind of lock, which does not see the first; of files open for
 * writing. */
MUST_CHECK bool file_lock_bytes(int fd);
void file_unlock_bytes(int fd);

/* --- attributes --- */

MUST_CHECK bool file_set_mode(int fd, unsigned mode);

/* Owner (or at least group) of that file, when it was created, and its extended attributes,
 * as far as the system can set them and permits it. Linux cannot set the creation time. */
void file_set_owner(int fd, const struct file_stat *like);
void file_set_born(int fd, const struct file_stat *like);
void file_copy_attributes(int from, int to);

/* --- names --- */

/* FILE_NOREPLACE is EEXIST if there is a file with that name; FILE_EXCHANGE exchanges two.
 * ENOTSUP if the system or the file system cannot do one of these. */
enum file_rename { FILE_REPLACE, FILE_NOREPLACE, FILE_EXCHANGE };
MUST_CHECK bool file_rename(int from_dir, const char *from, int to_dir, const char *to,
                            enum file_rename how);
MUST_CHECK bool file_add_name(int dir, const char *name, const char *added);
bool file_remove(int dir, const char *path);

/* Where a symlink leads; the target is cut off at size. */
MUST_CHECK bool file_read_symlink(int dir, const char *path, char *out, size_t size,
                                  str *target);
MUST_CHECK bool file_make_symlink(const char *target, int dir, const char *path);
