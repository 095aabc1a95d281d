/*
 * secret_files - the files with secrets that the settings name, and whether other users
 * of this machine can read them.
 *
 * That is reported, not refused: secrets of containers are often readable by all, and
 * their owner cannot change that.
 */
#pragma once

#include "app/setup/settings.h"

/* Whether other users may read or change an open file. Never on a file system that is
 * mounted read-only, as those of containers' secrets are. */
bool secret_files_judge(int fd);

struct secret_file {
    const char *setting; /* without dashes */
    str path;
    bool is_checked; /* vaultd doctor looks at it where it checks what needs it */
    str fix;         /* the command that fixes it */
};

enum { SECRET_FILES_MAX = 9 };

/* Those that other users may read or change. Files that cannot be opened are left out:
 * the feature that needs one reports it. */
size_t secret_files_exposed(struct arena *a, const struct settings *s,
                            struct secret_file out[SECRET_FILES_MAX]);

/* Log each of them, when a server starts. */
void secret_files_warn(const struct settings *s);
