/*
 * change - file operations that happen all or not at all, and can be taken back.
 *
 * A change is noted in the journal (journal.h) with everything it replaces, then made
 * through temp files beside their targets (base/fs_edit.h); when it is answered it is on
 * disk. After a failure everything is as before; after a crash, the next start finds out
 * how far it got and takes back what is half done. Somebody else's edit in between is
 * never overwritten: the change fails and says so. Knows files only; what is to be
 * written, and the index, are the callers' business.
 *
 * One change at a time, between threads and between processes that have the same vault,
 * whether they share the state folder or not (on file systems that know locks).
 */
#pragma once

#include "base/fs_edit.h"
#include "vault/change/journal.h"

enum {
    CHANGE_FILE_MAX = FS_EDIT_MAX,  /* bytes of a file, old or new */
    CHANGE_REPEAT_S = 24 * 60 * 60, /* a key means the same call for so long */
};

enum change_expects {
    CHANGE_ANY,  /* whatever is there */
    CHANGE_NEW,  /* nothing is there */
    CHANGE_SAME, /* a file with the hash was */
};

struct change_op {
    enum journal_kind kind;
    str path, to; /* clean, from the root; hidden ones only for our own purposes */
    str text;     /* of WRITE */
    enum change_expects expects;
    struct hash_content was;
    unsigned mode; /* of a new file or folder; 0: the usual one */
};

/*
 * The order in which operations are made is: folders made, files written and deleted,
 * moves, folders removed; within each as listed. So a file that is moved, too, is
 * written under its old path. Folders for new files are made without being asked for.
 * What a change makes, or moves somewhere, it should not move on or remove, nor move
 * something to where it deletes a file: that can be made, but not be taken back.
 */
struct change {
    struct change_op *ops;
    size_t n;
    str tool, who, client;
    str key, request; /* with a key: the same key and request is made once only */
    str answer;       /* given back to who repeats it */
    uint64_t undoes;
};

struct change_result {
    uint64_t number;
    bool repeated; /* it had been made before; answer is the one of then */
    str answer;
    str *paths; /* files and folders that are different now, in the arena */
    size_t n_paths;
};

struct changes;

/*
 * For the vault at root (borrowed), with the journal in folder. Puts in order what a
 * crash has left.
 */
MUST_CHECK bool changes_open(const struct fs_root *root, const char *folder,
                             struct changes **out, struct err *err);
void changes_close(struct changes *c);

/*
 * Fails with ERR_CONFLICT, ERR_EXISTS or ERR_NOT_FOUND when a file is not as expected,
 * with the names of fs_edit.h when the disk will not; nothing is changed then. A change
 * that changes nothing is fine, and has number 0.
 */
MUST_CHECK bool changes_make(struct changes *c, struct arena *a,
                             const struct change *change, struct change_result *out,
                             struct err *err);

/*
 * Take change number back, as a change of its own (which can be taken back, too). Fails
 * with ERR_CONFLICT naming the files that were touched since.
 */
MUST_CHECK bool changes_undo(struct changes *c, struct arena *a, uint64_t number,
                             const struct change *as, struct change_result *out,
                             struct err *err);

/* The journal, for reading, while others wait. */
MUST_CHECK bool changes_hold(struct changes *c, struct journal **out, struct err *err);
void changes_let_go(struct changes *c);
