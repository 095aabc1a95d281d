/*
 * read_log - what each client has read of each note, so that a part which another client
 * has changed since is not replaced by mistake.
 *
 * Only hashes are kept: of every section and block that was shown completely, and of
 * every line. A section or block is known by its text, whatever its headings are by now;
 * one that the note did not have when the client read it is stale, too, as are lines
 * below its end. The client's own changes count as read. Nothing is known about a client
 * that has not read a note, and old entries are forgotten (READ_LOG_NOTES_MAX,
 * READ_LOG_BYTES_MAX): then nothing is stale. Thread-safe; takes no other lock.
 *
 * Of what a client has read at another replica only the hash of the whole note is known
 * (read_log_heard()): if the note is not that text any more, all of it is stale.
 */
#pragma once

#define READ_LOG_TOPIC "read" /* of messages to other replicas */

#include "base/arena.h"
#include "base/str.h"
#include "vault/note/edit.h"

enum {
    READ_LOG_NOTES_MAX = 4096,      /* of all clients together */
    READ_LOG_BYTES_MAX = 8 << 20,   /* of hashes, of all notes together */
    READ_LOG_PARTS_MAX = 1000,      /* sections and blocks of a note */
    READ_LOG_LINES_MAX = 50 * 1000, /* lines of a note */
};

struct read_log;

struct read_log *read_log_create(void);
void read_log_free(struct read_log *s);

/* The reader of a note; nothing is recorded for an empty client. */
struct reader_key {
    str client, vault, path;
};

/* The client was shown these bytes of the note's text. */
void read_log_show(struct read_log *s, const struct reader_key *by, str text,
                   struct edit_range shown);

/* The client has changed the note: what it knew before, it knows still. */
void read_log_change(struct read_log *s, const struct reader_key *by, str before,
                     str after);

/* For other replicas: the client knows the note as it is now. */
str read_log_message(struct arena *a, const struct reader_key *by, str text);

/* Another replica has sent this. */
void read_log_heard(struct read_log *s, str message);

/* Something else has happened to the note. */
void read_log_forget(struct read_log *s, const struct reader_key *by);

/* Whether a section or block, or these lines, are other than the client has last seen. */
bool read_log_is_stale(struct read_log *s, const struct reader_key *by, str text,
                       struct edit_range part);
bool read_log_lines_stale(struct read_log *s, const struct reader_key *by, str text,
                          uint32_t first, uint32_t last);
