/*
 * encode - bytes as text: hex, base64, base64url, percent escapes.
 *
 * Decoders are strict: other characters, wrong padding and stray bits are refused, so
 * every value has exactly one encoding.
 */
#pragma once

#include "base/arena.h"
#include "base/str.h"
#include "base/text.h"

str encode_hex(struct arena *a, str bytes); /* lower case, as the decoder expects */
MUST_CHECK bool decode_hex(struct arena *a, str text, str *out);

str encode_base64(struct arena *a, str bytes); /* RFC 4648 §4, padded */
MUST_CHECK bool decode_base64(struct arena *a, str text, str *out);

str encode_base64url(struct arena *a, str bytes); /* RFC 4648 §5, not padded */
MUST_CHECK bool decode_base64url(struct arena *a, str text, str *out);

/* Whether c needs no escape anywhere in a URI (RFC 3986 unreserved). */
static inline bool encode_is_unreserved(char c)
{
    return is_alnum(c) || c == '-' || c == '.' || c == '_' || c == '~';
}

/* Escape as %XX what is not allowed in the path of a URI (RFC 3986 pchar and '/'). */
str encode_percent(struct arena *a, str path);

/* Decode %XX; '+' stays. False if an escape is malformed. */
MUST_CHECK bool decode_percent(struct arena *a, str text, str *out);

/* A number of n bytes, at most 8, the most significant first. */
void encode_number(uint8_t *out, size_t n, uint64_t number);
uint64_t decode_number(const uint8_t *bytes, size_t n);
