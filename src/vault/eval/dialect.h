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
struct file_field {
    const char *name;
    struct value (*read)(struct eval *e, const struct file *f);
};

struct dialect {
    const char *name;
    enum duration_units units;

    /* Reading properties. */
    bool markdown_links; /* [a](b.md) as the whole text is a link, as [[b]] is */
    bool tag_property;   /* the items of the property `tags` are tags */
    bool inline_fields;  /* key:: value in the text is a property; see property.h */

    /* Comparing. */
    bool folds_text;  /* texts are equal if they differ in case only */
    bool any_item;    /* a list compares by any of its items, a day by its times, ... */
    bool coerces;     /* a text equals the date, duration or number that it spells */
    bool orders_all;  /* < and > compare different types, and null, by a total order */
    bool texts_apart; /* texts, links and tags are sorted as different types */
    bool null_first;  /* null sorts first, and last if descending; else always last */
    bool checkboxes;  /* in a column of booleans, null sorts as false */

    /* Evaluating. */
    bool quiet;  /* what fails is null, not an error */
    bool spread; /* list.x is the list of the items' x; functions of one value map */
    bool
        drops_errors; /* a row whose sort or group key is an error is dropped, as one whose
                          filter is; else the key counts as null */
    bool links_lead;  /* link.x is property x of the note that it leads to */
    bool ignore_case; /* of the names of functions */

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
