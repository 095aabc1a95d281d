/*
 * vault_policy - what the owner of a vault says in it about clients (policies.h), checked on
 * disk: what was written a moment ago counts, and the index may not know it yet. Private to
 * vault*.c, the gates through which clients read and change files.
 *
 * Everything here answers POLICY_NONE for a vault that is not seen as clients see it
 * (vault_for_clients()). Not while the index is held, except where it says so.
 */
#pragma once

#include "base/map.h"
#include "vault/vault_live.h"

/*
 * What counts for a path, wherever its symlinks lead: what is known of it, what the note says
 * on disk, and what the rules in the folders above it say there. A path in the trash also
 * has the rules of where it was. A missing path has the rules of its folders.
 */
enum policy vault_policy(const struct vault *v, str path);

/* What was found at a path, for every caller. */
struct policy_look {
    str path;
    bool there;
    struct fs_entry at;       /* if it is there */
    enum policy says, counts; /* the note at path; and all that is about it */
};

/*
 * The same for the files of one change, each of which is asked for more than once: paths are
 * looked at once, and so are the rules of a folder. Paths are borrowed. It lasts for one
 * decision, before anything is changed. {.a = arena}
 */
struct policy_round {
    struct arena *a;
    struct map paths, folders;
    struct policy_look **looks; /* by path */
    enum policy *rules;         /* by folder */
    size_t n_looks, n_rules;
};
const struct policy_look *vault_policy_look(const struct vault *v, struct policy_round *r,
                                            str path);

/* What counts for callers of v, of what was found. */
enum policy vault_policy_of(const struct vault *v, const struct policy_look *at);

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
MUST_CHECK bool vault_policy_stays(const struct vault *v, struct policy_round *r,
                                   str path, str text, bool proposed, struct err *err);

/* Whether writing text to path, or touching it, concerns something that is hidden from
 * clients; also for callers who see it. */
bool vault_policy_conceals(const struct vault *v, struct policy_round *r, str path,
                           str text);
