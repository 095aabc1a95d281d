/*
 * frontmatter_edit - changes properties of a note by splicing its bytes. Everything that is
 * not part of the edited entry stays as it is: comments, order, quotes, odd spacing, blank
 * lines, CRLF, a BOM.
 *
 * After each edit the block is read again; if anything but the requested property
 * changed, the edit fails. Pure: knows texts, not files. Thread-safe.
 */
#pragma once

#include "vault/note/frontmatter.h"

enum {
    FRONTMATTER_EDITS_MAX = 256,
    FRONTMATTER_ITEMS_MAX = 1000, /* to add to or remove from a list in one edit */
};

/*
 * Property names are matched exactly, otherwise ignoring case; the spelling in the file
 * stays.
 */
enum frontmatter_op {
    FRONTMATTER_SET,   /* set key to value; a new key goes last */
    FRONTMATTER_ADD,   /* add value, or its items, to the list at key unless it has
                          them; a single value there becomes the first item */
    FRONTMATTER_TAKE,  /* remove value, or its items, from the list; [] may be left */
    FRONTMATTER_UNSET, /* remove key; it need not exist */
    FRONTMATTER_RENAME /* rename key to to, in place */
};

/* For the key "tags", ADD and TAKE ignore case and '#', and write no '#'. */
struct frontmatter_edit {
    enum frontmatter_op op;
    str key;
    const struct prop *value; /* of SET, ADD and TAKE; see prop.h */
    str to;                   /* of RENAME */
};

struct frontmatter_change {
    str key; /* as spelled in the file, after the edits if it still exists */
    const struct prop *before, *after; /* NULL if it did or does not exist */
};

struct frontmatter_edited {
    str text; /* the whole note; the input itself if nothing changed */
    struct frontmatter_change *changes;
    size_t n_changes;
    uint32_t line_start, line_end; /* lines of text that are new, from 1; if lines were
                                      removed, the one that follows; 0: none */
};

/*
 * Make the edits one by one; all or none. A missing block is created (after a BOM, with
 * the line ending of the text); a block left without properties and comments is removed.
 * Results are in the arena or point into text.
 *
 * Fails with ERR_INVALID named BROKEN_FRONTMATTER if the block cannot be read (the
 * message has line and column) or a line ends with a lone CR; with ERR_INVALID if a key
 * is not a valid name, if items are added to or removed from a map, or if a value is
 * repeated elsewhere by an alias; with ERR_NOT_FOUND or ERR_EXISTS when renaming; with
 * ERR_LIMIT; and with ERR_INTERNAL if the result would not be exactly the requested
 * change.
 */
MUST_CHECK bool frontmatter_edit(struct arena *a, str text,
                                 const struct frontmatter_edit *edits, size_t n,
                                 struct frontmatter_edited *out, struct err *err);
