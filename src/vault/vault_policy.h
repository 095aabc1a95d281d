/*
 * vault_policy - what the owner of a vault says in it about clients (policies.h), checked on
 * disk: what was written a moment ago counts, and the index may not know it yet. Private to
 * vault*.c, the gates through which clients read and change files.
 *
 * Everything here answers POLICY_NONE for a vault that is not seen as clients see it
 * (vault_for_clients()). Not while the index is held, except where it says so.
 */
#pragma once

#include "vault/vault_live.h"

/*
 * What counts for a path, wherever its symlinks lead: what is known of it, what the note says
 * on disk, and what the rules in the folders above it say there. A path in the trash also
 * has the rules of where it was. A missing path has the rules of its folders.
 */
enum policy vault_policy(const struct vault *v, str path);

/* The same for a folder with everything in it, after a look at the disk. */
enum policy vault_policy_below(struct vault *v, str folder);

/* By what is known alone; also while the index is held. */
enum policy vault_policy_held(const struct vault *v, str path);

/* The same for a file that was just listed, in a folder whose policy was asked for. */
enum policy vault_policy_listed(const struct vault *v, str path,
                                const struct fs_entry *e);

/* Whether the bytes of the file at path, as they were read, are hidden. */
bool vault_policy_hides(const struct vault *v, str path, str bytes);

/* The root for reading: without symlinks while a folder is hidden, because one could lead
 * into it. */
struct fs_root vault_policy_root(const struct vault *v);

/*
 * Fails with ERR_DENIED (POLICY_NOT_ALLOWED) if writing text to path would change what the note
 * there says about clients, for callers that are clients, and for a proposal of one.
 */
MUST_CHECK bool vault_policy_stays(const struct vault *v, str path, str text,
                                   bool proposed, struct err *err);

/* Whether writing text to path, or touching it, concerns something that is hidden from
 * clients; also for callers who see it. */
bool vault_policy_conceals(const struct vault *v, str path, str text);
