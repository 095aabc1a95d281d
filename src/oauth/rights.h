/*
 * rights - what a caller may do: scopes, and folders of the vault.
 *
 * On the wire scopes are "vault:read" and "vault:write"; write includes read. Folders are
 * literal paths of the vault, never globs, without control characters, or "NAME:path" if
 * there are several vaults (app.h); no folders means everything.
 */
#pragma once

#include "base/arena.h"
#include "base/str.h"

enum oauth_scope { OAUTH_READ = 1, OAUTH_WRITE = 2 };

struct oauth_rights {
    unsigned scopes; /* bits of enum oauth_scope */
    const str *folders;
    size_t n_folders; /* 0: the whole vault */
};

/* Unknown scopes are ignored (SEC-05). False if the text violates RFC 6749 §3.3. *out is 0
 * if it names no known scope. */
bool rights_read_scopes(str text, unsigned *out);

/* "vault:read vault:write" */
str rights_print_scopes(struct arena *a, unsigned scopes);

/* One folder per line, and back; for the store. */
str rights_print_folders(struct arena *a, const struct oauth_rights *r);
void rights_read_folders(struct arena *a, str text, struct oauth_rights *out);
