/*
 * es256 - ECDSA on P-256 with SHA-256, as JWS needs it (RFC 7518 §3.4): raw numbers, no
 * DER. The part of jwt.h that uses OpenSSL, which only es256.c includes.
 */
#pragma once

#include "base/str.h"

enum { ES256_PRIVATE = 32, ES256_PUBLIC = 64, ES256_SIGNATURE = 64 };

/* A new key pair; the public key is x, then y. */
void es256_make(uint8_t private_key[ES256_PRIVATE], uint8_t public_key[ES256_PUBLIC]);

/* False: the key is not valid. */
MUST_CHECK bool es256_sign(const uint8_t private_key[ES256_PRIVATE],
                           const uint8_t public_key[ES256_PUBLIC], str data,
                           uint8_t out[ES256_SIGNATURE]);
MUST_CHECK bool es256_verify(const uint8_t public_key[ES256_PUBLIC], str data,
                             const uint8_t signature[ES256_SIGNATURE]);
