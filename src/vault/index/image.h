/*
 * image - tables of memory as bytes, for a snapshot: written part by part, and taken from
 * where they lie.
 *
 * Every part begins at a multiple of 8 bytes. Who takes one checks what it says before
 * using it: an image may be damaged.
 */
#pragma once

#include "base/str.h"

struct image_out {
    void (*write)(void *arg, const void *bytes, size_t n);
    void *arg;
};

void image_put(const struct image_out *out, const void *bytes, uint64_t n);

/* A part in several pieces: each without padding, then the padding for n bytes in all. */
void image_put_piece(const struct image_out *out, const void *bytes, uint64_t n);
void image_pad(const struct image_out *out, uint64_t n);

struct image_in {
    str rest;     /* aligned to 8 bytes */
    bool damaged; /* something that was asked for is not there */
};

/* The next part: n things of that size. NULL, and damaged, when so much is not there. */
const void *image_take(struct image_in *in, uint64_t n, size_t size);
