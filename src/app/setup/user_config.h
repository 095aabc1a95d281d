/*
 * user_config - the small file in which a user keeps the default vault of all commands:
 * "config" in machine_config_folder(), with lines such as "vault-path = ~/Notes". Lines that
 * begin with # are comments.
 *
 * It has the lowest rank of all (vault_config.h), and is only read if nothing else says which
 * vault. vaultd init writes it.
 */
#pragma once

#include "base/err.h"
#include "base/options.h"

enum { USER_CONFIG_MAX_BYTES = 64 << 10 };

/* At most one of them is set. */
struct user_config {
    str path;                 /* of one folder */
    struct option_list named; /* NAME=FOLDER */
    str dir;                  /* of hosted ones */
};

/* Where it is; empty for a user without a home. */
str user_config_file(struct arena *a);

/* A missing file says nothing. ERR_INVALID, with the file and the line: it has another line than
 * these three, a relative path, or two answers. */
MUST_CHECK bool user_config_read(struct arena *a, struct user_config *out,
                                 struct err *err);

/* The same for a text, which is borrowed. */
MUST_CHECK bool user_config_parse(struct arena *a, str text, struct user_config *out,
                                  struct err *err);

/* The text with another folder as the default; comments are kept. */
str user_config_with(struct arena *a, str text, str folder);
