/*
 * draft_parts - the structure of a draft. Private to draft*.c.
 */
#pragma once

#include "base/map.h"
#include "vault/draft.h"

/* A file that the draft has read or changed. */
struct draft_entry {
    str path;                /* before moves */
    str folded;              /* the same, folded for comparison */
    bool existed, exists;    /* before the draft, and at this point */
    struct hash_content was; /* of what existed */
    str before, text;        /* as UTF-8, unless the bytes do not come back from it */
    enum encoding stored, encoding; /* before the draft, and at this point */
    bool unjudged; /* a symlink that was rewritten while the index was held */

    /* In the index after the draft (draft_index.c): */
    struct file *made; /* its file, unless it is that of the vault; or NULL */
    file_id id;        /* of one that did not exist before the draft */
    bool laid, dirty;  /* the index knows the text below; it is about to be put there */
    bool laid_exists;
    str laid_text;
};

struct draft {
    struct vault *vault;
    struct arena *a;
    struct actor by;
    struct stop stop;
    struct draft_base base;       /* find NULL: the disk */
    struct draft_entry **entries; /* in order of appearance */
    size_t n;
    struct map_index by_folded; /* by hash of the folded path */
    struct change_op *others;   /* moves and folders */
    size_t n_others;
    struct index *after;     /* the index after the draft, as it was when it was last */
    uint64_t version;        /* held, with this version of the vault's index; or NULL */
    struct change_op *moves; /* that it knows */
    size_t n_moves;
    bool looked;                 /* draft_first_look() was called */
    struct fs_spelling spelling; /* if the file system ignores case */
};

/* The entry of a file that had this path before the draft, or NULL; and a new one. */
struct draft_entry *draft_find_entry(struct draft *d, str path);
struct draft_entry *draft_add(struct draft *d, str path);

/* The path before the moves of what is now at path; false if path was moved away. */
bool draft_origin(struct draft *d, str path, str *out);

/* What is on disk, if it is spelled exactly so: another spelling, which a file system that
 * ignores case finds as well, is another name for a draft. */
MUST_CHECK bool draft_stat(struct draft *d, str path, struct fs_info *info);

static inline bool draft_entry_changed(const struct draft_entry *e)
{
    return e->exists != e->existed || e->stored != e->encoding ||
           !str_eq(e->before, e->text);
}

/* The bytes of a file at this point; fails with NOT_TEXT if its encoding lacks a character. */
MUST_CHECK bool draft_encode(struct draft *d, const struct draft_entry *e, str *bytes,
                             struct err *err);

/* The same for the answer; the text itself if they cannot be made. */
str draft_bytes(struct draft *d, const struct draft_entry *e);
