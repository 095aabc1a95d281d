/*
 * transaction_store - transactions in the database, so that a sign-in that began at one
 * replica may go on at any other. Private to transaction.c, whose contracts it keeps.
 *
 * Keys and the cookie are stored as hashes; the rest, for TRANSACTION_TTL_S, is JSON that
 * is sealed with a key from the cookie. Only the browser has the cookie, so reading the
 * database is not enough to continue a sign-in; a key of ours would be in the same
 * database. If that does not answer, a transaction is lost: the user starts again.
 */
#pragma once

#include "oauth/transaction.h"
#include "state/store.h"

/* Store it, and free it. */
void transaction_store_put(struct store *s, struct transaction *x);

struct transaction *transaction_store_take(struct store *s, enum transaction_key kind,
                                           str key, str browser_cookie,
                                           enum transaction_stage stage, int64_t now);
bool transaction_store_knows(struct store *s, str browser_cookie, int64_t now);
void transaction_store_move(struct store *s, str from_cookie, str to_cookie);
size_t transaction_store_count(struct store *s);
