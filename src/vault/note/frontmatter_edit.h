/*
 * frontmatter_edit - properties of a note changed by splicing its bytes (obsidian.md
 * 3.6): every byte that is not part of the edited entry stays, be it a comment, order,
 * quotes, odd spacing, a blank line, CRLF or a BOM.
 *
 * After each edit the block is read again. Unless exactly what was asked for changed,
 * nothing is given back. Pure: knows texts, not files. Threads do not matter.
 */
#pragma once

#include "vault/note/frontmatter.h"

enum {
    FRONTMATTER_EDITS_MAX = 256,
    FRONTMATTER_ITEMS_MAX = 1000, /* to add to or take from a list in one edit */
};

/* Property names are matched exactly, else without case; the spelling in the file stays.
 */
enum frontmatter_op {
    FRONTMATTER_SET,   /* key to value; a new key goes last */
    FRONTMATTER_ADD,   /* value, or its items, to the list at key, those it lacks; a
                          single value there becomes the first item */
    FRONTMATTER_TAKE,  /* value, or its items, out of the list at key; [] may be left */
    FRONTMATTER_UNSET, /* key is removed; fine when it is not there */
    FRONTMATTER_RENAME /* key becomes to, where it stands */
};

/* ADD and TAKE take tags (of the key "tags") without case and '#', and write no '#'. */
struct frontmatter_edit {
    enum frontmatter_op op;
    str key;
    const struct prop *value; /* of SET, ADD and TAKE; see prop.h */
    str to;                   /* of RENAME */
};

struct frontmatter_change {
    str key; /* as the file spells it, after the edits if it is there then */
    const struct prop *before, *after; /* NULL when it was or is not there */
};

struct frontmatter_edited {
    str text; /* the whole note; what was given when nothing changed */
    struct frontmatter_change *changes;
    size_t n_changes;
    uint32_t line_start, line_end; /* lines of text that are new, from 1; of lines that
                                      are gone the one that follows; 0 when none */
};

/*
 * text after edits, one by one; all or none. A block is made where none is, behind a BOM
 * and in the line ending of the text; one that is left without properties and comments
 * goes away. Results are in the arena, or point into text.
 *
 * Fails with ERR_INVALID named BROKEN_FRONTMATTER when the block cannot be read (the
 * message has line and column), or a line ends with a lone CR; ERR_INVALID when a key is
 * no name, a map is no list, or a value is repeated by an alias elsewhere; ERR_NOT_FOUND
 * and ERR_EXISTS when renaming; ERR_LIMIT; ERR_INTERNAL when the result would not be what
 * was asked for.
 */
MUST_CHECK bool frontmatter_edit(struct arena *a, str text,
                                 const struct frontmatter_edit *edits, size_t n,
                                 struct frontmatter_edited *out, struct err *err);
