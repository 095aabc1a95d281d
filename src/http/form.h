/*
 * form - application/x-www-form-urlencoded text, in bodies and queries (SEC-16).
 *
 * Strict, so no other parser can read the same text differently: if there is a duplicate
 * name, a malformed escape, a NUL or invalid UTF-8, all of it is refused. The result is
 * in the arena.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"

enum { FORM_FIELDS_MAX = 500 };

struct form_field {
    str name, value; /* decoded */
};

struct form {
    struct form_field *fields;
    size_t n;
};

/* repeatable: the only name that may occur several times, or empty. ERR_INVALID, or
 * ERR_LIMIT for too many fields; the message never contains what was sent. */
MUST_CHECK bool form_parse(struct arena *a, str text, str repeatable, struct form *out,
                           struct err *err);

/* The value; for a repeatable name, the first. p is NULL if it is missing or empty, which
 * means the same (RFC 6749 §3.1). */
str form_get(const struct form *f, str name);

/* Decode one name or value; false for a malformed escape, NUL or invalid UTF-8. */
MUST_CHECK bool form_decode(struct arena *a, str text, str *out);

/* Encode one name or value: everything but the unreserved characters of RFC 3986. */
str form_encode(struct arena *a, str text);
