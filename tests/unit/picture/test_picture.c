#include "picture/picture.h"

#include "base/sbuf.h"
#include "check.h"
#include "png.h"

/* --- headers --- */

#define JPEG_START "\xff\xd8\xff\xe0\0\x04JF"
#define JPEG_FRAME "\xff\xc0\0\x11\x08\x01\x02\x03\x04"
#define EXIF_6                                                                           \
    "\xff\xe1\0\x22"                                                                     \
    "Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0"

static void test_headers(void **state)
{
    static const struct {
        const char *name;
        str bytes;
        bool ok;
        struct picture want;
    } cases[] = {
        {"PNG",
         STR("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x01\0\0\0\0\x02"),
         true,
         {PICTURE_PNG, 256, 2, 1}},
        {"GIF", STR("GIF89a\x02\x01\x03\0"), true, {PICTURE_GIF, 258, 3, 1}},
        {"JPEG", STR(JPEG_START JPEG_FRAME), true, {PICTURE_JPEG, 0x304, 0x102, 1}},
        {"turned",
         STR(JPEG_START EXIF_6 JPEG_FRAME),
         true,
         {PICTURE_JPEG, 0x304, 0x102, 6}},
        {"padded",
         STR("\xff\xd8\xff\xff" JPEG_FRAME),
         true,
         {PICTURE_JPEG, 0x304, 0x102, 1}},
        {"WebP",
         STR("RIFF....WEBPVP8X....\0\0\0\0\x0f\0\0\x1f\0\0"),
         true,
         {PICTURE_WEBP, 16, 32, 1}},
        {"lossy",
         STR("RIFF....WEBPVP8 ....\0\0\0\0\0\0\x10\0\x20\0"),
         true,
         {PICTURE_WEBP, 16, 32, 1}},
        {"lossless",
         STR("RIFF....WEBPVP8L....\x2f\x0f\xc0\x07\0"),
         true,
         {PICTURE_WEBP, 16, 32, 1}},
        {"no size", STR("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\0\0\0\0\0"), false, {0}},
        {"cut", STR("\x89PNG\r\n\x1a\n"), false, {0}},
        {"a loop", STR("\xff\xd8\xff\xe0\0\0"), false, {0}},
        {"text", STR("# A note"), false, {0}},
        {"nothing", STR(""), false, {0}},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct picture p;
        CHECK_INT(cases[i].name, picture_read(cases[i].bytes, &p), cases[i].ok);
        if (!cases[i].ok)
            continue;
        CHECK_INT(cases[i].name, p.kind, cases[i].want.kind);
        CHECK_INT(cases[i].name, p.width, cases[i].want.width);
        CHECK_INT(cases[i].name, p.height, cases[i].want.height);
        CHECK_INT(cases[i].name, p.orientation, cases[i].want.orientation);
    }
}

/* --- copies --- */

static void test_copy(void **state)
{
    static const struct {
        const char *name;
        uint32_t width, height;
        bool noise;
        enum picture_kind kind;
        uint32_t copy_width, copy_height; /* 0: whatever fits */
    } cases[] = {
        {"wide", 2000, 10, false, PICTURE_PNG, 1568, 7},
        {"high", 1, 3136, false, PICTURE_PNG, 1, 1568},
        {"many bytes", 1000, 1000, true, PICTURE_JPEG, 1000, 1000},
    };
    if (!png_has_gd())
        SKIP("libgd is not installed");
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        str bytes = png_make(*state, cases[i].width, cases[i].height, cases[i].noise),
            copy;
        struct picture p;
        enum picture_kind kind;
        struct err err = {0};
        CHECK(cases[i].name, picture_read(bytes, &p) && !picture_fits(&p, bytes.n));
        if (!picture_copy(*state, bytes, &p, &copy, &kind, &err))
            fail_msg("%s: %s", cases[i].name, err.msg);
        CHECK_INT(cases[i].name, kind, cases[i].kind);
        CHECK(cases[i].name, picture_read(copy, &p) && picture_fits(&p, copy.n));
        CHECK_INT(cases[i].name, p.width, cases[i].copy_width);
        CHECK_INT(cases[i].name, p.height, cases[i].copy_height);
    }
}

/* Hostile ones end only their own process, or are not decoded at all. */
static void test_refused(void **state)
{
    if (!png_has_gd())
        SKIP("libgd is not installed");
    str bytes = png_make(*state, 2000, 10, false), copy;
    struct picture p;
    enum picture_kind kind;
    struct err err = {0};
    str cut = str_slice(bytes, 0, 200);
    CHECK("read", picture_read(cut, &p));
    CHECK("cut", !picture_copy(*state, cut, &p, &copy, &kind, &err));
    CHECK_INT("cut", err.name, E_NOT_TEXT);
    struct picture huge = {PICTURE_PNG, 100000, 100000, 1};
    CHECK("huge", !picture_copy(*state, bytes, &huge, &copy, &kind, &err));
    CHECK_INT("huge", err.name, E_FILE_TOO_LARGE);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_headers),
        ARENA_TEST(test_copy),
        ARENA_TEST(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
