/*
 * documents - clients whose id is the https URL of a document about them (SEC-25).
 *
 * Never on the loop.
 */
#pragma once

#include "oauth/clients.h"

/* ERR_NOT_FOUND: there is no such document, or it does not say what it must. */
MUST_CHECK bool document_find(struct oauth *o, struct arena *a, str url,
                              struct oauth_client *out, struct err *err);
