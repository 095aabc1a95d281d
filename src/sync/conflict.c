#include "sync/conflict.h"

#include "base/clock.h"
#include "base/path.h"
#include "base/sbuf.h"
#include "base/utf8.h"

enum { AUTHOR_MAX = 40, SHORT_ID = 10, STEM_MAX = 150 };

/* Only characters that every file system and every link accepts. */
static str author_for_name(struct arena *a, str author)
{
    struct sbuf b = SBUF_ON(a);
    if (!utf8_valid(author))
        return STR("someone");
    for (size_t n; author.n > 0; author = str_skip(author, n)) {
        uint32_t c = utf8_decode(author, &n);
        bool fine = utf8_is_word(c) || c == ' ' || c == '-' || c == '.' || c == '_';
        if (fine && b.n + n <= AUTHOR_MAX)
            sbuf_add(&b, str_slice(author, 0, n));
    }
    str out = str_trim(sbuf_str(&b));
    return out.n > 0 ? out : STR("someone");
}

static str day(int64_t when, char out[CLOCK_ISO_SIZE])
{
    return str_slice(clock_iso(when, out), 0, 10);
}

str conflict_path(struct arena *a, const struct conflict *c, unsigned number)
{
    char iso[CLOCK_ISO_SIZE];
    str name = path_name(c->path), ending = path_extension(c->path);
    size_t end = ending.n > 0 ? ending.n + 1 : 0;
    str stem = utf8_cut(str_slice(name, 0, name.n - end), STEM_MAX);
    str counted = number > 1 ? arena_printf(a, " %u", number) : (str){0};
    str full = arena_printf(
        a, STR_FMT " (conflict " STR_FMT " from " STR_FMT STR_FMT ")" STR_FMT,
        STR_ARG(stem), STR_ARG(day(c->when, iso)), STR_ARG(author_for_name(a, c->author)),
        STR_ARG(counted), STR_ARG(str_skip(name, name.n - end)));
    return path_join(a, path_folder(c->path), full);
}

#define CALLOUT "> [!warning] Conflict with [["

/* After the properties, if there are any. */
size_t conflict_body(str text)
{
    if (!str_starts(text, STR("---\n")) && !str_starts(text, STR("---\r\n")))
        return 0;
    str rest = text, line;
    str_next(&rest, '\n', &line);
    while (str_next(&rest, '\n', &line))
        if (str_eq(str_trim_line(line), STR("---")))
            return rest.n > 0 ? (size_t)(rest.p - text.p) : text.n;
    return 0;
}

str conflict_text(struct arena *a, const struct conflict *c, str theirs)
{
    char iso[CLOCK_ISO_SIZE];
    if (!str_eq_nocase(path_extension(c->path), STR("md")))
        return theirs;
    struct sbuf b = SBUF_ON(a);
    size_t start = conflict_body(theirs);
    str name = path_name(c->path);
    sbuf_add(&b, str_slice(theirs, 0, start));
    if (start > 0 && theirs.p[start - 1] != '\n')
        sbuf_char(&b, '\n');
    sbuf_printf(
        &b,
        CALLOUT STR_FMT "]]\n"
                        "> " STR_FMT " changed the same lines elsewhere (" STR_FMT
                        ", commit " STR_FMT
                        "). This is that version; the note has the other one. Copy what "
                        "you need, then delete this note.\n\n",
        STR_ARG(str_slice(name, 0, name.n - 3)), STR_ARG(author_for_name(a, c->author)),
        STR_ARG(day(c->when, iso)), STR_ARG(str_slice(c->commit, 0, SHORT_ID)));
    sbuf_add(&b, str_skip(theirs, start));
    return sbuf_str(&b);
}

str conflict_original(struct arena *a, str text)
{
    size_t start = conflict_body(text);
    str rest = str_skip(text, start), line;
    if (!str_starts(rest, STR(CALLOUT)))
        return text;
    while (str_starts(rest, STR("> ")))
        (void)str_next(&rest, '\n', &line);
    if (str_starts(rest, STR("\n")))
        rest = str_skip(rest, 1);
    return arena_printf(a, STR_FMT STR_FMT, STR_ARG(str_slice(text, 0, start)),
                        STR_ARG(rest));
}
