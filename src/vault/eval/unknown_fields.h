/*
 * unknown_fields - properties that a query names and no note has, with similar names.
 */
#pragma once

#include "vault/eval/field.h"

enum {
    UNKNOWN_FIELDS_MAX = 16, /* unknown names reported */
    UNKNOWN_NEAREST_MAX = 3, /* names proposed for each */
};

/* A property that no note has: perhaps a typing error. */
struct unknown_field {
    str field;
    str nearest[UNKNOWN_NEAREST_MAX]; /* existing names, the nearest first */
    size_t n;
};

/* The properties among the fields that no note has, with the nearest names: their number,
 * at most UNKNOWN_FIELDS_MAX; 0 if it was stopped. */
size_t unknown_fields_find(const struct index *x, const struct field_list *fields,
                           const struct stop *stop, struct unknown_field **out);
