/*
 * vault_config - which vaults are configured, for vaultd serve, doctor, connect and every
 * command. Which of them a caller sees while a server runs is in callers.h.
 *
 * Three settings answer this: one folder, folders with names, or the folder of hosted vaults,
 * which are in a table (state/vault_table.h). A setting has a rank: a word or flag of the
 * command line, the environment, the default of a profile, the vault around the current
 * folder, and last the user's default (user_config.h), which profiles do not use: they
 * imitate servers that have none. What has the highest rank replaces all settings of lower ranks, so
 * VAULT_PATH means nothing if there is --vault-path, --vault, --vaults-dir or a word (flags
 * and environment: OPTION_GROUP_VAULTS). Two settings of the same rank contradict each other.
 *
 * A vault's name has letters, digits, '-' and '_', at most VAULT_NAME_MAX; names that differ
 * only in case are the same. A folder must not be given twice nor be inside another.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/options.h"
#include "state/vault_table.h"

enum { CONFIGURED_VAULTS_MAX = 32, VAULT_NAME_MAX = 32 };

struct settings;

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

/* The settings. */
struct vault_config {
    str path;                 /* of one folder; or empty */
    struct option_list named; /* each is NAME=FOLDER */
    str dir;                  /* of hosted ones; or empty */
    enum option_source from;  /* their rank, without words and the current folder */
    str state_dir, state_db, state_db_file; /* where the table is */
    bool state_is_read; /* state_db is what state_settings_read() made of them */
    bool no_default;    /* the user's default does not count */
    str origin;         /* where the answer is from, for people: vault_config_settle() */
};

enum vault_config_kind { VAULTS_NONE, VAULTS_ONE, VAULTS_NAMED, VAULTS_HOSTED };

/* --- names and folders --- */

/* Whether it can be the name of a vault; else ERR_INVALID. */
MUST_CHECK bool vault_config_is_name(str name, struct err *err);

/* Where a folder really is: its absolute path without symlinks; as given if it is missing. */
str vault_config_real(struct arena *a, str folder);

/* Whether an absolute folder is another one or inside it. An empty one is not. */
bool vault_config_is_in(str inner, str outer);

/* Whether no folder is the same as another or inside it. Missing folders are ignored. */
MUST_CHECK bool vault_config_check_apart(struct arena *a,
                                         const struct configured_vaults *list,
                                         struct err *err);

/* The nearest folder with .obsidian in it, from the current folder upwards; or empty. */
str vault_config_around(struct arena *a);

/* --- which --- */

/* Those that the settings name; and the other way around. */
struct vault_config vault_config_of(const struct settings *s);
void vault_config_apply(const struct vault_config *c, struct settings *s);

enum vault_config_kind vault_config_kind(const struct vault_config *c);

/* Whether there is one answer; else ERR_INVALID. The other functions ask this, too. */
MUST_CHECK bool vault_config_check(const struct vault_config *c, struct err *err);

/* Adds the words of a command line that can name one folder, and if nothing is given, the
 * vault around the current folder, else the user's default. ERR_INVALID: there are two
 * answers, or the file with the default is wrong. */
MUST_CHECK bool vault_config_settle(struct arena *a, struct vault_config *c,
                                    const struct option_list *words, struct err *err);

/* Adds the user's default, if there is no answer yet. */
MUST_CHECK bool vault_config_add_default(struct arena *a, struct vault_config *c,
                                         struct err *err);

/* A settled one for people: "/home/ada/Notes (from the current folder)"; empty: there is none. */
str vault_config_words(struct arena *a, const struct vault_config *c);

/* All of them; of the table, the oldest first. ERR_INVALID, naming what is wrong: also if
 * two settings contradict each other. */
MUST_CHECK bool vault_config_read(struct arena *a, const struct vault_config *c,
                                  struct configured_vaults *out, struct err *err);

/* Of those with names, the one with that name, ignoring case; ERR_INVALID: there is none. */
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
