/*
 * The first byte holds the flags, the rest is the pattern. If it is accepted, its hits
 * are lines of the text in order, and searching each line by itself gives the same.
 */
#include "vault/text/regex.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const str text =
    STR("foo bar\nfoo_BAR 2024-11-03 #tag/a [[Link|alias]]\r\n\n"
        "Stra\xC3\x9F"
        "e \xC3\x89t\xC3\xA9 e\xCC\x81 \xD0\x96 \xE6\x97\xA5\n"
        "\xFF\xC3 broken \xE2\x84\n \t\xC2\xA0\nk\xE2\x84\xAA s\xC5\xBF\n"
        "aaaaaaaaaaaaaaaab\n\x00\x01\n(a+b)*c? {x} \\ ^ $ | . ,\nABCabc");

struct seen {
    uint32_t next; /* where the next hit may begin */
    const struct regex *regex;
    struct regex_scratch *scratch;
};

static bool on_hit(void *arg, const struct regex_hit *hit)
{
    struct seen *s = arg;
    uint32_t start = 0, end = 0;
    if (hit->line_start < s->next || hit->start < hit->line_start ||
        hit->end < hit->start || hit->line_end < hit->end || hit->line_end > text.n)
        BUG("a hit out of place on line %u", hit->line);
    for (; s->next < hit->line_start; s->next++) { /* lines that were skipped */
        str line = str_slice(text, s->next,
                             s->next + str_find_char(str_skip(text, s->next), '\n'));
        if (regex_find(s->regex, s->scratch, line, &start, &end))
            BUG("the line at %u was missed", s->next);
        s->next += (uint32_t)line.n;
    }
    str line = str_slice(text, hit->line_start, hit->line_end);
    if (regex_find(s->regex, s->scratch, line, &start, &end) &&
        (start + hit->line_start != hit->start || end + hit->line_start != hit->end))
        BUG("line %u matches elsewhere by itself", hit->line);
    s->next = hit->line_end + 1;
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct regex *r;
    struct err err = {0};
    if (size == 0)
        return 0;
    if (!regex_compile((str){(const char *)data + 1, size - 1}, data[0] & 3, &r, &err)) {
        if (err.code != ERR_INVALID && err.code != ERR_LIMIT)
            BUG("%s: %s", err.msg, err.detail);
        return 0;
    }
    struct regex_scratch *search = regex_scratch_create(),
                         *other = regex_scratch_create();
    struct seen seen = {.regex = r, .scratch = other};
    (void)regex_lines(r, search, text, on_hit, &seen, NULL, NULL);
    regex_scratch_free(search);
    regex_scratch_free(other);
    regex_free(r);
    return 0;
}
