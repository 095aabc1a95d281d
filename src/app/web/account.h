/*
 * account - what the pages of the authorization server show of the vault: its top
 * folders, the changes that a user can undo, and the pages of pages.h.
 */
#pragma once

#include "app/setup/app.h"
#include "oauth/oauth.h"

enum { ACCOUNT_CHANGES = 20 /* shown */ };

/* Sets vault_folders, which are in the arena, and the pages that the app adds. */
void account_offer(struct app *app, struct arena *a, struct oauth_config *config);
