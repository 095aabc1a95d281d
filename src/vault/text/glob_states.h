/*
 * glob_states - one glob as an automaton. Private to glob.c, which runs it, and
 * glob_parse.c, which builds it.
 */
#pragma once

#include "vault/text/glob.h"

/*
 * What a state consumes. A GLOB_FORK continues at two states without consuming anything.
 */
enum glob_kind {
    GLOB_TAKE_CHAR,
    GLOB_TAKE_NAME,
    GLOB_TAKE_ANY,
    GLOB_TAKE_CLASS,
    GLOB_FORK,
    GLOB_DONE
};

struct glob_range {
    uint32_t from, to;
};

struct glob_state {
    enum glob_kind kind;
    uint32_t c;
    uint16_t next, next2;
    bool negated;
    uint16_t n_ranges;
    const struct glob_range *ranges;
};

enum { GLOB_STATES_MAX = 5 * (GLOB_MAX_BYTES + 8) };

struct glob_states {
    struct glob_state *states; /* the first is the start, the last is GLOB_DONE */
    uint16_t n;
};

/*
 * Compile text, a glob in globset's syntax of at most GLOB_MAX_BYTES + 8 bytes. whole is
 * what the user wrote, for messages. Fails with ERR_INVALID.
 */
MUST_CHECK bool glob_parse(struct arena *a, str whole, str text, struct glob_states *out,
                           struct err *err);
