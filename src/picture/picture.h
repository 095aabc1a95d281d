/*
 * picture - PNG, JPEG, GIF and WebP files: their size in pixels, and smaller copies of
 * those that are too large to send.
 *
 * A picture may come from anywhere, so it is decoded in a separate process: a copy of
 * this one that has closed all files, can only compute, and is killed after PICTURE_CPU_S
 * of work, or PICTURE_MS (base/os/child.h). Its size is read from the header and checked
 * before. Decoding is done by libgd, which is loaded when it is first needed and may be
 * missing.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"

enum {
    PICTURE_FILE_MAX = 32 << 20,   /* bytes of a file that is decoded */
    PICTURE_PIXELS_MAX = 32000000, /* that takes about half a gigabyte for a moment */
    PICTURE_AT_ONCE = 2,
    PICTURE_CPU_S = 10,      /* seconds of processor time for a copy, */
    PICTURE_MS = 60000,      /* and of waiting, on a machine with much to do */
    PICTURE_SIDE_MAX = 1568, /* pixels: larger ones are scaled down by clients anyway */
    PICTURE_SENT_MAX = 1 << 20, /* bytes of a copy */
};

enum picture_kind { PICTURE_PNG, PICTURE_JPEG, PICTURE_GIF, PICTURE_WEBP };

struct picture {
    enum picture_kind kind;
    uint32_t width, height; /* as stored */
    int orientation;        /* of EXIF, 1 to 8; 1: upright */
};

/* Read the header; nothing is decoded. False if it is not one of these, or damaged. */
bool picture_read(str bytes, struct picture *out);

/* Whether it can be sent as it is. */
bool picture_fits(const struct picture *p, size_t size);

/*
 * A copy with sides of at most PICTURE_SIDE_MAX pixels and at most PICTURE_SENT_MAX
 * bytes, upright, as PNG or JPEG; of an animation the first picture. Blocks for up to
 * PICTURE_MS. Fails with FILE_TOO_LARGE above the limits, with BUSY if PICTURE_AT_ONCE
 * others are being made, with NOT_TEXT if it cannot be decoded, and with ERR_INTERNAL if
 * libgd is missing.
 */
MUST_CHECK bool picture_copy(struct arena *a, str bytes, const struct picture *p,
                             str *out, enum picture_kind *kind, struct err *err);
