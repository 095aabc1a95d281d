/*
 * config_file - change a configuration file safely: atomically, durably, never
 * overwriting what another program wrote in the meantime, and with a backup.
 *
 * Symbolic links are followed: their target is changed.
 */
#pragma once

#include "base/fs_edit.h"

struct config_file {
    str path; /* absolute, without links if it exists */
    str text; /* empty if it does not */
    struct fs_seen seen;
};

/* Reads the file. A missing file or folder is not an error. */
MUST_CHECK bool config_file_read(struct arena *a, str path, struct config_file *out,
                                 struct err *err);

/*
 * Replaces the file with text, if it has not changed since it was read. Missing folders
 * are created. A new file gets mode (0: the usual one), an existing one keeps its mode.
 * *backup is the path of a copy of the old file, with the same mode; empty if there was
 * none, and on failure.
 */
MUST_CHECK bool config_file_write(struct arena *a, const struct config_file *file,
                                  str text, unsigned mode, str *backup, struct err *err);
