/*
 * json_write - write JSON directly into a buffer, without a tree.
 *
 *     struct jsonw w = JSONW_ON(&buf);
 *     jsonw_object(&w);
 *     jsonw_key(&w, STR("path"));
 *     jsonw_str(&w, path);
 *     jsonw_end(&w);
 *
 * The result is always valid JSON and valid UTF-8 on one line: invalid bytes in a
 * string become U+FFFD, control characters are escaped, and a call out of order (a
 * value without a key in an object, an extra end, a second value at the top) is a
 * BUG(). Duplicate keys are not detected.
 */
#pragma once

#include "base/json.h"
#include "base/sbuf.h"

struct jsonw {
    struct sbuf *out;
    uint8_t depth;
    bool comma;                           /* the next value or key needs one */
    bool keyed;                           /* a key was written, its value is next */
    uint64_t object[JSON_MAX_DEPTH / 64]; /* bit d: level d is an object */
};

#define JSONW_ON(buf) ((struct jsonw){.out = (buf)})

void jsonw_object(struct jsonw *w);
void jsonw_array(struct jsonw *w);
void jsonw_end(struct jsonw *w); /* of the innermost object or array */

/* Continue the object that was just ended and has members. */
void jsonw_reopen(struct jsonw *w);

void jsonw_key(struct jsonw *w, str key);

void jsonw_str(struct jsonw *w, str s);
void jsonw_int(struct jsonw *w, int64_t n);
void jsonw_num(struct jsonw *w, double d); /* round-trips; null if not finite */
void jsonw_bool(struct jsonw *w, bool b);
void jsonw_null(struct jsonw *w);

/* A parsed value, byte for byte, except that line breaks become spaces. NULL, a missing
 * member, is null. */
void jsonw_value(struct jsonw *w, const struct json *j);

/* A string from printf. */
void jsonw_printf(struct jsonw *w, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* key and value in one call */
void jsonw_put_str(struct jsonw *w, str key, str s);
void jsonw_put_int(struct jsonw *w, str key, int64_t n);
void jsonw_put_bool(struct jsonw *w, str key, bool b);
void jsonw_put_value(struct jsonw *w, str key, const struct json *j);
void jsonw_put_object(struct jsonw *w, str key);                           /* opens it */
void jsonw_put_array(struct jsonw *w, str key);                            /* opens it */
void jsonw_put_strs(struct jsonw *w, str key, const str *items, size_t n); /* an array */

/* The same, but nothing at all for an empty text, or for false. */
void jsonw_put_text(struct jsonw *w, str key, str s);
void jsonw_put_true(struct jsonw *w, str key, bool b);

/* The output of another writer, which must be one complete value. */
void jsonw_put_written(struct jsonw *w, str key, const struct jsonw *done);
