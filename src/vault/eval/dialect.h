/*
 * dialect - what differs between the languages that expressions are written in:
 * vault_query's filters, Bases, and Dataview's DQL. Everything else is common to them.
 */
#pragma once

#include "vault/eval/value.h"

struct eval;
struct file;
struct function;
struct row;

/* A field of files: file.x. */
typedef struct value file_field_read(struct eval *e, const struct file *f);

struct file_field {
    const char *name;
    file_field_read *read;
};

struct dialect {
    const char *name;
    enum duration_units units;

    struct {                 /* properties */
        bool markdown_links; /* [a](b.md) as the whole text is a link, as [[b]] is */
        bool tag_property;   /* the items of the property `tags` are tags */
        bool inline_fields;  /* key:: value in the text is a property; see property.h */
    } reads;
    struct {
        bool folded;   /* texts are equal if they differ in case only */
        bool any_item; /* a list compares by any of its items, a day by its times, ... */
        bool coerced;  /* a text equals the date, duration or number that it spells */
        bool
            across_types; /* < and > compare different types, and null, by a total order */
    } compares;
    struct {
        bool texts_apart;   /* texts, links and tags are different types */
        bool null_first;    /* and last if descending; else null is always last */
        bool null_as_false; /* in a column of booleans */
    } sorts;
    struct {
        bool errors_as_null; /* what fails is null, not an error */
        bool lists_by_item;  /* list.x is the list of the items' x; functions of one value
                                map */
        bool drops_errors; /* a row whose sort or group key is an error is dropped, as one
                                whose filter is; else the key counts as null */
        bool through_links; /* link.x is property x of the note that it leads to */
        bool names_nocase;  /* case is ignored in names of functions */
    } evaluates;

    /* Tables; each ends with an entry without a name. Functions of one name are next to
     * each other. */
    const struct function *functions;
    const struct file_field *file_fields;

    /* What a name means in a row (EXPR_NAME, and members of VALUE_ROW) after its own
     * names; NULL: nothing. */
    struct value (*row_member)(struct eval *e, const struct row *row, str name);
};

/* Each is with its parser. */
extern const struct dialect dialect_query, dialect_bases;
