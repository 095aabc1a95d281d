/*
 * embedding - the embedding provider that the settings choose: the built-in model, an
 * endpoint, or none.
 */
#pragma once

#include "app/setup/meaning_settings.h"
#include "vault/meaning/meaning.h"
#include "vault/meaning/model.h"
#include "vault/vault.h"

struct embedding {
    struct model *model; /* NULL: not used */
    struct embedder built_in, endpoint;
    bool has_endpoint;
};

/*
 * Open the model, and prepare the endpoint, which is not asked yet. Strings are in the
 * arena. A model that cannot be used is a failure only if the settings name its file;
 * otherwise it is logged. embedding_close() is due in any case, after the vaults.
 */
MUST_CHECK bool embedding_open(struct embedding *e, struct arena *a,
                               const struct settings_embeddings *s, str state_dir,
                               struct err *err);
void embedding_close(struct embedding *e);

/* The process is about to end: nothing is waited for any more. */
void embedding_stop(const struct embedding *e);

/* Whether there is a provider. */
bool embedding_is_open(const struct embedding *e);

/* Let a vault use it. */
void embedding_set(const struct embedding *e, struct vault_options *options);

/* One line for people: the model, how much is embedded, what it cannot read. */
str embedding_line(struct arena *a, const struct meaning_state *s);
