#include "vault/text/media.h"

#include "base/path.h"

static const struct {
    const char *extension, *type;
} types[] = {
    {"md", "text/markdown"},      {"canvas", "application/json"},
    {"base", "application/yaml"}, {"txt", "text/plain"},
    {"csv", "text/csv"},          {"tsv", "text/tab-separated-values"},
    {"json", "application/json"}, {"yaml", "application/yaml"},
    {"yml", "application/yaml"},  {"xml", "application/xml"},
    {"html", "text/html"},        {"css", "text/css"},
    {"svg", "image/svg+xml"},     {"png", "image/png"},
    {"jpg", "image/jpeg"},        {"jpeg", "image/jpeg"},
    {"gif", "image/gif"},         {"webp", "image/webp"},
    {"avif", "image/avif"},       {"bmp", "image/bmp"},
    {"pdf", "application/pdf"},   {"mp3", "audio/mpeg"},
    {"wav", "audio/wav"},         {"m4a", "audio/mp4"},
    {"ogg", "audio/ogg"},         {"flac", "audio/flac"},
    {"mp4", "video/mp4"},         {"webm", "video/webm"},
};

str media_type(str path)
{
    str extension = path_extension(path);
    for (size_t i = 0; i < COUNT_OF(types); i++)
        if (str_eq_nocase(extension, str_c(types[i].extension)))
            return str_c(types[i].type);
    return STR(MEDIA_UNKNOWN);
}

str media_of_bytes(str bytes)
{
    static const struct {
        str magic;
        size_t at; /* bytes before the magic */
        const char *type;
    } kinds[] = {
        {STR("\x89PNG\r\n\x1a\n"), 0, "image/png"},
        {STR("\xff\xd8\xff"), 0, "image/jpeg"},
        {STR("GIF8"), 0, "image/gif"},
        {STR("WEBP"), 8, "image/webp"},
        {STR("ftypavif"), 4, "image/avif"},
        {STR("BM"), 0, "image/bmp"},
        {STR("%PDF-"), 0, "application/pdf"},
        {STR("ID3"), 0, "audio/mpeg"},
        {STR("\xff\xfb"), 0, "audio/mpeg"},
        {STR("\xff\xf3"), 0, "audio/mpeg"},
        {STR("\xff\xf2"), 0, "audio/mpeg"},
        {STR("WAVE"), 8, "audio/wav"},
        {STR("OggS"), 0, "audio/ogg"},
        {STR("fLaC"), 0, "audio/flac"},
        {STR("ftyp"), 4, "video/mp4"},
        {STR("\x1a\x45\xdf\xa3"), 0, "video/webm"},
    };
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        if (str_starts(str_skip(bytes, kinds[i].at), kinds[i].magic))
            return str_c(kinds[i].type);
    return STR("");
}

bool media_is_text(str type)
{
    return str_starts(type, STR("text/")) || str_eq(type, STR("image/svg+xml")) ||
           str_ends(type, STR("/json")) || str_ends(type, STR("/yaml")) ||
           str_ends(type, STR("/xml"));
}

bool media_is(str type, str kind)
{
    return str_starts(type, kind) && str_starts(str_skip(type, kind.n), STR("/"));
}
