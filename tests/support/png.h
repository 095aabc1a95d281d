/*
 * png - PNG files of any size, with stored blocks.
 */
#pragma once

#include <dlfcn.h>

#include "base/sbuf.h"

static inline void png_add_big(struct sbuf *out, uint32_t n)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        sbuf_char(out, (char)(n >> shift));
}

static inline uint32_t png_crc_of(str s)
{
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < s.n; i++) {
        crc ^= (unsigned char)s.p[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320 : 0);
    }
    return ~crc;
}

static inline void png_add_chunk(struct sbuf *out, const char *type, str data)
{
    png_add_big(out, (uint32_t)data.n);
    size_t start = out->n;
    sbuf_add(out, str_c(type));
    sbuf_add(out, data);
    png_add_big(out, png_crc_of(str_skip(sbuf_str(out), start)));
}

static inline str png_stored(struct arena *a, str raw)
{
    enum { BLOCK = 65535 };
    struct sbuf out = SBUF_ON(a);
    uint32_t low = 1, high = 0;
    for (size_t i = 0; i < raw.n; i++) {
        low = (low + (unsigned char)raw.p[i]) % 65521;
        high = (high + low) % 65521;
    }
    sbuf_add(&out, STR("\x78\x01"));
    for (size_t at = 0; at < raw.n; at += BLOCK) {
        str block = str_slice(raw, at, at + BLOCK);
        sbuf_char(&out, at + BLOCK >= raw.n);
        sbuf_char(&out, (char)block.n);
        sbuf_char(&out, (char)(block.n >> 8));
        sbuf_char(&out, (char)~block.n);
        sbuf_char(&out, (char)(~block.n >> 8));
        sbuf_add(&out, block);
    }
    png_add_big(&out, high << 16 | low);
    return sbuf_str(&out);
}

/* With these sides; noise does not compress. */
static inline str png_make(struct arena *a, uint32_t width, uint32_t height, bool noise)
{
    struct sbuf out = SBUF_ON(a), head = SBUF_ON(a), rows = SBUF_ON(a);
    uint32_t random = 1;
    for (uint32_t y = 0; y < height; y++) {
        sbuf_char(&rows, 0);
        for (uint32_t x = 0; x < 3 * width; x++) {
            random = random * 1664525 + 1013904223;
            sbuf_char(&rows, noise ? (char)(random >> 24) : (char)(x / 3));
        }
    }
    png_add_big(&head, width);
    png_add_big(&head, height);
    sbuf_add(&head, STR("\x08\x02\0\0\0"));
    sbuf_add(&out, STR("\x89PNG\r\n\x1a\n"));
    png_add_chunk(&out, "IHDR", sbuf_str(&head));
    png_add_chunk(&out, "IDAT", png_stored(a, sbuf_str(&rows)));
    png_add_chunk(&out, "IEND", STR(""));
    return sbuf_str(&out);
}

/* Whether vaultd can scale pictures here. */
static inline bool png_has_gd(void)
{
    void *gd = dlopen("libgd.so.3", RTLD_NOW | RTLD_LOCAL);
    if (gd != NULL)
        dlclose(gd);
    return gd != NULL;
}
