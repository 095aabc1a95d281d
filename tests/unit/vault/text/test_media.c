#include "vault/text/media.h"

#include "check.h"

static void test_by_name(void **state)
{
    static const struct {
        const char *path, *want;
    } cases[] = {
        {"a/Note.MD", "text/markdown"}, {"x.jpeg", "image/jpeg"},
        {"Song.mp3", "audio/mpeg"},     {"none", MEDIA_UNKNOWN},
        {"x.docx", MEDIA_UNKNOWN},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_STR(cases[i].path, media_type(str_c(cases[i].path)), cases[i].want);
}

static void test_by_bytes(void **state)
{
    static const struct {
        str bytes;
        const char *want;
    } cases[] = {
        {STR("\x89PNG\r\n\x1a\nrest"), "image/png"},
        {STR("\xff\xd8\xff\xe0"), "image/jpeg"},
        {STR("GIF89a"), "image/gif"},
        {STR("RIFF....WEBPVP8 "), "image/webp"},
        {STR("RIFF....WAVEfmt "), "audio/wav"},
        {STR("%PDF-1.7"), "application/pdf"},
        {STR("....ftypM4A "), "video/mp4"},
        {STR("....ftypavif"), "image/avif"},
        {STR("ID3\x04"), "audio/mpeg"},
        {STR("# A note"), ""},
        {STR(""), ""},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_STR(cases[i].want, media_of_bytes(cases[i].bytes), cases[i].want);
}

static void test_kinds(void **state)
{
    CHECK("image", media_is(STR("image/png"), STR("image")));
    CHECK("audio", !media_is(STR("image/png"), STR("audio")));
    CHECK("part of a word", !media_is(STR("imagery/x"), STR("image")));
    CHECK("svg", media_is_text(STR("image/svg+xml")));
    CHECK("png", !media_is_text(STR("image/png")));
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_by_name),
        ARENA_TEST(test_by_bytes),
        ARENA_TEST(test_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
