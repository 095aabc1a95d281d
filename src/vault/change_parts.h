/*
 * change_parts - steps of a change. Private to change*.c.
 */
#pragma once

#include <pthread.h>

#include "vault/change.h"

struct changes {
    const struct fs_root *root;
    struct journal *journal;
    char *folder; /* of the journal */
    pthread_mutex_t lock;
};

/* How far an operation of the journal is. */
enum change_state { CHANGE_BEFORE, CHANGE_AFTER, CHANGE_OTHER };
enum change_state change_look(const struct fs_root *root, struct arena *a,
                              const struct journal_op *op, str path);

/* Make or take back one operation; temp is the name of WRITE's temp file. */
MUST_CHECK bool change_do(const struct fs_root *root, struct arena *a,
                          const struct journal_op *op, const char *temp, struct err *err);
MUST_CHECK bool change_revert(const struct fs_root *root, struct arena *a,
                              const struct journal_op *op, const char *temp,
                              struct err *err);

/* Make the names that an operation changed durable. */
MUST_CHECK bool change_sync(const struct fs_root *root, struct arena *a,
                            const struct journal_op *ops, size_t n, struct err *err);

/* The temp file of operation i of a change. */
enum { CHANGE_TEMP_NAME = 64 };
void change_temp_name(char out[CHANGE_TEMP_NAME], uint64_t number, size_t i);

/* After a crash: finish or take back the last change of the journal, if it is open. */
MUST_CHECK bool change_recover(struct changes *c, struct err *err);

/* path after the moves of a change. */
str change_moved(struct arena *a, const struct journal_change *c, str path);
