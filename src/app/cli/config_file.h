/*
 * config_file - a file of the machine that is changed safely: at once, durably, never
 * over what somebody else wrote meanwhile, and with a copy of what was there.
 *
 * Symbolic links are followed: what they lead to is changed.
 */
#pragma once

#include "base/fs_edit.h"

struct config_file {
    str path; /* absolute, without links if it exists */
    str text; /* empty if it does not */
    struct fs_seen seen;
};

/* The path of a file of the person's home folder; what is below .config follows
 * XDG_CONFIG_HOME. */
str config_file_at_home(struct arena *a, const char *file);

/* What is there; no file is not a failure, nor is a missing folder. */
MUST_CHECK bool config_file_read(struct arena *a, str path, struct config_file *out,
                                 struct err *err);

/*
 * Put text in its place, if it still is as it was read; its folders are made if they are
 * missing. A new file gets mode (0: the usual one), an old one keeps its own. *backup is
 * the path of the copy of what was there, with the same mode; empty if nothing was, and
 * when it fails.
 */
MUST_CHECK bool config_file_write(struct arena *a, const struct config_file *file,
                                  str text, unsigned mode, str *backup, struct err *err);
