/*
 * message - the messages of our commits.
 *
 *     vault_write: Plans/Garden.md
 *
 *     Tool: vault_write
 *     Client: claude-ai
 *     User: alice
 *     Vaultd-Change: 12
 */
#pragma once

#include "vault/change/journal.h"

enum { MESSAGE_SUBJECT = 72 };

/* subject may be empty; paths are those actually committed. */
str message_of(struct arena *a, const struct journal_change *c, str subject,
               const str *paths, size_t n);

/* "Ann <ann@example.org>" or "ann". email is empty if user has none. */
void message_author(str user, str *name, str *email);
