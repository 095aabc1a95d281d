/*
 * select_value - what a field of a note is: a typed value, and how values compare.
 *
 * A value is small and passed by address or by copy; it borrows the property, the file or
 * the arena it was read from. A text of a property that is as a whole a date or a link is
 * that date or link; it is written out as it stands there.
 *
 * Texts, names and tags compare after utf8_fold.
 */
#pragma once

#include "base/json_write.h"
#include "vault/ask/select_date.h"
#include "vault/index/names.h"
#include "vault/note/frontmatter.h"

/* In the order in which different types are sorted, but nothing comes last. */
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
    bool flag;        /* of a boolean; of a number: it is a whole one of 64 bits */
    int64_t number;   /* of a whole one */
    double real;      /* of any number */
    struct date date; /* of a date */
    str text;         /* as written; may be empty for numbers and dates made here */
    str path;         /* of a link: the target's, or what should be one */
    file_id target;   /* of a link; of a constant text: of a link that says so; NO_FILE */
    const struct prop *props;  /* of a map, or of a list that stands in a property */
    const struct value *items; /* of any other list */
    size_t n;                  /* of a list or map */
};

/* Who reads: links are seen from a note, times by a clock. */
struct value_reader {
    struct arena *arena;
    const struct names *names;
    str source; /* the note's path */
    file_id source_id;
    int utc_offset;
};

struct value value_of_prop(const struct value_reader *r, const struct prop *p);
struct value value_of_text(const struct value_reader *r, str text);

/* One item of a list after the other; begin with {.list = v}. */
struct value_items {
    const struct value *list;
    const struct prop *prop;
    size_t at;
};
bool value_next(const struct value_reader *r, struct value_items *it, struct value *out);

/* Null, "", a list or map of nothing. */
bool value_is_empty(const struct value *v);

/* A value that counts as yes: neither empty nor false nor 0. */
bool value_is_true(const struct value *v);

/* A scalar as text: what stands there, else the usual way to write it; empty for lists
 * and maps. */
str value_plain(struct arena *a, const struct value *v);

/* --- comparing --- */

/*
 * Whether have is what is wanted. Of a list, any item is enough. A tag is also found by
 * the tags above it; links by what they lead to; days contain times; a number or boolean
 * equals a text that spells it.
 */
bool value_equal(const struct value_reader *r, const struct value *have,
                 const struct value *want);

/* Whether a has something of b in it: an item of a list, a key of a map, part of a text.
 */
bool value_contains(const struct value_reader *r, const struct value *a,
                    const struct value *b);

/* What < and > say of two scalars; VALUE_APART if their types cannot be compared. */
enum value_relation {
    VALUE_LESS = -1,
    VALUE_SAME,
    VALUE_GREATER,
    VALUE_APART,
};
enum value_relation value_relate(const struct value_reader *r, const struct value *a,
                                 const struct value *b);

/* A copy to be sorted with others by value_order(): its texts are folded. */
struct value value_key(const struct value_reader *r, const struct value *v);

/* A total order of keys: by type, then by value. Null is last. */
int value_order(const struct value *a, const struct value *b);

/* --- writing --- */

/* As JSON, types kept; dates and links are strings, as written. */
void value_json(struct jsonw *w, const struct value *v);

/* For people: lists as "a, b", maps as "{k: v, l: w}", nothing for null. */
void value_print(struct sbuf *out, const struct value *v);
