/*
 * fs_edit - changing files beneath a root, so that any reader, crash or error finds the
 * old file or the new one, whole.
 *
 * A change is made in steps, and who makes several at once does one step for all of them
 * before the next: place, temp file, sync, put, sync of the folder. Nothing here follows
 * a symlink out of the root; a symlink inside it that is a note's name stays one, what it
 * leads to is changed.
 *
 * Failures have names beside those of fs.h: NO_SPACE, READ_ONLY, CONFLICT (somebody else
 * changed the file; ERR_CONFLICT), FILE_EXISTS (ERR_EXISTS). When a call fails the file
 * is as it was before it.
 */
#pragma once

#include "base/fs.h"
#include "base/hash.h"

enum {
    FS_NAME_MAX = 255,
    FS_EDIT_MAX = 64 << 20, /* bytes of a file that can be replaced or removed */
};

/* Where a file is or will be: its folder, open, and its name there. */
struct fs_place {
    int dir; /* -1: not open */
    char name[FS_NAME_MAX + 1];
};

/* The place of path, or of what it leads to if it is a symlink. Its folder must exist. */
MUST_CHECK bool fs_place_open(const struct fs_root *root, struct arena *a, str path,
                              struct fs_place *out, struct err *err);
void fs_place_close(struct fs_place *p);

/* The same for what stands there itself, a symlink too; the folder must exist. */
MUST_CHECK bool fs_place_open_named(const struct fs_root *root, struct arena *a, str path,
                                    struct fs_place *out, struct err *err);

/* What is there: no file is not a failure, and hash is that of nothing then. */
struct fs_seen {
    bool exists;
    unsigned mode;
    struct hash_content hash;
    struct fs_info info;
};
MUST_CHECK bool fs_place_look(const struct fs_place *p, size_t max, struct fs_seen *out,
                              str *text, struct arena *a, struct err *err);

/*
 * Write text to a new file called temp beside p, with mode, owner (where possible) and
 * extended attributes of p's file if there is one, else with mode (0: the usual one);
 * never executable or writable for all. Not durable before fs_temp_sync(). BUSY when
 * there is a file called temp, which stays.
 */
MUST_CHECK bool fs_temp_write(const struct fs_place *p, const char *temp, str text,
                              unsigned mode, struct err *err);
MUST_CHECK bool fs_temp_sync(const struct fs_place *p, const char *temp, struct err *err);
void fs_temp_drop(const struct fs_place *p, const char *temp);

/*
 * Let temp take the place of p. was says what must be there until then: nothing, or a
 * file with that hash; else CONFLICT or FILE_EXISTS, and nothing is changed. The old file
 * is gone afterwards. If a call fails and temp holds neither text, it is what somebody
 * else saved at that instant and the disk did not let us put back.
 */
MUST_CHECK bool fs_put(const struct fs_place *p, const char *temp,
                       const struct fs_seen *was, struct err *err);

/* Move a file or folder to a place where nothing is. */
MUST_CHECK bool fs_move(const struct fs_place *from, const struct fs_place *to,
                        struct err *err);

/* Remove a file whose hash is was; on its way out it is called temp, as in fs_put(). */
MUST_CHECK bool fs_remove(const struct fs_place *p, const char *temp,
                          const struct fs_seen *was, struct err *err);

/* Make a folder (mode 0: the usual one); remove an empty one, else ERR_CONFLICT. */
MUST_CHECK bool fs_make(const struct fs_place *p, unsigned mode, struct err *err);
MUST_CHECK bool fs_remove_folder(const struct fs_place *p, struct err *err);

/* st_mode of what is there itself, a symlink too; 0: nothing. */
MUST_CHECK bool fs_place_mode(const struct fs_place *p, unsigned *mode, struct err *err);

/* Make names in p's folder durable; everything on the root's file system. */
MUST_CHECK bool fs_place_sync(const struct fs_place *p, struct err *err);
MUST_CHECK bool fs_sync_all(const struct fs_root *root, struct err *err);
