/*
 * model_file - the file of the built-in model: where it is, and whether to use it.
 *
 * It is the one that --embeddings-file names, else the one that vaultd model install put
 * into the state folder, else the one of the package vaultd-model-minilm. Version 1 of the
 * file had the name minilm.model in the state folder, too.
 */
#pragma once

#include "app/setup/meaning_settings.h"
#include "vault/meaning/model.h"

#define MODEL_FILE_SHARED "/usr/share/vaultd/minilm.model"

/* Where vaultd model install puts it, and where it was before. */
str model_file_own(struct arena *a, str state_dir);
str model_file_former(struct arena *a, str state_dir);

/* The file to use, NUL-terminated; empty if none is installed. */
str model_file_find(struct arena *a, str given, str state_dir);

/*
 * Opens the file to use. *out is NULL if none is installed, or if this machine would be slow
 * with it and --embeddings-file does not ask for it. Fails with a message for the operator
 * if the file cannot be used.
 */
MUST_CHECK bool model_file_open(struct arena *a, const struct settings_embeddings *s,
                                str state_dir, struct model **out, struct err *err);
