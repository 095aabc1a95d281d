#include "vault/note/template.h"

#include "base/sbuf.h"
#include "vault/note/frontmatter.h"
#include "vault/note/frontmatter_edit.h"
#include "vault/note/note.h"
#include "vault/note/prop.h"
#include "vault/text/moment.h"

enum { VARIABLE_MAX = 250 }; /* bytes between the braces */

/* --- variables --- */

/* Write the value of the variable between the braces; false if it is not a variable. */
static bool add_variable(struct sbuf *out, str inner, const struct template_values *v)
{
    size_t colon = str_find_char(inner, ':');
    str name = str_trim(str_slice(inner, 0, colon));
    str format = str_trim(str_skip(inner, colon == STR_NONE ? inner.n : colon + 1));
    bool date = str_eq_nocase(name, STR("date")), time = str_eq_nocase(name, STR("time"));
    if (str_eq_nocase(name, STR("title")) && colon == STR_NONE) {
        sbuf_add(out, v->title);
        return true;
    }
    if (!date && !time)
        return false;
    if (format.n == 0)
        format = date ? v->date_format : v->time_format;
    sbuf_add(out, moment_format(out->arena, &v->now, format));
    return true;
}

str template_expand(struct arena *a, str text, const struct template_values *values)
{
    struct sbuf out = SBUF_ON(a);
    str rest = text, line;
    for (size_t open; (open = str_find(rest, STR("{{"))) != STR_NONE;) {
        sbuf_add(&out, str_slice(rest, 0, open));
        rest = str_skip(rest, open);
        str after = str_skip(rest, 2), few = str_slice(after, 0, VARIABLE_MAX + 2);
        (void)str_next(&few, '\n', &line);
        size_t close = str_find(line, STR("}}"));
        bool filled =
            close != STR_NONE && add_variable(&out, str_slice(after, 0, close), values);
        if (!filled)
            sbuf_char(&out, '{'); /* "{{{date}}" contains a variable, too */
        rest = filled ? str_skip(after, close + 2) : str_skip(rest, 1);
    }
    sbuf_add(&out, rest);
    return sbuf_str(&out);
}

/* --- properties --- */

static bool is_list_key(str key)
{
    return str_eq_nocase(key, STR("tags")) || str_eq_nocase(key, STR("aliases")) ||
           str_eq_nocase(key, STR("cssclasses"));
}

/* The edit for a property of the template; false if the note keeps its own value. */
static bool make_edit(const struct frontmatter *note, const struct prop *from,
                      struct frontmatter_edit *out)
{
    const struct prop *there = frontmatter_get(note, from->key);
    *out = (struct frontmatter_edit){FRONTMATTER_SET, from->key, from, {0}};
    if (prop_is_empty(there))
        return there == NULL || !prop_is_empty(from);
    out->op = FRONTMATTER_ADD;
    return there->type != PROP_MAP && from->type != PROP_MAP &&
           (there->type == PROP_LIST || is_list_key(from->key));
}

static bool read_properties(struct arena *a, const char *whose, str text,
                            struct frontmatter *out, str *body, struct err *err)
{
    struct note note;
    struct arena scratch = {0};
    note_scan(&scratch, text, &note);
    *body = str_skip(text, note.body);
    frontmatter_read(a, span_of(text, note.frontmatter), 2, out);
    arena_release(&scratch);
    if (out->broken)
        return err_caused(err, &out->why, E_BROKEN_FRONTMATTER, "%s, %s", whose,
                          out->why.msg);
    return true;
}

bool template_merge(struct arena *a, str note, str expanded, struct template_merged *out,
                    struct err *err)
{
    struct frontmatter own, from;
    struct frontmatter_edited edited;
    str own_body, body;
    if (!read_properties(a, "the note", note, &own, &own_body, err) ||
        !read_properties(a, "the template", expanded, &from, &body, err))
        return false;
    struct frontmatter_edit *edits =
        ARENA_ARRAY(a, struct frontmatter_edit, from.props->n + 1);
    size_t n = 0;
    for (const struct prop *p = from.props->child; p != NULL; p = p->next)
        n += make_edit(&own, p, &edits[n]);
    if (!frontmatter_edit(a, note, edits, n, &edited, err))
        return false;
    *out = (struct template_merged){.text = edited.text, .body = body};
    return true;
}
