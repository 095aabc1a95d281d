/*
 * init_server - the files with which vaultd init sets up a server: who may sign in, the
 * settings as variables, a unit for systemd.
 */
#pragma once

#include "app/cli/config_file.h"

enum { INIT_FILES_MAX = 3, INIT_PORT = 8090 };

struct init_server {
    str program, vault; /* absolute paths */
    str url;            /* public, without path */
    str user, hash;
    int64_t port;
    bool unit; /* a systemd user unit, too */
};

struct init_file {
    struct config_file file;
    str text;
    unsigned mode;
};

/*
 * What would be written where, below $XDG_CONFIG_HOME or ~/.config. Users that the file
 * has already stay. Paths with a line feed in them are refused.
 */
MUST_CHECK bool init_server_files(struct arena *a, const struct init_server *s,
                                  struct init_file out[INIT_FILES_MAX], size_t *n,
                                  struct err *err);

/* What the person has to do then, as lines. */
str init_server_next(struct arena *a, const struct init_server *s,
                     const struct init_file *files);
