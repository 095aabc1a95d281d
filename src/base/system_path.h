/*
 * system_path - paths of this machine, as its users and other programs write them.
 *
 * Inside this program names are separated by '/' on every system, and a drive is in upper
 * case. What comes from outside (arguments, variables, files of other programs) goes through
 * system_path() once, where it enters. Paths within a vault are another matter: path.h.
 * Each function is that of this system; with _on, that of another one.
 */
#pragma once

#include "base/arena.h"
#include "base/os/machine.h"

/*
 * On Windows: without quotes around it, "My\ Notes" as "My Notes", "\" as "/", "\\?\C:\a" and "/c/a" (Git Bash) as
 * "C:/a", "\\?\UNC\server\share" as "//server/share". Elsewhere the path as it is.
 */
str system_path(struct arena *a, str given);
str system_path_on(enum machine_system system, struct arena *a, str given);

/* What a shell would make of a path: without quotes around it, or without the "\" in
 * "My\ Vault", as people paste it where no shell reads it. Elsewhere than on Windows, where
 * system_path() does this, names may have such characters. */
str system_path_unescaped(struct arena *a, str given);
str system_path_unescaped_on(enum machine_system system, struct arena *a, str given);

/* The other way round, for people and for files of other programs: with "\" on Windows. */
str system_path_shown(struct arena *a, str path);
str system_path_shown_on(enum machine_system system, struct arena *a, str path);

/* Whether it does not depend on the current folder, nor on the current drive. */
bool system_path_is_absolute(str path);
bool system_path_is_absolute_on(enum machine_system system, str path);

/* The absolute path of what path is for a program whose current folder is cwd. On Windows "/a"
 * is on the drive or share of cwd. */
str system_path_from(struct arena *a, str cwd, str path);
str system_path_from_on(enum machine_system system, struct arena *a, str cwd, str path);

/* Whether the target of a symlink leads elsewhere than names and ".." do: it is absolute, or
 * on Windows it begins with "\" or a drive, or names a stream. */
bool system_path_leaves(str target);
bool system_path_leaves_on(enum machine_system system, str target);

/* The path in a URL "file://", or the path itself if it is absolute; else empty. */
str system_path_of_url(str url);
str system_path_of_url_on(enum machine_system system, str url);

/* Whether it is the root of a file system: "/", "C:/", "//server/share". */
bool system_path_is_root(str path);
bool system_path_is_root_on(enum machine_system system, str path);

/* The folder that a path is in: "/" and "C:/" keep their slash, "." if it has none. */
str system_path_folder(str path);

/* Take the next absolute folder of a list such as PATH, separated by ':' (Windows: ';'). */
bool system_path_next(struct arena *a, str *list, str *folder);
bool system_path_next_on(enum machine_system system, struct arena *a, str *list,
                         str *folder);
