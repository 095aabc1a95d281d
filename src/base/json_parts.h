/*
 * json_parts - JSON text of which parts will be replaced: where its values are, and what is
 * wrong where. Every raw of the tree is a view into the text.
 */
#pragma once

#include "base/json.h"

struct json_parts {
    const struct json *root;
    size_t at;            /* where reading ended */
    const char *expected; /* what should have been there instead; NULL: err says it all */
};

/* As json_parse(), but an object may have a key twice. */
MUST_CHECK bool json_parts_parse(struct arena *a, str text, struct json_parts *out,
                                 struct err *err);
