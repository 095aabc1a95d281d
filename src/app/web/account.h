/*
 * account - what the pages of the authorization server show of the vault: its top
 * folders, and the changes that a person can take back.
 */
#pragma once

#include "oauth/oauth.h"
#include "vault/vault.h"

enum { ACCOUNT_CHANGES = 20 /* shown */ };

/* Fill in vault_name, vault_folders and changes; the folders live in the arena. */
void account_offer(struct vault *v, struct arena *a, struct oauth_config *config);
