/*
 * proposals - where changes that wait for a review are kept: in the database of the state,
 * so that all replicas and the command line find them (state/proposal_table.h).
 *
 * A vault is known by what identifies it: a hosted one by its identity, one of the settings
 * by its state key (vault_state.h). Replicas share a database but no folder, so there a vault
 * of the settings has the name that replicas know it by.
 */
#pragma once

#include "app/setup/app.h"
#include "app/setup/proposed.h"
#include "state/proposal_table.h"

/* Opens the database if the settings let clients propose changes, or if clients sign in, whose
 * grants may; after the sandbox and the replicas. Without it, nothing can be proposed. Fails with ERR_INVALID if the state is kept in memory. */
MUST_CHECK bool proposals_open(struct app *app, struct err *err);
void proposals_close(struct app *app);

/* That database, for whatever else the process keeps in it: a file of SQLite must not be
 * opened twice in a process, since closing it once ends the locks of both. NULL: not open. */
struct store *proposals_store(const struct app *app);

/* Lets the vault be used with it: sets options->proposals. v must outlive the vault. */
void proposals_set(struct app_vault *v, struct vault_options *options);

/* What the table calls a vault. shared: the name among replicas, else NULL. The key is that
 * of vault_state.h. */
str proposals_vault(struct arena *a, str key, str identity, const str *shared);

/* Where the proposals of a vault are looked at and decided; app->proposals is set. The vault
 * need not be open for a list; person as in proposed_place. */
void proposals_place(const struct app_vault *v, struct arena *a, const str *person,
                     struct proposed_place *out);

/* The client that a proposal belongs to: only it learns the outcome. With sign-in that is its
 * grant's owner, else what the client calls itself: all programs of the machine are equal
 * there, and each has its share of the limits. */
str proposals_owner(struct arena *a, const struct actor *by);

/* The date to decide by; app->proposals is set. */
int64_t proposals_now(const struct app *app);

/* How many wait in the vaults of this store; 0 also if that is not known now. */
size_t proposals_waiting(const struct app *app);
