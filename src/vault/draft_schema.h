/*
 * draft_schema - whether the notes that a draft writes or moves are what the schemas of the
 * vault say (ask/schema.h), as far as its caller sees them. What was wrong before, in the
 * same way, is not reported.
 *
 * Waits for the index. A schema that was changed a moment ago may not be known yet.
 */
#pragma once

#include "vault/draft.h"

enum { DRAFT_SCHEMA_SHOWN = 10 }; /* messages */

struct draft_schema {
    str *messages; /* "'Books/Dune.md': ...", at most DRAFT_SCHEMA_SHOWN */
    size_t n;
    size_t total;
    str touched; /* a schema that the draft writes, moves or removes; or empty */
};

/* The first file that is a schema, before or after; or empty. For a change that is not a draft,
 * such as an undo. */
str draft_schema_touched(const struct draft_result *r);

MUST_CHECK bool draft_schema_check(struct draft *d, struct draft_schema *out,
                                   struct err *err);
