/*
 * dql_uses - the folders, notes, tags and fields that a query names, with their places, so
 * that they can be renamed; as uses.h for Bases, whose struct it shares.
 *
 * Only what surely means one of these is found: not the fields that tasks have by
 * themselves, and not names that the query itself gives.
 */
#pragma once

#include "vault/eval/uses.h"
#include "vault/eval/value.h"

/*
 * All uses in a query, in order. False if it is not one that dql_parse() understands.
 * start and end include the quotes of USE_TEXT, and nothing around other names: no '#',
 * brackets or dot.
 */
bool dql_uses(struct arena *a, const struct value_reader *r, str text, struct use **out,
              size_t *n);

/* What to write at the place of a use instead, to name value; false if DQL cannot name it
 * there. */
bool dql_use_text(struct arena *a, const struct use *use, str value, str *out);
