/*
 * settings - what the operator chose, from flags, environment and defaults.
 */
#pragma once

#include "base/log.h"
#include "base/options.h"

struct settings {
    str vault_path;
    struct option_list vaults; /* NAME=FOLDER; instead of vault_path */
    struct option_list tools;  /* names of tool sets */
    bool stdio;
    str listen_addr;
    int64_t port;
    str server_url;
    struct option_list allowed_hosts, allowed_origins;
    int auth; /* enum settings_auth */
    str state_dir;
    bool poll;
    int confirm;               /* enum settings_confirm */
    int log_level, log_format; /* enum log_level, enum log_format */
    int64_t read_lines;
    int64_t max_connections;
    bool help, version;
};

enum settings_auth { AUTH_AUTO, AUTH_NONE };
enum settings_confirm { CONFIRM_NEVER, CONFIRM_LARGE, CONFIRM_ALWAYS };

/* The one table of all settings. */
extern const struct option settings_table[];

/* Read argv and the environment, then check what one row alone cannot. */
MUST_CHECK bool settings_read(struct arena *a, int argc, char **argv,
                              struct settings *out, struct option_list *words,
                              struct err *err);

/* ~/Notes from a configuration file that no shell has read. */
str settings_expand_home(struct arena *a, str path);

/* The folder given, else $XDG_STATE_HOME/vaultd, else ~/.local/state/vaultd. */
str settings_state_dir(struct arena *a, str given);
