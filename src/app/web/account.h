/*
 * account - what the pages of the authorization server show of the vault: its top
 * folders, the changes that a person can undo, and the page of view.h.
 */
#pragma once

#include "app/setup/app.h"
#include "oauth/oauth.h"

enum { ACCOUNT_CHANGES = 20 /* shown */ };

/* Fill in vault_folders, which live in the arena, and what the app adds. */
void account_offer(struct app *app, struct arena *a, struct oauth_config *config);
