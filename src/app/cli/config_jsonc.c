/*
 * JSON with or without comments, edited in place. Comments and trailing commas become spaces,
 * so that base/json.h reads the rest, and every offset is one of the text.
 */
#include "app/cli/config_language.h"
#include "base/array.h"
#include "base/json_parts.h"
#include "base/json_write.h"
#include "base/text.h"

/* --- reading the text --- */

struct jsonc_comment {
    size_t from, to;
};

struct jsonc_text {
    str text;
    char *bare;   /* the same with spaces for comments and a byte order mark */
    char *strict; /* and for trailing commas: JSON */
    struct jsonc_comment *comments;
    size_t n_comments;
    const struct json *root; /* views into strict; NULL: there is nothing but spaces */
};

static size_t place_in(const struct jsonc_text *s, const struct json *j)
{
    return (size_t)(j->raw.p - s->strict);
}

/* The first byte from at on that is neither white space nor in a comment. */
static size_t jsonc_skip_spaces(const struct jsonc_text *s, size_t at)
{
    while (at < s->text.n && is_white(s->bare[at]))
        at++;
    return at;
}

/* After a string that begins at start; SIZE_MAX if it is not closed. With a control character
 * in it, the end of the text: base/json.h refuses it there. */
static size_t string_end(str text, size_t start)
{
    size_t at = start + 1;
    while (at < text.n && text.p[at] != '"' && (unsigned char)text.p[at] >= ' ')
        at += text.p[at] == '\\' && at + 1 < text.n ? 2 : 1;
    if (at >= text.n)
        return SIZE_MAX;
    return text.p[at] == '"' ? at + 1 : text.n;
}

static void fill_spaces(struct jsonc_text *s, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        if (!is_white(s->text.p[i]))
            s->bare[i] = s->strict[i] = ' ';
}

/* A line comment also ends at CR, as in the programs that read the file. */
static bool blank_comment(struct arena *a, struct jsonc_text *s, bool allowed, size_t at,
                          struct err *err)
{
    str rest = str_skip(s->text, at);
    size_t n = 0;
    if (!allowed)
        return config_wrong(err, s->text, at, "comments are not allowed in this file");
    if (str_starts(rest, STR("//"))) {
        while (n < rest.n && rest.p[n] != '\n' && rest.p[n] != '\r')
            n++;
    } else if (!str_starts(rest, STR("/*"))) {
        return config_wrong(err, s->text, at, "a comment begins with // or /*");
    } else if ((n = str_find(str_skip(rest, 2), STR("*/"))) == STR_NONE) {
        return config_wrong(err, s->text, at, "this comment is not closed");
    } else {
        n += 4;
    }
    *ARRAY_ADD(a, s->comments, s->n_comments) = (struct jsonc_comment){at, at + n};
    fill_spaces(s, at, at + n);
    return true;
}

/* Spaces for everything that JSON does not have; lenient: it may be there. */
static bool blank_extras(struct arena *a, struct jsonc_text *s, bool lenient,
                         struct err *err)
{
    size_t at = 0, last = 0; /* last: the latest byte of a token */
    char before = '{';       /* the byte of a token before that */
    if (str_starts(s->text, STR("\xEF\xBB\xBF")))
        fill_spaces(s, 0, at = 3);
    while (at < s->text.n) {
        char c = s->text.p[at];
        size_t start = at++;
        if (c == '/') {
            if (!blank_comment(a, s, lenient, start, err))
                return false;
            at = s->comments[s->n_comments - 1].to;
        } else if (!is_white(c)) {
            if (c == '"' && (at = string_end(s->text, start)) == SIZE_MAX)
                return config_wrong(err, s->text, start, "this string is not closed");
            bool extra = (c == '}' || c == ']') && s->bare[last] == ',' &&
                         strchr("{[,", before) == NULL;
            if (extra && !lenient)
                return config_wrong(err, s->text, last, "unexpected comma");
            if (extra)
                s->strict[last] = ' ';
            before = s->bare[last];
            last = at - 1;
        }
    }
    return true;
}

static char *copy_of(struct arena *a, str text)
{
    char *copy = arena_alloc(a, text.n + 1);
    if (text.n > 0)
        memcpy(copy, text.p, text.n);
    copy[text.n] = '\0';
    return copy;
}

static bool read_source(struct arena *a, str text, bool lenient, struct jsonc_text *out,
                        struct err *err)
{
    struct json_parts parts;
    *out = (struct jsonc_text){.text = text, .bare = copy_of(a, text)};
    out->strict = copy_of(a, text);
    if (!blank_extras(a, out, lenient, err))
        return false;
    if (jsonc_skip_spaces(out, 0) == text.n)
        return true;
    if (!json_parts_parse(a, (str){out->strict, text.n}, &parts, err)) {
        if (parts.expected == NULL)
            return false;
        str what = arena_printf(a, "%s is expected here", parts.expected);
        return config_wrong(err, text, parts.at, what.p);
    }
    out->root = parts.root;
    return true;
}

/* --- objects --- */

struct jsonc_member {
    const struct json *json;
    size_t key, value, end; /* where they begin; where the value ends */
    size_t comma;           /* the comma after it; SIZE_MAX: there is none */
};

struct jsonc_object {
    size_t open, close; /* its brackets */
    struct jsonc_member *members;
    size_t n;
};

static struct jsonc_object read_object(struct arena *a, const struct jsonc_text *s,
                                       const struct json *j)
{
    size_t open = place_in(s, j), at = open + 1;
    struct jsonc_object o = {.open = open, .close = open + j->raw.n - 1};
    for (const struct json *child = j->child; child != NULL; child = child->next) {
        size_t value = place_in(s, child);
        struct jsonc_member m = {child, jsonc_skip_spaces(s, at), value,
                                 value + child->raw.n, SIZE_MAX};
        at = jsonc_skip_spaces(s, m.end);
        if (s->bare[at] == ',')
            m.comma = at++;
        *ARRAY_ADD(a, o.members, o.n) = m;
    }
    return o;
}

/* The member with that name; SIZE_MAX: none. Fails if there are two. */
static bool config_jsonc_find(const struct jsonc_object *o, str key, size_t *out,
                              struct err *err)
{
    *out = SIZE_MAX;
    for (size_t i = 0; i < o->n; i++) {
        if (!str_eq(o->members[i].json->key, key))
            continue;
        if (*out != SIZE_MAX)
            return config_blocked(err, key, "occurs twice: remove one of them");
        *out = i;
    }
    return true;
}

/* How far a path exists: the innermost object on it, and the member wanted there. */
struct spot {
    struct jsonc_object in;
    size_t depth; /* keys followed to reach it */
    size_t found; /* the member, only if depth is one less than the path; or SIZE_MAX */
    bool spread;  /* members of the object are on separate lines, or would be */
};

static bool spread_out(str text, const struct jsonc_object *o, bool parent)
{
    size_t first = o->n > 0 ? o->members[0].key : o->close;
    bool line = str_find_char(str_slice(text, o->open, first), '\n') != STR_NONE;
    return line || (o->n == 0 && parent);
}

static bool locate(struct arena *a, const struct jsonc_text *s, struct config_path path,
                   struct spot *out, struct err *err)
{
    const struct json *j = s->root;
    bool spread = true;
    for (size_t i = 0;; i++) {
        if (j->type != JSON_OBJECT)
            return i == 0 ? config_wrong(err, s->text, place_in(s, j),
                                         "'{' is expected here")
                          : config_blocked(err, path.keys[i - 1], "is not an object");
        *out = (struct spot){read_object(a, s, j), i, SIZE_MAX, spread};
        out->spread = spread = spread_out(s->text, &out->in, spread);
        if (!config_jsonc_find(&out->in, path.keys[i], &out->found, err))
            return false;
        if (out->found == SIZE_MAX || i + 1 == path.n)
            return true;
        j = out->in.members[out->found].json;
    }
}

/* The value is read again, because no key may be in it twice. */
static bool config_jsonc_get(const struct config_language *l, struct arena *a, str text,
                             struct config_path path, const struct json **out,
                             struct err *err)
{
    struct jsonc_text s;
    struct spot spot;
    *out = NULL;
    if (!read_source(a, text, l->comments, &s, err))
        return false;
    const struct json *j = s.root;
    if (j != NULL && path.n > 0) {
        if (!locate(a, &s, path, &spot, err))
            return false;
        j = spot.found != SIZE_MAX ? spot.in.members[spot.found].json : NULL;
    }
    return j == NULL || json_parse(a, j->raw, out, err);
}

/* --- writing --- */

struct style {
    str eol, unit;
    bool spread;
};

static void put_break(struct sbuf *out, const struct style *st, str indent, size_t depth)
{
    sbuf_add(out, st->eol);
    sbuf_add(out, indent);
    for (size_t i = 0; i < depth; i++)
        sbuf_add(out, st->unit);
}

static void put_value(struct sbuf *out, const struct json *v, const struct style *st,
                      str indent, size_t depth);

static void config_jsonc_put_member(struct sbuf *out, str key, const struct json *v,
                                    const struct style *st, str indent, size_t depth)
{
    struct jsonw w = JSONW_ON(out);
    jsonw_str(&w, key);
    sbuf_add(out, STR(": "));
    put_value(out, v, st, indent, depth);
}

static void put_value(struct sbuf *out, const struct json *v, const struct style *st,
                      str indent, size_t depth)
{
    bool object = v->type == JSON_OBJECT, lines = object && st->spread && v->n > 0;
    if (!object && v->type != JSON_ARRAY) {
        sbuf_add(out, v->raw);
        return;
    }
    sbuf_char(out, object ? '{' : '[');
    for (const struct json *m = v->child; m != NULL; m = m->next) {
        if (lines)
            put_break(out, st, indent, depth + 1);
        if (object)
            config_jsonc_put_member(out, m->key, m, st, indent, depth + 1);
        else
            put_value(out, m, st, indent, depth);
        if (m->next != NULL)
            sbuf_add(out, lines ? STR(",") : STR(", "));
    }
    if (lines)
        put_break(out, st, indent, depth);
    sbuf_char(out, object ? '}' : ']');
}

void config_put_flat(struct sbuf *out, const struct json *v)
{
    put_value(out, v, &(struct style){0}, STR(""), 0);
}

/* The indentation of one level, taken from the first member of the file. */
static str find_unit(struct arena *a, const struct jsonc_text *s)
{
    struct jsonc_object o = read_object(a, s, s->root);
    if (o.n == 0)
        return STR("  ");
    str indent = config_indent(s->text, o.members[0].key);
    bool first = (size_t)(indent.p + indent.n - s->text.p) == o.members[0].key;
    return first && indent.n > 0 ? indent : STR("  ");
}

/* After everything on the line of at: spaces, and comments that end on it. */
static size_t after_comments(const struct jsonc_text *s, size_t at)
{
    for (size_t i = 0; i < s->n_comments; i++) {
        struct jsonc_comment c = s->comments[i];
        if (c.from < at)
            continue;
        if (jsonc_skip_spaces(s, at) < c.to ||
            str_find_char(str_slice(s->text, at, c.to), '\n') != STR_NONE)
            break;
        at = c.to;
    }
    return at;
}

/* Add the first member of an object; comments in it stay. */
static str add_first(struct arena *a, const struct jsonc_text *s,
                     const struct jsonc_object *o, str key, const struct json *value,
                     const struct style *st)
{
    struct sbuf out = SBUF_ON(a);
    size_t from = o->open + 1;
    for (size_t i = 0; i < s->n_comments; i++)
        if (s->comments[i].from >= from && s->comments[i].to <= o->close)
            from = s->comments[i].to;
    str indent = config_indent(s->text, o->open);
    if (st->spread)
        put_break(&out, st, indent, 1);
    config_jsonc_put_member(&out, key, value, st, indent, 1);
    if (st->spread)
        put_break(&out, st, indent, 0);
    return config_splice(a, s->text, from, o->close, sbuf_str(&out));
}

static str add_after(struct arena *a, const struct jsonc_text *s,
                     const struct jsonc_object *o, str key, const struct json *value,
                     const struct style *st)
{
    struct sbuf out = SBUF_ON(a);
    const struct jsonc_member *last = &o->members[o->n - 1];
    bool comma = last->comma != SIZE_MAX;
    size_t at = comma ? last->comma + 1 : last->end;
    size_t end = st->spread ? after_comments(s, at) : at;
    if (!comma)
        sbuf_char(&out, ',');
    sbuf_add(&out, str_slice(s->text, at, end));
    str indent = config_indent(s->text, last->key);
    if (st->spread)
        put_break(&out, st, indent, 0);
    else
        sbuf_char(&out, ' ');
    config_jsonc_put_member(&out, key, value, st, indent, 0);
    if (comma)
        sbuf_char(&out, ',');
    return config_splice(a, s->text, at, end, sbuf_str(&out));
}

/* Wrap value in nested objects, one for each missing key. */
static const struct json *wrap(struct arena *a, struct config_path path, size_t depth,
                               const struct json *value)
{
    for (size_t i = path.n; i-- > depth + 1;) {
        struct json *inner = ARENA_NEW(a, struct json),
                    *outer = ARENA_NEW(a, struct json);
        *inner = *value;
        inner->key = path.keys[i];
        inner->next = NULL;
        *outer = (struct json){.type = JSON_OBJECT, .n = 1, .child = inner};
        value = outer;
    }
    return value;
}

/* The object of a file that is still empty. */
static str with_root(struct arena *a, str text)
{
    struct sbuf out = SBUF_ON(a);
    sbuf_add(&out, text);
    if (text.n > 0 && str_find_char(text, '/') != STR_NONE && !str_ends(text, STR("\n")))
        sbuf_add(&out, text_line_ending(text));
    sbuf_add(&out, STR("{}"));
    sbuf_add(&out, text_line_ending(text));
    return sbuf_str(&out);
}

static bool config_jsonc_set(const struct config_language *l, struct arena *a, str text,
                             struct config_path path, const struct json *value, str *out,
                             struct err *err)
{
    struct jsonc_text s;
    struct spot spot;
    if (!read_source(a, text, l->comments, &s, err))
        return false;
    if (s.root == NULL) {
        text = with_root(a, text);
        if (!read_source(a, text, l->comments, &s, err))
            return false;
    }
    if (!locate(a, &s, path, &spot, err))
        return false;
    struct style st = {text_line_ending(text), find_unit(a, &s), spot.spread};
    str key = path.keys[spot.depth];
    const struct json *all = wrap(a, path, spot.depth, value);
    if (spot.found != SIZE_MAX) {
        const struct jsonc_member *m = &spot.in.members[spot.found];
        struct sbuf text_of = SBUF_ON(a);
        put_value(&text_of, value, &st, config_indent(text, m->key), 0);
        *out = config_splice(a, text, m->value, m->end, sbuf_str(&text_of));
    } else if (spot.in.n == 0) {
        *out = add_first(a, &s, &spot.in, key, all, &st);
    } else {
        *out = add_after(a, &s, &spot.in, key, all, &st);
    }
    return true;
}

/* --- removing --- */

/* Lines that contain nothing but [*from, *to) are removed completely. */
static void whole_lines(str text, size_t *from, size_t *to)
{
    str indent = config_indent(text, *from);
    size_t start = text_line_start(text, *from), end = *to;
    while (end < text.n && is_blank(text.p[end]))
        end++;
    bool crlf = str_starts(str_skip(text, end), STR("\r\n"));
    if (start + indent.n != *from || (end < text.n && text.p[end] != '\n' && !crlf))
        return;
    *from = start;
    *to = end + (crlf ? 2 : end < text.n);
}

static str jsonc_take_out(struct arena *a, str text, const struct jsonc_object *o,
                          size_t i)
{
    const struct jsonc_member *m = &o->members[i];
    size_t from = m->key, to = m->end;
    if (o->n == 1) {
        size_t rest = m->comma != SIZE_MAX ? m->comma + 1 : m->end;
        if (str_trim_line(str_slice(text, o->open + 1, m->key)).n == 0 &&
            str_trim_line(str_slice(text, rest, o->close)).n == 0)
            return config_splice(a, text, o->open + 1, o->close, STR(""));
    }
    str next = text;
    if (m->comma != SIZE_MAX && str_trim_line(str_slice(text, to, m->comma)).n == 0)
        to = m->comma + 1;
    else if (m->comma != SIZE_MAX)
        next = config_splice(a, text, m->comma, m->comma + 1, STR(""));
    if (i + 1 < o->n &&
        text_line_start(text, to) == text_line_start(text, o->members[i + 1].key))
        while (to < text.n && text.p[to] == ' ')
            to++;
    while (i > 0 && i + 1 == o->n && from > o->members[i - 1].comma + 1 &&
           text.p[from - 1] == ' ' && text_line_start(text, from) < o->members[i - 1].key)
        from--;
    whole_lines(next, &from, &to);
    next = config_splice(a, next, from, to, STR(""));
    if (m->comma == SIZE_MAX && i > 0)
        next = config_splice(a, next, o->members[i - 1].comma,
                             o->members[i - 1].comma + 1, STR(""));
    return next;
}

static bool config_jsonc_drop(const struct config_language *l, struct arena *a, str text,
                              struct config_path path, str *out, struct err *err)
{
    struct jsonc_text s;
    struct spot spot;
    if (!read_source(a, text, l->comments, &s, err) || !locate(a, &s, path, &spot, err))
        return false;
    *out = jsonc_take_out(a, text, &spot.in, spot.found);
    return true;
}

const struct config_language config_json = {
    .get = config_jsonc_get,
    .set = config_jsonc_set,
    .drop = config_jsonc_drop,
};
const struct config_language config_jsonc = {
    .get = config_jsonc_get,
    .set = config_jsonc_set,
    .drop = config_jsonc_drop,
    .comments = true,
};
