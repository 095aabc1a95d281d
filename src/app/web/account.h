/*
 * account - what the pages of the authorization server show of the vault: its
 * folders, the changes that a user can undo, and the pages of pages.h.
 */
#pragma once

#include "app/setup/app.h"
#include "oauth/oauth.h"

enum {
    ACCOUNT_CHANGES = 20,     /* shown */
    ACCOUNT_FOLDERS = 200,    /* that a level can be chosen for, */
    ACCOUNT_FOLDERS_DEEP = 3, /* in each other */
};

/* Sets vault_folders, which are in the arena, and the pages that the app adds. */
void account_offer(struct app *app, struct arena *a, struct oauth_config *config);
