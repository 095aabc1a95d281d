/*
 * form - application/x-www-form-urlencoded text, of bodies and of queries (SEC-16).
 *
 * Strict, so that nobody else reads the same text in another way: a name that stands
 * twice, a broken escape, NUL or invalid UTF-8 refuses all of it. Everything lives in the
 * arena.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"

enum { FORM_FIELDS_MAX = 100 };

struct form_field {
    str name, value; /* decoded */
};

struct form {
    struct form_field *fields;
    size_t n;
};

/* repeatable: the one name that may stand several times, or empty. ERR_INVALID, or
 * ERR_LIMIT for too many fields; the message never holds what was sent. */
MUST_CHECK bool form_parse(struct arena *a, str text, str repeatable, struct form *out,
                           struct err *err);

/* The value, the first one of a repeatable name. p is NULL when it is absent or empty,
 * which is the same (RFC 6749 §3.1). */
str form_get(const struct form *f, str name);

/* One name or value; false on a broken escape, NUL or invalid UTF-8. */
MUST_CHECK bool form_decode(struct arena *a, str text, str *out);

/* text with everything but RFC 3986's unreserved characters as %XX: one name or value. */
str form_encode(struct arena *a, str text);
