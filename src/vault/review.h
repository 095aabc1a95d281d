/*
 * review - what a change of the journal did to each of its files, for people who look at
 * it afterwards.
 *
 * The journal has the texts that a change replaced, not those that it wrote. These are
 * what the next change of the same file replaced, or what is on disk; if another program
 * has written the file in between, they are not known any more. Folders that were made on
 * the way to a file are not mentioned.
 */
#pragma once

#include "vault/change/journal.h"
#include "vault/vault.h"

enum {
    REVIEW_FILES_MAX = 1000,      /* files that are described */
    REVIEW_LATER_MAX = 10000,     /* later changes that are searched for texts, and */
    REVIEW_WORK_MAX = 1 << 27,    /* comparisons for that: less than a second */
    REVIEW_TEXT_MAX = 2 << 20,    /* bytes of a text that is shown */
    REVIEW_REPLACED_MAX = 100,    /* latest changes that review_replaced() looks at */
    REVIEW_BYTES_MAX = 128 << 20, /* bytes of all records and files that are read */
};

enum review_outcome {
    REVIEW_CREATED,
    REVIEW_CHANGED,
    REVIEW_DELETED,
    REVIEW_MOVED,    /* perhaps changed as well */
    REVIEW_TRASHED,  /* moved to the trash */
    REVIEW_RESTORED, /* moved out of it */
    REVIEW_MADE_FOLDER,
    REVIEW_REMOVED_FOLDER,
};

struct review_file {
    enum review_outcome outcome;
    enum journal_kind kind; /* of the operation that shows it best */
    str path;               /* before the change, or where the file was created */
    str to;                 /* where it was moved to, also with its folder; or empty */
    const struct journal_op *op; /* that wrote or deleted it; NULL: its text stayed */
    str before, after;           /* its texts; empty if there is none, or no diff */
    const char *no_diff;         /* why no diff can be shown; NULL: one can */
};

struct review {
    struct journal_entry entry;
    struct journal_change change;
    struct review_file *files; /* what was moved comes first */
    size_t n;                  /* at most REVIEW_FILES_MAX; entry.files counts them all */
};

/*
 * Change `number` as the caller may see it, in the arena. Fails with CHANGE_NOT_FOUND,
 * and with JOURNAL_DAMAGED. Not while the index is held.
 */
MUST_CHECK bool review_change(struct vault *v, struct arena *a, uint64_t number,
                              struct review *out, struct err *err);

/*
 * The text that the file at path had when its etag (draft_etag()) was this one, if one of
 * the last REVIEW_REPLACED_MAX changes replaced it and the caller may see that change.
 * False if it is not known. Not while the index is held.
 */
bool review_replaced(struct vault *v, struct arena *a, str path, str etag, str *text);

/* The files of a change alone, without their texts: at most max of them. What people would
 * name first comes first. */
size_t review_list(struct arena *a, const struct journal_change *change, size_t max,
                   struct review_file **out);

/* "created", "moved", "deleted" and so on. */
const char *review_word(enum review_outcome outcome);

/*
 * What happened to a file or to all of them, as "git show" prints it, at most about max
 * bytes long (0: no limit). Lines and files that are left out are counted.
 */
str review_file_diff(struct arena *a, const struct review_file *f, size_t max);
str review_diff(struct arena *a, const struct review *r, size_t max);
