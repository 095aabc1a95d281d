/*
 * seen - what each client has read of each note, so that a part which somebody else has
 * changed since is not replaced by mistake.
 *
 * Only hashes are kept: of every section and block that was shown completely, and of every
 * line. A section or block is known by its text, whatever its headings are by now; one that
 * the note did not have when the client read it is stale, too, as are lines below its end.
 * The client's own changes count as read. Nothing is known about a client that has
 * not read a note, and old entries are forgotten (SEEN_NOTES_MAX, SEEN_BYTES_MAX): then
 * nothing is stale. Thread-safe; takes no other lock.
 *
 * Of what a client has read at another replica only the hash of the whole note is known
 * (seen_heard()): if the note is not that text any more, all of it is stale.
 */
#pragma once

#include "base/arena.h"
#include "base/str.h"
#include "vault/note/edit.h"

enum {
    SEEN_NOTES_MAX = 4096,      /* of all clients together */
    SEEN_BYTES_MAX = 8 << 20,   /* of hashes, of all notes together */
    SEEN_PARTS_MAX = 1000,      /* sections and blocks of a note */
    SEEN_LINES_MAX = 50 * 1000, /* lines of a note */
};

struct seen;

struct seen *seen_create(void);
void seen_free(struct seen *s);

/* Whose note: an empty client is nobody, about whom nothing is kept. */
struct seen_by {
    str client, vault, path;
};

/* The client was shown these bytes of the note's text. */
void seen_show(struct seen *s, const struct seen_by *by, str text,
               struct edit_range shown);

/* The client has changed the note: what it knew before, it knows still. */
void seen_change(struct seen *s, const struct seen_by *by, str before, str after);

/* For other replicas: the client knows the note as it is now. */
str seen_message(struct arena *a, const struct seen_by *by, str text);

/* Another replica has sent this. */
void seen_heard(struct seen *s, str message);

/* Something else has happened to the note. */
void seen_forget(struct seen *s, const struct seen_by *by);

/* Whether a section or block, or these lines, are other than the client has last seen. */
bool seen_is_stale(struct seen *s, const struct seen_by *by, str text,
                   struct edit_range part);
bool seen_lines_stale(struct seen *s, const struct seen_by *by, str text, uint32_t first,
                      uint32_t last);
