/*
 * es256 - ECDSA on P-256 with SHA-256, as JWS wants it (RFC 7518 §3.4): raw numbers, no
 * DER. OpenSSL's part of jwt.h, included in es256.c only.
 */
#pragma once

#include "base/str.h"

enum { ES256_PRIVATE = 32, ES256_PUBLIC = 64, ES256_SIGNATURE = 64 };

/* A new pair; public is x, then y. */
void es256_make(uint8_t private_key[ES256_PRIVATE], uint8_t public_key[ES256_PUBLIC]);

/* False: the key is none. */
MUST_CHECK bool es256_sign(const uint8_t private_key[ES256_PRIVATE],
                           const uint8_t public_key[ES256_PUBLIC], str data,
                           uint8_t out[ES256_SIGNATURE]);
MUST_CHECK bool es256_verify(const uint8_t public_key[ES256_PUBLIC], str data,
                             const uint8_t signature[ES256_SIGNATURE]);
