/*
 * path - the one resolver of paths that clients send (SEC-80, SEC-90, SEC-91).
 *
 * A vault path is relative to the vault's root, separated by '/', with extension.
 * This module judges the text only; fs.h then opens it beneath the root with the
 * kernel's help, so a path that passes here still cannot lead outside.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"

enum {
    PATH_MAX_BYTES = 4096,
    PATH_MAX_COMPONENT = 250, /* leaves room for a temp file's name beside it */
};

/*
 * The clean form of what a client sent: no leading or trailing '/', no empty or '.'
 * segments; the root is "". Fails with ERR_DENIED (name PATH_NOT_ALLOWED) on a '..'
 * segment and on hidden names (a segment that starts with '.', also behind ignorable
 * characters, and "git~1"); with ERR_INVALID (PATH_NOT_ALLOWED) on backslash, NUL,
 * control characters and invalid UTF-8; with ERR_LIMIT (the same name) when it is too
 * long.
 */
MUST_CHECK bool path_clean(struct arena *a, str in, str *out, struct err *err);

/* The same of what is to be a file: no '/' at its end. */
MUST_CHECK bool path_clean_file(struct arena *a, str in, str *out, struct err *err);

/* Whether a client could spell a name of the disk: path_clean() would not refuse it for
 * its text. */
bool path_is_spellable(str name);

/* Whether a name in a folder is invisible: starts with '.', or would on some file system.
 */
bool path_is_hidden(str name);

/* Whether no segment of path is hidden. */
bool path_is_visible(str path);

/*
 * Whether a clean path may be given to a new file or folder: other systems and sync
 * programs must be able to hold it, too (SEC-90). Fails with ERR_INVALID
 * (PATH_NOT_ALLOWED), saying which name and why: one of * ? " < > | : in it, a dot or
 * blank at its end, a blank at its beginning, a device name of Windows, an invisible or
 * direction-changing character, or more than PATH_MAX_COMPONENT bytes.
 */
MUST_CHECK bool path_check_new(str path, struct err *err);

/* "a/b/c.md": the last segment; what is before it; the extension without dot, or "". */
str path_name(str path);
str path_folder(str path);
str path_extension(str path);

/* path is in folder or in one below it; the root, "", is above every other path. */
static inline bool path_is_below(str folder, str path)
{
    return folder.n == 0
               ? path.n > 0
               : path.n > folder.n && path.p[folder.n] == '/' && str_starts(path, folder);
}

/* The same, or it is folder itself. */
static inline bool path_is_or_below(str folder, str path)
{
    return path_is_below(folder, path) || str_eq(folder, path);
}

/* Order by names, folder by folder, as rg --sort path has it: "a/x" before "a b/x". */
int path_cmp(str a, str b);

/* folder + '/' + name, without '/' when the folder is the root. */
str path_join(struct arena *a, str folder, str name);
