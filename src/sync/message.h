/*
 * message - the messages of our commits.
 *
 *     vault_write: Plans/Garden.md
 *
 *     Tool: vault_write
 *     Client: claude-ai
 *     User: alice
 *     Vaultd-Change: 12
 *     Vaultd-Key: 6c3d…     (of a change with an idempotency key: message_key())
 */
#pragma once

#include "vault/change/journal.h"

enum { MESSAGE_SUBJECT = 72 };

/* subject may be empty; paths are those actually committed. */
str message_of(struct arena *a, const struct journal_change *c, str subject,
               const str *paths, size_t n);

/* How a message names the key of a change in the journal: by a hash. */
str message_key(struct arena *a, str key);

/* "Ann <ann@example.org>" or "ann". email is empty if user has none. */
void message_author(str user, str *name, str *email);
