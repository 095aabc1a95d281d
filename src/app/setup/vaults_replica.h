/*
 * vaults_replica - a vault of the app as read_your_writes.h knows it: its name, its remote, and
 * which changes are here. Without --state-db nothing here does anything.
 */
#pragma once

#include "app/setup/app.h"

/* What all replicas call a vault; empty for the first of the settings. */
str vaults_replica_name(const struct app_vault *v);

/* Before the vault is opened. */
void vaults_replica_set(struct app_vault *v);

/* The vault is open: the changes in its journal are here. */
void vaults_replica_opened(struct app_vault *v);

/* Pull a vault when another replica has pushed it, and all vaults after messages were missed.
 * Until replica_stop(). */
void vaults_replica_subscribe(struct app *app);
