#include "vault/forms/drawing.h"

#include "base/json.h"
#include "base/path.h"
#include "base/sbuf.h"
#include "base/text.h"
#include "vault/note/frontmatter.h"
#include "vault/note/note.h"

bool drawing_is(const struct frontmatter *props)
{
    return frontmatter_get(props, STR("excalidraw-plugin")) != NULL;
}

static str drawing_line(str text, size_t at)
{
    return str_trim_line(str_slice(text, at, text_line_end(text, at)));
}

/* "# Drawing" or "## Drawing". */
static bool is_drawing_heading(str line)
{
    size_t marks = 0;
    while (marks < line.n && line.p[marks] == '#')
        marks++;
    return marks > 0 && str_eq(str_skip(line, marks), STR(" Drawing"));
}

/* Whether only the end of the comment follows. */
static bool drawing_is_end(str rest)
{
    rest = str_trim_line(rest);
    return rest.n == 0 || str_eq(rest, STR("%%"));
}

/* The block below the heading that ends before next; empty if there is none. */
static str data_at(str text, size_t next)
{
    str fence = drawing_line(text, next);
    if (!str_eq(fence, STR("```compressed-json")) && !str_eq(fence, STR("```json")))
        return (str){0};
    for (size_t at = text_next_line(text, next); at < text.n;
         at = text_next_line(text, at))
        if (str_eq(drawing_line(text, at), STR("```"))) {
            size_t end = text_line_end(text, at);
            str block = text_drop_return(str_slice(text, next, end));
            return drawing_is_end(str_skip(text, end)) ? block : (str){0};
        }
    return (str){0};
}

/* at, or the line before it if that begins the comment around the data. */
static size_t with_comment(str text, size_t at)
{
    size_t before = at > 0 ? text_line_start(text, at - 1) : 0;
    return at > 0 && str_eq(drawing_line(text, before), STR("%%")) ? before : at;
}

size_t drawing_start(str text, str *data)
{
    size_t found = text.n;
    *data = (str){0};
    for (size_t at = 0; at < text.n; at = text_next_line(text, at))
        if (text.p[at] == '#' && is_drawing_heading(drawing_line(text, at)))
            found = at;
    if (found == text.n)
        return text.n;
    *data = data_at(text, text_next_line(text, found));
    return data->n > 0 ? with_comment(text, found) : text.n;
}

size_t drawing_find(struct arena *a, str note, str *data)
{
    struct note scanned;
    struct frontmatter props;
    *data = (str){0};
    note_scan(a, note, &scanned);
    if (!scanned.has_frontmatter)
        return note.n;
    frontmatter_read(a, span_of(note, scanned.frontmatter), 1, &props);
    return drawing_is(&props) ? drawing_start(note, data) : note.n;
}

/* --- in JSON --- */

bool drawing_is_json(str path)
{
    return str_eq_nocase(path_extension(path), STR("excalidraw"));
}

static void drawing_add_line(struct sbuf *out, str text)
{
    if (str_trim_line(text).n == 0)
        return;
    sbuf_add(out, text);
    sbuf_char(out, '\n');
}

/* The plugin keeps what was typed as rawText, Excalidraw as originalText; text has the line
 * breaks of its box, too. */
static str element_text(const struct json *element)
{
    static const char *const keys[] = {"rawText", "originalText", "text", "name"};
    str text = {0};
    for (size_t i = 0; i < COUNT_OF(keys) && text.n == 0; i++)
        text = json_get_str(element, str_c(keys[i]));
    return text;
}

bool drawing_texts(struct arena *a, str json, str *out, struct err *err)
{
    struct sbuf texts = SBUF_ON(a);
    const struct json *root = NULL;
    json = str_skip(json, str_starts(json, STR("\xEF\xBB\xBF")) ? 3 : 0);
    if (str_trim_line(json).n > 0 && !json_parse(a, json, &root, err))
        return false;
    const struct json *elements = root != NULL ? json_get(root, STR("elements")) : NULL;
    const struct json *e = json_is(elements, JSON_ARRAY) ? elements->child : NULL;
    for (; e != NULL; e = e->next) {
        if (json_get_true(e, STR("isDeleted")))
            continue;
        drawing_add_line(&texts, element_text(e));
        drawing_add_line(&texts, json_get_str(e, STR("link")));
    }
    *out = sbuf_str(&texts);
    return true;
}
