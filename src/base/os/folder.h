/*
 * folder - folders of this machine: open, list, make. As in file.h, a folder is a
 * descriptor, and errno says why something failed.
 */
#pragma once

#include "base/os/file.h"

/* To list it, and to use the names in it. */
int folder_open(int dir, const char *path);

/* To use the names in it: that it can be listed is not needed, if the system allows that.
 * ENOTDIR or ELOOP if name is a symlink. */
int folder_enter(int dir, const char *name);

bool folder_exists(const char *path);

/* mode 0: the usual one. */
MUST_CHECK bool folder_make(int dir, const char *path, unsigned mode);
MUST_CHECK bool folder_remove(int dir, const char *path); /* ENOTEMPTY */

/*
 * The names in a folder, in no order, without "." and "..":
 *
 *     struct folder_names names = folder_names(FILE_CWD, path);
 *     for (const char *name; (name = folder_next(&names)) != NULL;)
 *         ...
 *     folder_end(&names);
 *
 * A folder that cannot be opened has none; folder_end() says whether all were read.
 */
struct folder_names {
    int fd;              /* the folder */
    enum file_type type; /* of the last name; some file systems do not say it */
    int error;
    void *os;
};
struct folder_names folder_names(int dir, const char *path);
struct folder_names folder_names_of(int fd); /* takes fd */
const char *folder_next(struct folder_names *f);
bool folder_end(struct folder_names *f);

/* The type of the last name, with a look at it if necessary. */
enum file_type folder_type(const struct folder_names *f, const char *name);
