/*
 * init_server - the files that vaultd init writes to set up a server: users, settings as
 * variables, a systemd unit; on Windows a script that sets the variables and starts it.
 */
#pragma once

#include "app/cli/config_file.h"
#include "base/os/machine.h"

enum { INIT_FILES_MAX = 3, INIT_PORT = 8090 };

struct init_server {
    enum machine_system system;
    str program, vault; /* absolute paths */
    const char *access; /* "READ_ONLY=1", what clients may do; or NULL */
    bool sync;          /* with the remote of the vault's repository */
    str url;            /* public URL, without a path */
    str user, hash;
    int64_t port;
    bool unit; /* also write a systemd user unit (Linux) */
};

struct init_file {
    struct config_file file;
    str text;
    unsigned mode;
};

/*
 * The files to write, in machine_config_folder(). Existing users are kept. Paths with a line
 * feed are refused.
 */
MUST_CHECK bool init_server_files(struct arena *a, const struct init_server *s,
                                  struct init_file out[INIT_FILES_MAX], size_t *n,
                                  struct err *err);

/* What the user has to do next, as lines. */
str init_server_next(struct arena *a, const struct init_server *s,
                     const struct init_file *files);
