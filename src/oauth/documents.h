/*
 * documents - clients whose id is the URL of their metadata (client-id metadata
 * documents, SEC-25).
 *
 * An unauthenticated client chooses the URL, so fetching is limited in every way: https
 * to public addresses, DOCUMENT_SIZE, DOCUMENT_MS, DOCUMENT_AT_ONCE. Valid documents are
 * cached as long as their headers allow, up to DOCUMENT_KEPT_S, failures for
 * DOCUMENT_FAILED_S.
 *
 * A server that does not answer says nothing about its document: the last copy is used
 * for up to DOCUMENT_STALE_S. Copies for clients with a grant are also in the store, so
 * that they survive a restart; unauthenticated clients cannot fill it. A server that
 * answers with something else, or with 404 or 410, is believed at once.
 *
 * Copies of Anthropic's documents are built in, for servers without internet access.
 */
#pragma once

#include "base/err.h"
#include "oauth/client.h"

enum {
    DOCUMENT_URL_SIZE = 2048,
    DOCUMENT_SIZE = 5 << 10,
    DOCUMENT_MS = 5000,
    DOCUMENT_AT_ONCE = 4,
    DOCUMENT_KEPT_S = 24 * 3600,
    DOCUMENT_UNSAID_S = 3600, /* how long it is cached if its headers do not say */
    DOCUMENT_FAILED_S = 60,
    DOCUMENT_STALE_S = 30 * 24 * 3600, /* how long a copy is used if it is unreachable */
    DOCUMENT_STORED_S = 24 * 3600, /* how old a stored copy may get before an update */
    DOCUMENT_ENTRIES = 256,
};

struct documents;
struct store;

/* development: also accepts documents on loopback, over http. */
struct documents *documents_create(bool development);
void documents_free(struct documents *d);

/* Where to keep copies: store, borrowed. Without it they are only in memory. True. */
bool documents_use(struct documents *d, struct store *store);

/* The client has a grant now: store the copy of its document. Not within a
 * transaction. */
void documents_keep(struct documents *d, str url);

/*
 * ERR_NOT_FOUND if there is no valid document, with a message for the page; ERR_BUSY if
 * too many are being fetched. From any thread except the loop's.
 */
MUST_CHECK bool documents_find(struct documents *d, struct arena *a, str url,
                               struct oauth_client *out, struct err *err);

/* Reads and checks a document that was fetched from url. No side effects. */
MUST_CHECK bool document_read(struct arena *a, str url, str text,
                              struct oauth_client *out, struct err *err);
