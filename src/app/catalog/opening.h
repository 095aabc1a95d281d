/*
 * opening - how a vault of the running program is opened, started and closed: with its sync,
 * its watches and who is notified of its changes.
 *
 * Vaults of the settings are prepared before the sandbox and started after it. Hosted ones
 * go through all of it at their first use (vaults.h).
 */
#pragma once

#include "app/setup/app.h"
#include "app/setup/vaults.h"

/* Before the vault in folder is opened: prepares its sync, which may clone it. Only on the
 * main thread, before others are started. */
MUST_CHECK bool opening_prepare(struct app_vault *v, const char *folder, struct err *err);

/* Begins to index, watch and sync a vault that is open. */
MUST_CHECK bool opening_start(struct app_vault *v, struct err *err);

/* Whether vaults may be synced, and have a history in git. */
bool opening_may_sync(const struct app *app);
bool opening_has_history(const struct app *app);

extern const struct vaults_hooks opening_hooks;
