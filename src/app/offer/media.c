#include "app/offer/media.h"

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
    return STR("application/octet-stream");
}

bool media_is_text(str type)
{
    return str_starts(type, STR("text/")) || str_eq(type, STR("image/svg+xml")) ||
           str_ends(type, STR("/json")) || str_ends(type, STR("/yaml")) ||
           str_ends(type, STR("/xml"));
}
