/*
 * image - tables in memory as bytes, for a snapshot: written part by part, and used in
 * place.
 *
 * Every part begins at a multiple of 8 bytes. An image may be damaged, so the reader of a
 * part checks its contents before using them.
 */
#pragma once

#include "base/str.h"

struct image_out {
    void (*write)(void *arg, const void *bytes, size_t n);
    void *arg;
};

void image_put(const struct image_out *out, const void *bytes, uint64_t n);

/*
 * A part in several pieces: each without padding, then the padding for n bytes in total.
 */
void image_put_piece(const struct image_out *out, const void *bytes, uint64_t n);
void image_pad(const struct image_out *out, uint64_t n);

struct image_in {
    str rest;     /* aligned to 8 bytes */
    bool damaged; /* a part is missing or too short */
};

/*
 * The next part: n items of that size. NULL, and damaged is set, if there are not enough
 * bytes.
 */
const void *image_take(struct image_in *in, uint64_t n, size_t size);
