#include "vault/valid.h"

#include "base/path.h"
#include "base/text.h"
#include "base/utf8.h"
#include "vault/eval/base.h"
#include "vault/forms/base_file.h"
#include "vault/forms/base_source.h"
#include "vault/forms/canvas.h"
#include "vault/forms/code_block.h"
#include "vault/note/frontmatter.h"
#include "vault/note/note.h"
#include "vault/note/prop.h"
#include "vault/text/media.h"

static str valid_without_bom(str text)
{
    return str_skip(text, str_starts(text, STR("\xEF\xBB\xBF")) ? 3 : 0);
}

static enum valid_problem fail_at(enum valid_problem problem, size_t line,
                                  const char *what, struct err *err)
{
    err_named(err, E_INVALID_CONTENT, "line %zu: %s", line, what);
    return problem;
}

static enum valid_problem caused(enum valid_problem problem, const struct err *why,
                                 struct err *err)
{
    err_named(err, E_INVALID_CONTENT, "%s", why->msg);
    return problem;
}

/* --- notes --- */

static enum valid_problem check_bytes(str text, struct err *err)
{
    size_t valid = utf8_valid_prefix(text), zero = str_find_char(text, '\0');
    size_t at = zero < valid ? zero : valid;
    if (at >= text.n)
        return VALID;
    return fail_at(VALID_NOT_TEXT, text_count_ends(text, 0, at) + 1,
                   "a note is UTF-8 text without zero bytes", err);
}

/* Whether a line begins as a property does: "key:" and then a space or nothing. */
static bool is_property(str line)
{
    size_t colon = str_find_char(line, ':');
    if (colon == STR_NONE || colon == 0 || is_space(line.p[0]))
        return false;
    return colon + 1 == line.n || is_space(line.p[colon + 1]);
}

static bool valid_is_fence(str line)
{
    return str_eq(str_trim_line(line), STR("---"));
}

/* The first lines are "---" and a property, and there is no second "---". */
static bool is_unclosed(str text)
{
    str fence, first;
    text_take_line(&text, &fence);
    return valid_is_fence(fence) && text_take_line(&text, &first) && is_property(first);
}

/* The body begins with another block of properties. */
static bool is_twice(struct arena *a, str body, size_t *line)
{
    struct note second;
    struct frontmatter props;
    str rest = body, first = {0};
    size_t start = 0;
    for (*line = 0; text_take_line(&rest, &first) && str_trim_line(first).n == 0; ++*line)
        start = body.n - rest.n;
    if (!valid_is_fence(first))
        return false;
    note_scan(a, str_skip(body, start), &second);
    if (!second.has_frontmatter)
        return false;
    frontmatter_read(a, span_of(second.text, second.frontmatter), 1, &props);
    return !props.broken && props.props->n > 0;
}

static enum valid_problem check_properties(struct arena *a, const struct note *note,
                                           struct err *err)
{
    enum { FIRST_LINE = 2 };
    str text = note->text;
    struct frontmatter props;
    size_t line;
    if (!note->has_frontmatter)
        return is_unclosed(valid_without_bom(text))
                   ? fail_at(VALID_UNCLOSED, 1, "the properties have no closing ---", err)
                   : VALID;
    frontmatter_read(a, span_of(text, note->frontmatter), FIRST_LINE, &props);
    if (props.broken)
        return caused(VALID_YAML, &props.why, err);
    if (!is_twice(a, str_skip(text, note->body), &line))
        return VALID;
    return fail_at(VALID_TWICE, text_count_ends(text, 0, note->body) + line + 1,
                   "the note already has properties above: merge both blocks into one",
                   err);
}

/* --- bases --- */

/* A base above a limit is not checked. */
static enum valid_problem check_base(struct arena *a, const struct base_source *source,
                                     struct err *err)
{
    struct base base;
    struct err why;
    if ((base_read(a, source, &base, &why) && base_check(a, &base, &why)) ||
        why.code == ERR_LIMIT)
        return VALID;
    return caused(VALID_BASE, &why, err);
}

static enum valid_problem check_base_file(struct arena *a, str text, struct err *err)
{
    struct base_source source;
    base_source_of_file(a, text, &source);
    return check_base(a, &source, err);
}

static enum valid_problem check_base_blocks(struct arena *a, const struct note *n,
                                            struct err *err)
{
    enum valid_problem problem = VALID;
    struct base_source source;
    struct span block;
    for (uint32_t i = 0;
         problem == VALID && code_block_next(n, STR("base"), &i, &block);) {
        base_source_of_block(a, n, block, &source);
        problem = check_base(a, &source, err);
    }
    return problem;
}

/* Notes with neither properties nor a base need no scan. */
static enum valid_problem check_note(struct arena *a, str text, struct err *err)
{
    struct note note;
    enum valid_problem problem = check_bytes(text, err);
    bool properties = str_starts(valid_without_bom(text), STR("---"));
    bool base = str_find(text, STR("base")) != STR_NONE;
    if (problem != VALID || (!properties && !base))
        return problem;
    note_scan(a, text, &note);
    if (properties)
        problem = check_properties(a, &note, err);
    return problem == VALID && base ? check_base_blocks(a, &note, err) : problem;
}

/* --- canvases --- */

static enum valid_problem check_canvas(struct arena *a, str text, struct err *err)
{
    if (!canvas_check(a, text, err))
        return VALID_CANVAS;
    return canvas_check_ends(a, text, err) ? VALID : VALID_CANVAS_ENDS;
}

/* --- attachments --- */

static bool is_plain_text(str bytes)
{
    return utf8_valid(bytes) && str_find_char(bytes, '\0') == STR_NONE;
}

static enum valid_problem check_media(str path, str bytes, struct err *err)
{
    str type = media_type(path), found = media_of_bytes(bytes);
    if (media_is_text(type) || str_eq(type, STR(MEDIA_UNKNOWN)))
        return VALID;
    bool fits = media_is(type, STR("image")) ? str_eq(found, type)
                                             : found.n > 0 || !is_plain_text(bytes);
    if (fits)
        return VALID;
    err_named(err, E_INVALID_CONTENT,
              "line 1: the content is not " STR_FMT ", but %s" STR_FMT, STR_ARG(type),
              found.n > 0            ? ""
              : is_plain_text(bytes) ? "text"
                                     : "something else",
              STR_ARG(found));
    return VALID_MEDIA;
}

enum valid_problem valid_check(struct arena *a, str path, str text, struct err *err)
{
    str extension = path_extension(path);
    if (str_eq_nocase(extension, STR("md")))
        return check_note(a, text, err);
    if (str_eq_nocase(extension, STR("canvas")))
        return check_canvas(a, text, err);
    if (str_eq_nocase(extension, STR("base")))
        return check_base_file(a, text, err);
    return check_media(path, text, err);
}
