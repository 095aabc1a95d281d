/*
 * change_parts - steps of a change. Private to change*.c.
 */
#pragma once

#include <pthread.h>

#include "vault/change/change.h"

struct changes {
    const struct fs_root *root;
    struct journal *journal;
    char *folder; /* of the journal */
    int vault;    /* the root once more, to be locked against servers that have their
                     journal elsewhere */
    pthread_mutex_t lock;
};

/* A change on its way: the operations as the journal has them, and the new texts. */
struct making {
    struct changes *c;
    struct arena *a;
    struct journal_change record;
    str *texts;      /* of the operations */
    unsigned *modes; /* of new files and folders; 0: the usual one */
    size_t temps, done;
};

/* Operations are made in the order of their phases, 0 to 3. */
int change_phase(enum journal_kind kind);

/* Find out what is there, whether it is as expected, and what is to be done. */
MUST_CHECK bool change_plan(struct making *m, const struct change *change,
                            struct err *err);

/* The same as changes_make(), for who holds the journal. */
MUST_CHECK bool change_make_held(struct changes *c, struct arena *a,
                                 const struct change *change, struct change_result *out,
                                 struct err *err);

/* Whether the same was asked for before, and done: then *out is its answer. */
MUST_CHECK bool change_was_made(struct changes *c, struct arena *a,
                                const struct change *change, struct change_result *out,
                                struct err *err);

/* Whether a failure is the disk's or the system's, and may be over at the next try. */
bool change_may_pass(const struct err *err);

/* How far an operation of the journal is; UNKNOWN: the disk does not let us see. path is
 * where its file or folder should be now; of a move, where it led to in the end. */
enum change_state { CHANGE_BEFORE, CHANGE_AFTER, CHANGE_OTHER, CHANGE_UNKNOWN };
enum change_state change_look(const struct fs_root *root, struct arena *a,
                              const struct journal_op *op, str path, struct err *err);

/* Make or take back one operation; temp is the name of its temp file, mode that of a new
 * folder. */
MUST_CHECK bool change_do(const struct fs_root *root, struct arena *a,
                          const struct journal_op *op, unsigned mode, const char *temp,
                          struct err *err);
MUST_CHECK bool change_revert(const struct fs_root *root, struct arena *a,
                              const struct journal_op *op, const char *temp,
                              struct err *err);

/* Take back the first n operations of a change, as far as they were made. What somebody
 * touched since stays as it is; what the disk does not let us take back is a failure. */
MUST_CHECK bool change_revert_all(struct changes *c, struct arena *a,
                                  const struct journal_change *change, size_t n,
                                  struct err *err);

/* Make the names that a change has changed durable, whether it was made or taken back. */
MUST_CHECK bool change_sync(const struct fs_root *root, struct arena *a,
                            const struct journal_change *c, struct err *err);

/* The temp file of operation i of a change. */
enum { CHANGE_TEMP_NAME = 80 };
void change_temp_name(char out[CHANGE_TEMP_NAME], const struct journal_change *c,
                      size_t i);

/* Remove what is left of temp files of a change, unless it is somebody else's text. */
void change_drop_temps(struct changes *c, struct arena *a,
                       const struct journal_change *change);

/*
 * If the last change of the journal is open, of this process or one that died: note that
 * it is complete, or take it back. While that fails, no other change can be made.
 */
MUST_CHECK bool change_recover(struct changes *c, struct err *err);

/* path after the moves of a change from operation number first on. */
str change_moved(struct arena *a, const struct journal_change *c, size_t first, str path);
