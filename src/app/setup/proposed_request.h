/*
 * proposed_request - what the command line asks about proposals, and its answer, as JSON: for
 * the operator's socket of a running server, and without one in the same process. So both say
 * the same, and a terminal prints both.
 */
#pragma once

#include "app/setup/proposed.h"
#include "base/json.h"

#define PROPOSED_PATH "/proposals" /* of the socket; POST */

enum proposed_verb { PROPOSED_LIST, PROPOSED_SHOW, PROPOSED_DECIDE, PROPOSED_LINK };

struct proposed_request {
    enum proposed_verb verb;
    str vault, folder; /* which vault: its name, and its folder; empty: any */
    struct proposed_decision decision; /* SHOW: its id and choice */
};

str proposed_request_print(struct arena *a, const struct proposed_request *r);
MUST_CHECK bool proposed_request_read(struct arena *a, str text,
                                      struct proposed_request *out, struct err *err);

/* The items of a list, each with the name of its vault unless that is empty. */
MUST_CHECK bool proposed_put_list(struct jsonw *w, struct arena *a,
                                  const struct proposed_place *p, str name,
                                  struct err *err);

/* The answer to SHOW and DECIDE, an object. Fails like proposed_read() and
 * proposed_decide(); then nothing was written. */
MUST_CHECK bool proposed_answer(struct jsonw *w, struct arena *a,
                                const struct proposed_place *p, str name,
                                const struct proposed_request *r, struct err *err);

/* A failure as JSON, and back: false if it is none. */
void proposed_put_error(struct jsonw *w, const struct err *err);
bool proposed_read_error(const struct json *j, struct err *err);
