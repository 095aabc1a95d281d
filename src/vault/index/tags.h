/*
 * tags - all tags of a vault as a tree, with the notes that have them.
 *
 * "a/b" is below "a", which exists implicitly. Case is ignored (utf8_fold); a tag is
 * shown in its most common spelling or, if several are equally common, in the first by
 * bytes. One writer; any number of readers while there is no writing.
 */
#pragma once

#include "base/arena.h"
#include "base/str.h"
#include "vault/index/names.h"
#include "vault/note/frontmatter.h"

/*
 * The number of levels above a tag; a deeper tag is placed directly below the last of
 * them.
 */
enum { TAGS_LEVELS_MAX = 64 };

struct tags;

struct tags *tags_create(void);
void tags_free(struct tags *t);

/*
 * The tags of a note, without '#' and without duplicates. tags_remove() needs the same
 * list.
 */
void tags_add(struct tags *t, file_id file, const struct str_list *tags);
void tags_remove(struct tags *t, file_id file, const struct str_list *tags);

/*
 * The same as adding the notes one by one, but much cheaper if there are many. They must
 * be in the order of their ids.
 */
struct tags_note {
    file_id file;
    const struct str_list *tags;
};
void tags_add_all(struct tags *t, const struct tags_note *notes, size_t n);

struct tag {
    str name;             /* the whole name, as shown; valid until a change */
    size_t notes;         /* with exactly this tag */
    size_t all;           /* with this tag or one below it */
    size_t depth;         /* 0 at the top */
    const file_id *files; /* the notes counted in all, by id; valid until a change */
};

size_t tags_count(const struct tags *t);

/* Tag number i, by name; a tag comes before those below it. */
struct tag tags_at(const struct tags *t, size_t i);

/* Find a tag, given with or without '#'; false if there is none. */
bool tags_find(const struct tags *t, str name, struct tag *out);

size_t tags_memory(const struct tags *t); /* approximate, in bytes */
