/*
 * policies - what the notes of a vault say about clients (note/policy.h), by path.
 *
 * A rule, which is a note called _policy.md, counts for everything in its folder, also below
 * it and for files that are not notes. The strictest of all that are about a path counts. A
 * rule itself can be read like its folder, and never be changed by clients.
 *
 * Kept next to the index, from the same files: it changes only under the write lock of the index.
 * Knows no disk: vault_policy.h does. Safe for any number of threads; NULL is a table without
 * any.
 */
#pragma once

#include "vault/note/policy.h"

struct policies;

/* property is the name that is looked for; empty: no note says anything. folds: paths that
 * differ in case are the same. */
struct policies *policies_create(str property, bool folds);
void policies_free(struct policies *p);

/* Empty: there are no policies in this vault. */
str policies_property(const struct policies *p);

/* The note at path says this from now on, or is gone. True if this changes what is said about
 * a folder. */
bool policies_set(struct policies *p, str path, enum policy says);
bool policies_remove(struct policies *p, str path);

/* What was set for exactly that path. */
enum policy policies_said(struct policies *p, str path);

/* What counts for a path; and the strictest for a folder with all that is in it. */
enum policy policies_at(struct policies *p, str path);
enum policy policies_below(struct policies *p, str folder);

/* Whether anything is hidden; whether a whole folder is. */
bool policies_hide(const struct policies *p);
bool policies_hide_folders(const struct policies *p);

/* Whether anything is only proposed. */
bool policies_propose(const struct policies *p);

/* How many notes say what, rules aside; and how many rules do. */
struct policies_counts {
    size_t notes[POLICY_KINDS], folders[POLICY_KINDS];
};
void policies_count(struct policies *p, struct policies_counts *out);
