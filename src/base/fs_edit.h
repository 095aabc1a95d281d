/*
 * fs_edit - change files beneath a root atomically: after an error or a crash, and for
 * any reader, there is either the old file or the new one.
 *
 * A change is made in steps: place, temp file, sync, put, sync of the folder. To change
 * several files, do each step for all of them before the next. Nothing here follows a
 * symlink out of the root, to a hidden name, or to a place that root->may_change refuses
 * (PATH_NOT_ALLOWED); if a note is a symlink inside the root, the link stays and its
 * target is changed.
 *
 * Failures have names in addition to those of fs.h: NO_SPACE, READ_ONLY, CONFLICT (the
 * file was changed by another program; ERR_CONFLICT), FILE_EXISTS (ERR_EXISTS). A call
 * that fails leaves the file unchanged.
 */
#pragma once

#include "base/fs.h"
#include "base/hash.h"

enum {
    FS_NAME_MAX = 255,
    FS_EDIT_MAX = 64 << 20, /* bytes of a file that can be replaced or removed */
};

/* Whether the root folder itself can be changed: else READ_ONLY (the file system is) or
 * FORBIDDEN (no permission). Files in it may still differ from that. */
MUST_CHECK bool fs_may_change(const struct fs_root *root, struct err *err);

/* Where a file is or will be: its folder, open, and its name there. */
struct fs_place {
    int dir; /* -1: not open */
    char name[FS_NAME_MAX + 1];
};

/* The place of path, or of its target if it is a symlink. The folder must exist. */
MUST_CHECK bool fs_place_open(const struct fs_root *root, struct arena *a, str path,
                              struct fs_place *out, struct err *err);
void fs_place_close(struct fs_place *p);

/* The same without following a symlink at path itself; the folder must exist. */
MUST_CHECK bool fs_place_open_named(const struct fs_root *root, struct arena *a, str path,
                                    struct fs_place *out, struct err *err);

/* Read what is there. A missing file is not a failure; it has the hash of no bytes. */
struct fs_seen {
    bool exists;
    bool plain; /* known to be reached without a symlink (fs_look()) */
    unsigned mode;
    struct hash_content hash;
    struct fs_info info;
};
MUST_CHECK bool fs_place_look(const struct fs_place *p, size_t max, struct fs_seen *out,
                              str *text, struct arena *a, struct err *err);

/* The same at the place of a path, in one step if it has no symlink. Nothing is there if its
 * folder is missing, either. */
MUST_CHECK bool fs_look(const struct fs_root *root, struct arena *a, str path, size_t max,
                        struct fs_seen *out, str *text, struct err *err);

/*
 * Write text to a new file called temp next to p, with mode, and where possible owner,
 * creation time (not on Linux) and extended attributes of p's file if it exists, otherwise
 * with mode (0: the default); never executable or world-writable. Other hard links of p's
 * file keep the old text: they may be outside of the vault. Not durable before fs_temp_sync(). BUSY if a file
 * called temp already exists, which stays.
 */
MUST_CHECK bool fs_temp_write(const struct fs_place *p, const char *temp, str text,
                              unsigned mode, struct err *err);
MUST_CHECK bool fs_temp_sync(const struct fs_place *p, const char *temp, struct err *err);
void fs_temp_drop(const struct fs_place *p, const char *temp);

/*
 * Replace p with temp. was says what must be there until then: nothing, or a file with
 * that hash; otherwise CONFLICT or FILE_EXISTS, and nothing is changed. If it looks as it
 * did when was was read, it is read again only after it was exchanged. The old file is
 * removed. If a call fails and temp contains neither text, it is what another program
 * saved at that moment and could not be put back because of a disk error.
 */
MUST_CHECK bool fs_put(const struct fs_place *p, const char *temp,
                       const struct fs_seen *was, struct err *err);

/* Move a file or folder to a place that is free. */
MUST_CHECK bool fs_move(const struct fs_place *from, const struct fs_place *to,
                        struct err *err);

/* Remove a file whose hash is was; it is renamed to temp first, as in fs_put(). */
MUST_CHECK bool fs_remove(const struct fs_place *p, const char *temp,
                          const struct fs_seen *was, struct err *err);

/* Create a folder (mode 0: the default); remove an empty one, otherwise ERR_CONFLICT. */
MUST_CHECK bool fs_make(const struct fs_place *p, unsigned mode, struct err *err);
MUST_CHECK bool fs_remove_folder(const struct fs_place *p, struct err *err);

/* What is there, without following a symlink, if it exists. */
MUST_CHECK bool fs_place_stat(const struct fs_place *p, bool *exists,
                              struct file_stat *out, struct err *err);

/* Make the names in p's folder durable; all: everything on root's file system. */
MUST_CHECK bool fs_place_sync(const struct fs_place *p, struct err *err);
MUST_CHECK bool fs_sync_all(const struct fs_root *root, struct err *err);
