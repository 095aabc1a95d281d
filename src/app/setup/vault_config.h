/*
 * vault_config - which vaults are configured, and which names they have: those of --vaults
 * (VAULTS), else those of the table of --vaults-dir (VAULTS_DIR), as a server hosts them.
 *
 * One vault is given by its folder alone, several as NAME=FOLDER. A name has letters,
 * digits, '-' and '_', at most VAULT_NAME_MAX; names that differ only in case are the
 * same. A folder must not be given twice nor be inside another.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/options.h"
#include "state/vault_table.h"

enum { CONFIGURED_VAULTS_MAX = 32, VAULT_NAME_MAX = 32 };

/* One of them. */
struct configured_vault {
    str name;             /* empty: use the folder's name */
    str folder;           /* ends in NUL; ~ is expanded */
    str remote, identity; /* of a hosted one; or empty */
};

struct configured_vaults {
    struct configured_vault *items;
    size_t n;
};

/* The settings that say which. */
struct vault_config {
    struct option_list vaults;
    str vaults_dir, state_dir, state_db, state_db_file;
};

/* --- names and folders --- */

/* Whether it can be the name of a vault; else ERR_INVALID. */
MUST_CHECK bool vault_config_is_name(str name, struct err *err);

/* Each is NAME=FOLDER. Fails with ERR_INVALID, naming the wrong one. */
MUST_CHECK bool vault_config_named(struct arena *a, const struct option_list *given,
                                   struct configured_vaults *out, struct err *err);

/* The vault with that name; or NULL, with ERR_INVALID and a list of all names. */
const struct configured_vault *vault_config_by_name(struct arena *a,
                                                    const struct configured_vaults *list,
                                                    str name, struct err *err);

/* Where a folder really is: its absolute path without symlinks; as given if it is missing. */
str vault_config_real(struct arena *a, str folder);

/* Whether an absolute folder is another one or inside it. An empty one is not. */
bool vault_config_is_in(str inner, str outer);

/* Whether no folder is the same as another or inside it. Missing folders are ignored. */
MUST_CHECK bool vault_config_check_apart(struct arena *a,
                                         const struct configured_vaults *list,
                                         struct err *err);

/* --- which --- */

/* Whether they are those of the table. */
bool vault_config_is_hosted(const struct vault_config *c);

/* All of them; of the table, the oldest first. */
MUST_CHECK bool vault_config_read(struct arena *a, const struct vault_config *c,
                                  struct configured_vaults *out, struct err *err);

/* The one with that name, ignoring case; ERR_INVALID: there is none. */
MUST_CHECK bool vault_config_find(struct arena *a, const struct vault_config *c, str name,
                                  struct configured_vault *out, struct err *err);

/* --- the table --- */

/* The table, for a query: creates nothing, and without a store the table is empty. */
MUST_CHECK bool vault_config_table(struct arena *a, const struct vault_config *c,
                                   struct vault_table *out, struct err *err);

/* The store with the table, to change it; to be closed. Created if it is missing. */
MUST_CHECK bool vault_config_store(struct arena *a, const struct vault_config *c,
                                   struct store **out, struct err *err);

/* The folder of a vault of the table. */
str vault_config_folder(struct arena *a, const struct vault_config *c,
                        const struct vault_table_row *row);

/* Where the status of their sync is kept. */
const char *vault_config_sync_state(struct arena *a, const struct vault_config *c);

/* The folder in which git keeps its own files about hosted vaults. */
const char *vault_config_git_folder(struct arena *a, const char *state_dir);
