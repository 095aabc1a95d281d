/* The size of a picture from its header, without decoding anything. */
#include "picture/picture.h"

static uint32_t picture_byte(str s, size_t at)
{
    return at < s.n ? (unsigned char)s.p[at] : 0;
}

static uint32_t big(str s, size_t at, size_t n)
{
    uint32_t v = 0;
    for (size_t i = 0; i < n; i++)
        v = v << 8 | picture_byte(s, at + i);
    return v;
}

static uint32_t little(str s, size_t at, size_t n)
{
    uint32_t v = 0;
    for (size_t i = n; i > 0; i--)
        v = v << 8 | picture_byte(s, at + i - 1);
    return v;
}

static bool read_png(str s, struct picture *out)
{
    if (!str_starts(s, STR("\x89PNG\r\n\x1a\n")) ||
        !str_eq(str_slice(s, 12, 16), STR("IHDR")))
        return false;
    out->kind = PICTURE_PNG;
    out->width = big(s, 16, 4);
    out->height = big(s, 20, 4);
    return true;
}

static bool read_gif(str s, struct picture *out)
{
    if (!str_starts(s, STR("GIF87a")) && !str_starts(s, STR("GIF89a")))
        return false;
    out->kind = PICTURE_GIF;
    out->width = little(s, 6, 2);
    out->height = little(s, 8, 2);
    return true;
}

/* RFC 9649: a lossy, a lossless or an extended file. */
static bool read_webp(str s, struct picture *out)
{
    enum { CHUNK = 12, DATA = 20, SIDE = 0x3FFF };
    str chunk = str_slice(s, CHUNK, CHUNK + 4);
    if (!str_starts(s, STR("RIFF")) || !str_eq(str_slice(s, 8, CHUNK), STR("WEBP")))
        return false;
    out->kind = PICTURE_WEBP;
    if (str_eq(chunk, STR("VP8X"))) {
        out->width = little(s, DATA + 4, 3) + 1;
        out->height = little(s, DATA + 7, 3) + 1;
    } else if (str_eq(chunk, STR("VP8L"))) {
        uint32_t sides = little(s, DATA + 1, 4);
        out->width = (sides & SIDE) + 1;
        out->height = (sides >> 14 & SIDE) + 1;
    } else if (str_eq(chunk, STR("VP8 "))) {
        out->width = little(s, DATA + 6, 2) & SIDE;
        out->height = little(s, DATA + 8, 2) & SIDE;
    } else {
        return false;
    }
    return true;
}

/* --- JPEG --- */

/* The orientation in a TIFF header, as EXIF has it; 1 if there is none. */
static int exif_orientation(str tiff)
{
    enum { ENTRY = 12, ORIENTATION = 0x0112 };
    uint32_t (*number)(str, size_t, size_t) = str_starts(tiff, STR("MM")) ? big : little;
    uint32_t at = number(tiff, 4, 4), n = at < tiff.n ? number(tiff, at, 2) : 0;
    for (uint32_t i = 0; i < n; i++) {
        size_t entry = (size_t)at + 2 + (size_t)i * ENTRY;
        if (entry + ENTRY > tiff.n)
            break;
        if (number(tiff, entry, 2) != ORIENTATION)
            continue;
        uint32_t value = number(tiff, entry + 8, 2);
        return value >= 1 && value <= 8 ? (int)value : 1;
    }
    return 1;
}

/* A frame header; the others of this range are DHT, JPG and DAC. */
static bool is_frame(uint32_t marker)
{
    return marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 &&
           marker != 0xCC;
}

static bool read_jpeg(str s, struct picture *out)
{
    enum { EXIF = 0xE1 };
    if (!str_starts(s, STR("\xff\xd8\xff")))
        return false;
    out->kind = PICTURE_JPEG;
    for (size_t at = 2; at + 4 <= s.n && picture_byte(s, at) == 0xFF;) {
        uint32_t marker = picture_byte(s, at + 1);
        size_t length = big(s, at + 2, 2);
        str data = str_slice(s, at + 4, at + 2 + length);
        if (marker == 0xFF) { /* padding */
            at++;
            continue;
        }
        if (is_frame(marker)) {
            out->height = big(s, at + 5, 2);
            out->width = big(s, at + 7, 2);
            return true;
        }
        if (marker == EXIF && str_starts(data, STR("Exif\0\0")))
            out->orientation = exif_orientation(str_skip(data, 6));
        at += 2 + length;
        if (length < 2)
            break;
    }
    return false;
}

bool picture_read(str bytes, struct picture *out)
{
    *out = (struct picture){.orientation = 1};
    return (read_png(bytes, out) || read_jpeg(bytes, out) || read_gif(bytes, out) ||
            read_webp(bytes, out)) &&
           out->width > 0 && out->height > 0;
}
