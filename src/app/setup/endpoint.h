/*
 * endpoint - the embeddings server that the settings name, as an embedder.
 *
 * Texts of notes are sent to it, so it exists only if --embeddings is its URL: a key in the
 * environment, or a server that happens to run on this machine, changes nothing.
 */
#pragma once

#include "app/setup/meaning_settings.h"
#include "fetch/url.h"
#include "vault/meaning/embedder.h"

/* Whether the settings name one; out, its parts, may be NULL. */
bool endpoint_url(const struct settings_embeddings *s, struct url *out);

/* "HOST:PORT" if texts of notes leave this machine, otherwise empty. */
str endpoint_outside(struct arena *a, const struct settings_embeddings *s);

/* Fails with ERR_INVALID if --embeddings is not off, auto or a URL that can be used. */
MUST_CHECK bool endpoint_check(const struct settings_embeddings *s, struct err *err);

/* Asks nothing yet. Texts in *out live in the arena; endpoint_close() frees the rest. Only
 * if endpoint_url(). */
void endpoint_open(struct arena *a, const struct settings_embeddings *s,
                   struct embedder *out);
void endpoint_close(struct embedder *e);

/* The process is about to end: requests that are going on fail within a second. */
void endpoint_stop(void);
