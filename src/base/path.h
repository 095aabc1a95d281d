/*
 * path - checks and cleans all paths that clients send (SEC-80, SEC-90, SEC-91).
 *
 * A vault path is relative to the vault root, separated by '/', with extension.
 * This module checks the text only; fs.h then opens it beneath the root with the
 * kernel's help, so a path that passes here still cannot lead outside.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"

enum {
    PATH_MAX_BYTES = 4096,
    PATH_MAX_COMPONENT = 250, /* leaves room for the name of a temp file */
};

/*
 * The clean form of a client's path: no leading or trailing '/', no empty or '.'
 * segments; the root is "". Fails with ERR_DENIED (name PATH_NOT_ALLOWED) on a '..'
 * segment and on hidden names (a segment that starts with '.', also after ignorable
 * characters, and "git~1"); with ERR_INVALID (PATH_NOT_ALLOWED) on backslash, NUL,
 * control characters and invalid UTF-8; with ERR_LIMIT (the same name) when it is too
 * long.
 */
MUST_CHECK bool path_clean(struct arena *a, str in, str *out, struct err *err);

/* The same for a file: a trailing '/' is refused. */
MUST_CHECK bool path_clean_file(struct arena *a, str in, str *out, struct err *err);

/* Whether a client could spell a name found on disk: path_clean() would accept its text.
 */
bool path_is_spellable(str name);

/*
 * Whether Windows finds something else by this name than a file so called, or refuses it: a
 * device ("NUL.md"), a stream ("a.md:b"), a name that loses its last dots and spaces. On
 * Windows such a name is not spellable, and refused in every path.
 */
bool path_is_reserved(str name);

/* Whether a name may be a short one that Windows gave to a file with another name, as
 * "PROGRA~1" is; files may also really have such names. */
bool path_is_short_form(str name);

/* Whether a name is hidden: it starts with '.', or would on some file systems. */
bool path_is_hidden(str name);

/* "Note.md" for ".Note.md.icloud", the placeholder that iCloud leaves for a file which is not
 * on this computer; else empty. */
str path_in_icloud(str name);

/* Whether no segment of path is hidden. */
bool path_is_visible(str path);

/*
 * Whether a clean path may be used for a new file or folder: other systems and sync
 * programs must be able to store it (SEC-90). Fails with ERR_INVALID (PATH_NOT_ALLOWED)
 * and a message with the name and the reason: it contains one of * ? " < > | :, ends with
 * a dot or space, begins with a space, is a Windows device name, contains an invisible or
 * direction-changing character, or has more than PATH_MAX_COMPONENT bytes.
 */
MUST_CHECK bool path_check_new(str path, struct err *err);

/* "a/b/c.md": the last segment; the part before it; the extension without dot, or "". */
str path_name(str path);
str path_folder(str path);
str path_extension(str path);

/* Whether path is below folder, at any depth; every other path is below the root, "". */
static inline bool path_is_below(str folder, str path)
{
    return folder.n == 0
               ? path.n > 0
               : path.n > folder.n && path.p[folder.n] == '/' && str_starts(path, folder);
}

/* The same, also true for folder itself. */
static inline bool path_is_or_below(str folder, str path)
{
    return path_is_below(folder, path) || str_eq(folder, path);
}

/* Order by names, folder by folder, as rg --sort path does: "a/x" before "a b/x". */
int path_cmp(str a, str b);

/* folder + '/' + name, without '/' when the folder is the root. */
str path_join(struct arena *a, str folder, str name);
