/*
 * properties - the answer that lists the properties of a vault: names, types, values.
 */
#pragma once

#include "app/answers/answer.h"
#include "vault/eval/catalogue.h"
#include "vault/vault.h"

enum { PROPERTIES_VALUES = 5 }; /* shown of each */

struct properties_listed {
    struct catalogue all;
    size_t offset, limit; /* the page */
};

/* Those of the notes below folder; "": of all notes. */
MUST_CHECK bool properties_list(const struct vault *v, const struct index *x,
                                struct arena *a, str folder, const struct stop *stop,
                                struct properties_listed *out, struct err *err);

extern const struct answer_shape properties_shape;
