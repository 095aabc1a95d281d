/*
 * documents - clients whose id is the URL of a document about them (client-id metadata
 * documents, SEC-25).
 *
 * A stranger names the URL, so fetching is bounded in every way: https to public
 * addresses, DOCUMENT_SIZE, DOCUMENT_MS, DOCUMENT_AT_ONCE; good answers are kept as long
 * as their headers say, within DOCUMENT_KEPT_S, failures for DOCUMENT_FAILED_S. Copies of
 * Anthropic's documents are built in, for machines without a way out.
 */
#pragma once

#include "oauth/clients.h"

enum {
    DOCUMENT_URL_SIZE = 2048,
    DOCUMENT_SIZE = 5 << 10,
    DOCUMENT_MS = 5000,
    DOCUMENT_AT_ONCE = 4,
    DOCUMENT_KEPT_S = 24 * 3600,
    DOCUMENT_UNSAID_S = 3600, /* kept when its headers say nothing */
    DOCUMENT_FAILED_S = 60,
    DOCUMENT_ENTRIES = 256,
};

struct documents;

/* development: documents may live on loopback, over http, too. */
struct documents *documents_create(bool development);
void documents_free(struct documents *d);

/*
 * ERR_NOT_FOUND when there is no good document, with a sentence for the page; ERR_BUSY
 * when too many are being fetched. From any thread but the loop's.
 */
MUST_CHECK bool documents_find(struct documents *d, struct arena *a, str url,
                               struct oauth_client *out, struct err *err);

/* What a document says, if it is good. Pure; url is where it came from. */
MUST_CHECK bool document_read(struct arena *a, str url, str text,
                              struct oauth_client *out, struct err *err);
