/*
 * places - the vaults that the command line can name: those of --vaults (VAULTS), else those
 * of the table of --vaults-dir (VAULTS_DIR), as a server hosts them.
 */
#pragma once

#include "app/setup/served.h"
#include "base/options.h"
#include "state/vault_table.h"

/* The settings that say which. */
struct places {
    struct option_list vaults;
    str vaults_dir, state_dir, state_db, state_db_file;
};

/* Whether they are those of the table. */
bool places_are_hosted(const struct places *p);

/* All of them; of the table, the oldest first. */
MUST_CHECK bool places_read(struct arena *a, const struct places *p,
                            struct served_list *out, struct err *err);

/* The one with that name, ignoring case; ERR_INVALID: there is none. */
MUST_CHECK bool places_find(struct arena *a, const struct places *p, str name,
                            struct served *out, struct err *err);

/* The table, for a query: creates nothing, and without a store the table is empty. */
MUST_CHECK bool places_table(struct arena *a, const struct places *p,
                             struct vault_table *out, struct err *err);

/* The store with the table, to change it; to be closed. Created if it is missing. */
MUST_CHECK bool places_store(struct arena *a, const struct places *p, struct store **out,
                             struct err *err);

/* The folder of a vault of the table. */
str places_folder(struct arena *a, const struct places *p,
                  const struct vault_table_row *row);

/* Where the status of their sync is kept. */
const char *places_sync_state(struct arena *a, const struct places *p);
