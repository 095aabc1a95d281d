/*
 * json - strict RFC 8259 text into a tree of views.
 *
 * The tree lives in an arena; strings without escapes and all raw spans point
 * into the source text, which must outlive it. Text must be valid UTF-8 without
 * a BOM; lone surrogate escapes, control characters, trailing bytes, NaN and
 * comments are refused. Numbers keep their text, so an id or a 30-digit integer
 * comes back byte for byte. Strings may contain NUL.
 * The writer is in json_write.h.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

enum json_type {
    JSON_NULL,
    JSON_FALSE,
    JSON_TRUE,
    JSON_NUMBER,
    JSON_STRING,
    JSON_ARRAY,
    JSON_OBJECT
};

enum {
    JSON_MAX_DEPTH = 128,      /* nested arrays and objects */
    JSON_MAX_KEYS = 1 << 16,   /* in one object */
    JSON_MAX_VALUES = 1 << 20, /* in all: a value takes more memory than its text */
};

struct json {
    enum json_type type;
    uint32_t n;         /* children of an array or object */
    str raw;            /* this value as written in the source */
    str text;           /* of a string, unescaped */
    str key;            /* of an object's member, unescaped */
    struct json *child; /* the first; the others follow by next */
    struct json *next;
};

/*
 * Parse the whole of text. Fails with ERR_INVALID and a message that says what was
 * expected at which byte, or with ERR_LIMIT above a limit. Duplicate keys in an object
 * are refused (ERR_INVALID): all readers of a message must see the same meaning.
 */
MUST_CHECK bool json_parse(struct arena *a, str text, const struct json **out,
                           struct err *err);

/* The same; *at is the byte where parsing ended. */
MUST_CHECK bool json_parse_at(struct arena *a, str text, const struct json **out,
                              size_t *at, struct err *err);

/* The member of an object; NULL if it is missing or j is NULL or not an object. */
const struct json *json_get(const struct json *j, str key);

/*
 * Whether j is not NULL and of that type. The others also store its value in *out, which
 * is unchanged if they return false. A missing member is NULL, so it never has the right
 * type.
 */
static inline bool json_is(const struct json *j, enum json_type type)
{
    return j != NULL && j->type == type;
}

static inline bool json_str(const struct json *j, str *out)
{
    if (!json_is(j, JSON_STRING))
        return false;
    *out = j->text;
    return true;
}

static inline bool json_bool(const struct json *j, bool *out)
{
    if (!json_is(j, JSON_TRUE) && !json_is(j, JSON_FALSE))
        return false;
    *out = j->type == JSON_TRUE;
    return true;
}

/* 5, 5.0 and 5e0, exactly; also false for 5.1 and for numbers that do not fit. */
bool json_int(const struct json *j, int64_t *out);

/* The nearest double; also false if there is none (1e400). */
bool json_num(const struct json *j, double *out);

/* The member of an object as text; empty if it is missing or not a string. */
static inline str json_get_str(const struct json *j, str key)
{
    str text = {0};
    (void)json_str(json_get(j, key), &text);
    return text;
}

/* Whether the member exists and is true. */
static inline bool json_get_true(const struct json *j, str key)
{
    return json_is(json_get(j, key), JSON_TRUE);
}
