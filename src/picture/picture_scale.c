/*
 * libgd, which needs no header: it brings many other libraries, so it is loaded only when
 * needed, and its pictures are opaque here.
 */
#include "base/os/library.h"
#include "base/os/thread.h"
#include "picture/picture_parts.h"

typedef struct gdImageStruct *gd_image;

static struct {
    bool ready;
    gd_image (*from[PICTURE_WEBP + 1])(int size, void *data);
    gd_image (*create)(int width, int height);
    void (*resample)(gd_image to, gd_image from, int to_x, int to_y, int from_x,
                     int from_y, int to_width, int to_height, int width, int height);
    gd_image (*rotate)(gd_image from, float degrees, int background);
    void (*flip)(gd_image image);
    void (*blend)(gd_image image, int on);
    void (*save_alpha)(gd_image image, int on);
    void (*fill)(gd_image image, int x1, int y1, int x2, int y2, int colour);
    void *(*to_png)(gd_image image, int *size);
    void *(*to_jpeg)(gd_image image, int *size, int quality);
} lib;

static void load_gd_once(void)
{
    static const struct library_symbol symbols[] = {
        {"gdImageCreateFromPngPtr", &lib.from[PICTURE_PNG]},
        {"gdImageCreateFromJpegPtr", &lib.from[PICTURE_JPEG]},
        {"gdImageCreateFromGifPtr", &lib.from[PICTURE_GIF]},
        {"gdImageCreateFromWebpPtr", &lib.from[PICTURE_WEBP]},
        {"gdImageCreateTrueColor", &lib.create},
        {"gdImageCopyResampled", &lib.resample},
        {"gdImageRotateInterpolated", &lib.rotate},
        {"gdImageFlipHorizontal", &lib.flip},
        {"gdImageAlphaBlending", &lib.blend},
        {"gdImageSaveAlpha", &lib.save_alpha},
        {"gdImageFilledRectangle", &lib.fill},
        {"gdImagePngPtr", &lib.to_png},
        {"gdImageJpegPtr", &lib.to_jpeg},
    };
    lib.ready = library_load("gd", 3, symbols, COUNT_OF(symbols));
}

bool picture_load(struct err *err)
{
    static struct once once = ONCE_INIT;
    once_run(&once, load_gd_once);
    return lib.ready ||
           err_set(
               err, ERR_INTERNAL,
               VAULTD_STATIC
                   ? "the picture is too large to send, and the server is a static "
                     "program, which cannot make smaller copies"
                   : "the picture is too large to send, and libgd, which makes smaller "
                     "copies, is not installed on the server (Debian: libgd3)");
}

/* --- scaling --- */

enum { CLEAR = 127 << 24, WHITE = 0xFFFFFF }; /* colours of libgd */

static gd_image resize(gd_image from, const struct picture *p, int width, int height,
                       bool alpha)
{
    gd_image to = lib.create(width, height);
    if (to == NULL)
        return NULL;
    lib.blend(to, 0);
    lib.fill(to, 0, 0, width - 1, height - 1, alpha ? CLEAR : WHITE);
    lib.blend(to, !alpha);
    lib.save_alpha(to, alpha);
    lib.resample(to, from, 0, 0, 0, 0, width, height, (int)p->width, (int)p->height);
    return to;
}

/* Upright, as cameras note it; libgd turns counterclockwise. */
static gd_image turn(gd_image image, int orientation)
{
    static const struct {
        float degrees;
        bool flip; /* afterwards */
    } how[] = {
        [1] = {0, false},  [2] = {0, true},    [3] = {180, false}, [4] = {180, true},
        [5] = {270, true}, [6] = {270, false}, [7] = {90, true},   [8] = {90, false}};
    if (how[orientation].degrees > 0)
        image = lib.rotate(image, how[orientation].degrees, WHITE);
    if (image != NULL && how[orientation].flip)
        lib.flip(image);
    return image;
}

static bool encode(gd_image image, enum picture_kind kind, int quality, str *out)
{
    int size = 0;
    void *p = kind == PICTURE_PNG ? lib.to_png(image, &size)
                                  : lib.to_jpeg(image, &size, quality);
    *out = (str){p, size > 0 ? (size_t)size : 0};
    return p != NULL && size > 0 && size <= PICTURE_SENT_MAX;
}

/* Text and drawings stay sharp as PNG; what does not fit then, such as photos, is JPEG. */
static bool encode_small(gd_image from, const struct picture *p, int width, int height,
                         str *out, enum picture_kind *kind)
{
    static const int qualities[] = {85, 70, 50};
    if (p->kind != PICTURE_JPEG) {
        gd_image clear = resize(from, p, width, height, true);
        *kind = PICTURE_PNG;
        if (clear != NULL && encode(clear, PICTURE_PNG, 0, out))
            return true;
    }
    gd_image solid = resize(from, p, width, height, false);
    *kind = PICTURE_JPEG;
    if (solid == NULL || (solid = turn(solid, p->orientation)) == NULL)
        return false;
    for (size_t i = 0; i < COUNT_OF(qualities); i++)
        if (encode(solid, PICTURE_JPEG, qualities[i], out))
            return true;
    return false;
}

static int side(uint32_t length, uint32_t longest, uint32_t most)
{
    uint64_t scaled = longest > most ? (uint64_t)length * most / longest : length;
    return scaled > 0 ? (int)scaled : 1;
}

bool picture_scale(str bytes, const struct picture *p, str *out, enum picture_kind *kind)
{
    enum { SMALLEST = 196 };
    gd_image from = lib.from[p->kind]((int)bytes.n, (void *)bytes.p);
    uint32_t longest = p->width > p->height ? p->width : p->height;
    if (from == NULL)
        return false;
    for (uint32_t most = PICTURE_SIDE_MAX; most >= SMALLEST; most /= 2)
        if (encode_small(from, p, side(p->width, longest, most),
                         side(p->height, longest, most), out, kind))
            return true;
    return false;
}
