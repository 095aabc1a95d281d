/*
 * value - the typed value of a field, and how values compare.
 *
 * A value is small and passed by address or by copy; it borrows from the property, file
 * or arena it was read from. If the whole text of a property is a date or a link, the
 * value is that date or link; it is printed as written.
 *
 * Texts, names and tags compare after utf8_fold.
 */
#pragma once

#include "base/json_write.h"
#include "vault/eval/value_date.h"
#include "vault/index/names.h"
#include "vault/note/frontmatter.h"

/* In the order in which types are sorted, except that text, links and tags are sorted
 * together, and null comes last. */
enum value_type {
    VALUE_NULL,
    VALUE_NUMBER,
    VALUE_DATE,
    VALUE_TEXT,
    VALUE_LINK,
    VALUE_TAG, /* text without '#' */
    VALUE_BOOL,
    VALUE_LIST,
    VALUE_MAP
};

struct value {
    enum value_type type;
    bool flag;        /* a boolean; for a number: it is a 64-bit integer */
    int64_t number;   /* of an integer */
    double real;      /* of any number */
    struct date date; /* of a date */
    str text;         /* as written; may be empty for computed numbers and dates */
    str path;         /* of a link: the target's, or the unresolved path */
    file_id target;   /* of a link, or of a constant text read as a link; or NO_FILE */
    const struct prop *props;  /* of a map, or of a list in a property */
    const struct value *items; /* of any other list */
    size_t n;                  /* of a list or map */
};

/* The context of reading: links resolve from a note, times need the UTC offset. */
struct value_reader {
    struct arena *arena;
    const struct names *names;
    str source; /* the note's path */
    file_id source_id;
    int utc_offset;
};

struct value value_of_prop(const struct value_reader *r, const struct prop *p);
struct value value_of_text(const struct value_reader *r, str text);

/* Iterates over the items of a list; begin with {.list = v}. */
struct value_items {
    const struct value *list;
    const struct prop *prop;
    size_t at;
};
bool value_next(const struct value_reader *r, struct value_items *it, struct value *out);

/* Null, "", or an empty list or map. */
bool value_is_empty(const struct value *v);

/* A value that counts as true: neither empty nor false nor 0. */
bool value_is_true(const struct value *v);

/* A scalar as text: as written, else in the usual form; empty for lists and maps. */
str value_plain(struct arena *a, const struct value *v);

/* --- comparing --- */

/*
 * Whether have equals want. For a list, any item is enough. A nested tag equals the tags
 * above it; links are equal if their targets are; a day equals its times; a number or
 * boolean equals a text that spells it.
 */
bool value_equal(const struct value_reader *r, const struct value *have,
                 const struct value *want);

/* Whether a contains b: as an item of a list, a key of a map, or part of a text. */
bool value_contains(const struct value_reader *r, const struct value *a,
                    const struct value *b);

/* How two scalars compare with < and >; VALUE_APART if their types cannot be compared. */
enum value_relation {
    VALUE_LESS = -1,
    VALUE_SAME,
    VALUE_GREATER,
    VALUE_APART,
};
enum value_relation value_relate(const struct value_reader *r, const struct value *a,
                                 const struct value *b);

/* A copy for sorting with value_order(): its texts are folded. */
struct value value_key(const struct value_reader *r, const struct value *v);

/* A total order of keys: by type, then by value. Null is last. */
int value_order(const struct value *a, const struct value *b);

/* --- writing --- */

/* As JSON, keeping types; dates and links are strings, as written. */
void value_json(struct jsonw *w, const struct value *v);

/* For people: lists as "a, b", maps as "{k: v, l: w}", nothing for null. */
void value_print(struct sbuf *out, const struct value *v);
