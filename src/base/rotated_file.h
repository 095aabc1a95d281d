/*
 * rotated_file - lines at the end of a private file (0600), in a folder of its own, that
 * several processes may write.
 *
 * What is written at once is one write, so lines of different processes do not mix. A file
 * that would become larger than max bytes is renamed to FILE.1, FILE.1 to FILE.2 and so on;
 * FILE.<old> is removed. Who does that has locked FILE.lock, and looks again: another
 * process may have done it. A line that a crash has cut off stays alone on its line.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"

struct rotated_file;

struct rotated_config {
    const char *path;
    uint64_t max;
    unsigned old; /* files besides FILE */
    bool sync;    /* what was written is on disk before rotated_write() returns */
};

/* The folder is created if missing. Fails if the file cannot be written. */
MUST_CHECK bool rotated_open(const struct rotated_config *config,
                             struct rotated_file **out, struct err *err);
void rotated_close(struct rotated_file *f);

/* lines end with '\n'. If it fails, they may be there in part. For one thread at a time. */
MUST_CHECK bool rotated_write(struct rotated_file *f, str lines, struct err *err);

/* The names of the files there are, the oldest first, in the arena. */
size_t rotated_list(struct arena *a, const char *path, unsigned old, str **out);
