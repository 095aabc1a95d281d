/*
 * tags - all tags of a vault as a tree, with the notes that have them.
 *
 * "a/b" is below "a", which exists with it. Case is ignored (utf8_fold); a tag is shown
 * in its most common spelling, of equally common ones the first by bytes. One writer;
 * readers while nobody writes.
 */
#pragma once

#include "base/arena.h"
#include "base/str.h"
#include "vault/index/names.h"
#include "vault/note/frontmatter.h"

/* Levels above a tag; one that has more stands right below the last of them. */
enum { TAGS_LEVELS_MAX = 64 };

struct tags;

struct tags *tags_create(void);
void tags_free(struct tags *t);

/* The tags of a note, without '#', each once. remove wants the same list again. */
void tags_add(struct tags *t, file_id file, const struct str_list *tags);
void tags_remove(struct tags *t, file_id file, const struct str_list *tags);

/* The same as adding one note after the other, which are in the order of their ids, but
 * much cheaper if they are many. */
struct tags_note {
    file_id file;
    const struct str_list *tags;
};
void tags_add_all(struct tags *t, const struct tags_note *notes, size_t n);

struct tag {
    str name;             /* whole, as it is shown; valid until a change */
    size_t notes;         /* that have exactly this tag */
    size_t all;           /* that have it or one below it */
    size_t depth;         /* 0 at the top */
    const file_id *files; /* those of all, by id; valid until a change */
};

size_t tags_count(const struct tags *t);

/* Number i of all tags: by name, a tag before those below it. */
struct tag tags_at(const struct tags *t, size_t i);

/* With or without '#'; false when there is none. */
bool tags_find(const struct tags *t, str name, struct tag *out);

size_t tags_memory(const struct tags *t); /* bytes, about */
