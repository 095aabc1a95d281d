/*
 * JSON with or without comments, edited in place. There is no tree: the text is checked
 * once, then scanned again for each query, one object at a time.
 */
#include "app/cli/config_language.h"
#include "base/array.h"
#include "base/json_write.h"
#include "base/text.h"

struct scan {
    str text;
    size_t at;
    bool comments; /* and trailing commas */
    const char *wrong;
};

/* --- checking, which is also skipping --- */

static bool config_jsonc_fail(struct scan *s, const char *what)
{
    s->wrong = what;
    return false;
}

static char peek(const struct scan *s)
{
    return s->at < s->text.n ? s->text.p[s->at] : '\0';
}

static bool config_jsonc_take(struct scan *s, char c)
{
    bool there = peek(s) == c && s->at < s->text.n;
    s->at += there;
    return there;
}

static bool skip_comment(struct scan *s)
{
    str rest = str_skip(s->text, s->at);
    bool line = str_starts(rest, STR("//"));
    if (!s->comments)
        return config_jsonc_fail(s, "comments are not allowed in this file");
    if (!line && !str_starts(rest, STR("/*")))
        return config_jsonc_fail(s, "a comment begins with // or /*");
    if (line) { /* also ends at CR, as in the programs that read the file */
        while (s->at < s->text.n && peek(s) != '\n' && peek(s) != '\r')
            s->at++;
        return true;
    }
    size_t end = str_find(str_skip(rest, 2), STR("*/"));
    if (end == STR_NONE)
        return config_jsonc_fail(s, "this comment is not closed");
    s->at += end + 4;
    return true;
}

static bool skip_blanks(struct scan *s)
{
    for (;;) {
        while (s->at < s->text.n && is_white(peek(s)))
            s->at++;
        if (peek(s) != '/')
            return true;
        if (!skip_comment(s))
            return false;
    }
}

static bool skip_string(struct scan *s)
{
    static const char escapes[] = "\"\\/bfnrt";
    size_t start = s->at++;
    for (; s->at < s->text.n && peek(s) != '"'; s->at++) {
        if ((unsigned char)peek(s) < 0x20)
            return config_jsonc_fail(s, "a string cannot contain a control character");
        if (peek(s) != '\\')
            continue;
        s->at++;
        if (peek(s) == 'u') {
            for (int i = 0; i < 4; i++) {
                s->at++;
                if (s->at >= s->text.n ||
                    strchr("0123456789abcdefABCDEF", peek(s)) == NULL)
                    return config_jsonc_fail(s, "\\u takes four hexadecimal digits");
            }
        } else if (s->at >= s->text.n || strchr(escapes, peek(s)) == NULL) {
            return config_jsonc_fail(s, "this character cannot be escaped");
        }
    }
    if (s->at >= s->text.n) {
        s->at = start;
        return config_jsonc_fail(s, "this string is not closed");
    }
    s->at++;
    return true;
}

static bool skip_digits(struct scan *s)
{
    size_t start = s->at;
    while (peek(s) >= '0' && peek(s) <= '9')
        s->at++;
    return s->at > start || config_jsonc_fail(s, "a value is expected here");
}

static bool skip_number(struct scan *s)
{
    (void)config_jsonc_take(s, '-');
    if (!config_jsonc_take(s, '0') && !skip_digits(s))
        return false;
    if (config_jsonc_take(s, '.') && !skip_digits(s))
        return false;
    if (!config_jsonc_take(s, 'e') && !config_jsonc_take(s, 'E'))
        return true;
    if (!config_jsonc_take(s, '-'))
        (void)config_jsonc_take(s, '+');
    return skip_digits(s);
}

static bool skip_word(struct scan *s)
{
    static const char *const words[] = {"true", "false", "null"};
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        if (str_starts(str_skip(s->text, s->at), str_c(words[i]))) {
            s->at += strlen(words[i]);
            return true;
        }
    }
    return skip_number(s);
}

static bool skip_value(struct scan *s, unsigned depth);

static bool skip_key(struct scan *s)
{
    if (peek(s) != '"')
        return config_jsonc_fail(s, "a key in quotes is expected here");
    return skip_string(s) && skip_blanks(s) &&
           (config_jsonc_take(s, ':') || config_jsonc_fail(s, "':' is expected here")) &&
           skip_blanks(s);
}

/* From after the opening bracket to the closing one. */
static bool skip_items(struct scan *s, char close, unsigned depth)
{
    if (!skip_blanks(s))
        return false;
    while (!config_jsonc_take(s, close)) {
        if ((close == '}' && !skip_key(s)) || !skip_value(s, depth) || !skip_blanks(s))
            return false;
        size_t comma = s->at;
        if (!config_jsonc_take(s, ',')) {
            if (peek(s) != close)
                return config_jsonc_fail(s, close == '}' ? "',' or '}' is expected here"
                                                         : "',' or ']' is expected here");
            continue;
        }
        if (!skip_blanks(s))
            return false;
        if (peek(s) == close && !s->comments) {
            s->at = comma;
            return config_jsonc_fail(s, "unexpected comma");
        }
    }
    return true;
}

static bool skip_value(struct scan *s, unsigned depth)
{
    if (depth == 0)
        return config_jsonc_fail(s, "too many nested brackets");
    if (config_jsonc_take(s, '{'))
        return skip_items(s, '}', depth - 1);
    if (config_jsonc_take(s, '['))
        return skip_items(s, ']', depth - 1);
    return peek(s) == '"' ? skip_string(s) : skip_word(s);
}

/* Where the only value of the text begins; SIZE_MAX if it has none. */
static bool check(str text, bool comments, size_t *start, struct err *err)
{
    struct scan s = {.text = text, .comments = comments};
    if (str_starts(text, STR("\xEF\xBB\xBF")))
        s.at = 3;
    bool ok = skip_blanks(&s);
    *start = s.at < text.n ? s.at : SIZE_MAX;
    if (ok && s.at < text.n) {
        ok = skip_value(&s, CONFIG_MAX_DEPTH) && skip_blanks(&s);
        if (ok && s.at < text.n)
            ok = config_jsonc_fail(&s, "unexpected text after the end");
    }
    return ok || config_wrong(err, text, s.at, s.wrong);
}

/* --- objects --- */

struct member {
    size_t key, value, end; /* where they begin; where the value ends */
    size_t comma;           /* the comma after it; SIZE_MAX: there is none */
};

struct object {
    size_t open, close; /* its brackets */
    struct member *members;
    size_t n;
};

/* The text has already been checked, so nothing here can fail. */
static struct object read_object(struct arena *a, struct scan *s, size_t open)
{
    struct object o = {.open = open};
    s->at = open + 1;
    (void)skip_blanks(s);
    while (peek(s) != '}') {
        struct member m = {.key = s->at, .comma = SIZE_MAX};
        (void)skip_key(s);
        m.value = s->at;
        (void)skip_value(s, CONFIG_MAX_DEPTH);
        m.end = s->at;
        (void)skip_blanks(s);
        if (peek(s) == ',')
            m.comma = s->at++;
        (void)skip_blanks(s);
        *ARRAY_ADD(a, o.members, o.n) = m;
    }
    o.close = s->at;
    return o;
}

static bool is_key(struct arena *a, struct scan *s, const struct member *m, str key)
{
    struct err ignored;
    const struct json *j;
    s->at = m->key;
    (void)skip_string(s);
    return json_parse(a, str_slice(s->text, m->key, s->at), &j, &ignored) &&
           str_eq(j->text, key);
}

/* The member with that name; SIZE_MAX: none. Fails if there are two. */
static bool config_jsonc_find(struct arena *a, struct scan *s, const struct object *o,
                              str key, size_t *out, struct err *err)
{
    *out = SIZE_MAX;
    for (size_t i = 0; i < o->n; i++) {
        if (!is_key(a, s, &o->members[i], key))
            continue;
        if (*out != SIZE_MAX)
            return config_blocked(err, key, "occurs twice: remove one of them");
        *out = i;
    }
    return true;
}

/* How far a path exists: the innermost object on it, and the member wanted there. */
struct spot {
    struct object in;
    size_t depth; /* keys followed to reach it */
    size_t found; /* the member, only if depth is one less than the path; or SIZE_MAX */
    bool spread;  /* members of the object are on separate lines, or would be */
};

static bool spread_out(str text, const struct object *o, bool parent)
{
    size_t first = o->n > 0 ? o->members[0].key : o->close;
    bool line = str_find_char(str_slice(text, o->open, first), '\n') != STR_NONE;
    return line || (o->n == 0 && parent);
}

static bool locate(struct arena *a, struct scan *s, size_t root, struct config_path path,
                   struct spot *out, struct err *err)
{
    size_t open = root;
    bool spread = true;
    for (size_t i = 0;; i++) {
        if (s->text.p[open] != '{')
            return i == 0 ? config_wrong(err, s->text, open, "'{' is expected here")
                          : config_blocked(err, path.keys[i - 1], "is not an object");
        *out = (struct spot){read_object(a, s, open), i, SIZE_MAX, spread};
        out->spread = spread = spread_out(s->text, &out->in, spread);
        if (!config_jsonc_find(a, s, &out->in, path.keys[i], &out->found, err))
            return false;
        if (out->found == SIZE_MAX || i + 1 == path.n)
            return true;
        open = out->in.members[out->found].value;
    }
}

/* --- reading --- */

/* A checked value without comments and trailing commas, for json_parse(). */
static str plain(struct arena *a, struct scan *s, size_t from, size_t to)
{
    struct sbuf out = SBUF_ON(a);
    s->at = from;
    while (s->at < to) {
        size_t start = s->at;
        (void)skip_blanks(s);
        if (s->at > start)
            continue;
        if (peek(s) == '"') {
            (void)skip_string(s);
        } else if (peek(s) == ',') {
            s->at++;
            (void)skip_blanks(s);
            if (peek(s) != '}' && peek(s) != ']')
                sbuf_char(&out, ',');
            continue;
        } else {
            s->at++;
        }
        sbuf_add(&out, str_slice(s->text, start, s->at));
    }
    return sbuf_str(&out);
}

static bool config_jsonc_get(const struct config_language *l, struct arena *a, str text,
                             struct config_path path, const struct json **out,
                             struct err *err)
{
    struct scan s = {.text = text, .comments = l->comments};
    size_t root, from, to = text.n;
    struct spot spot;
    *out = NULL;
    if (!check(text, l->comments, &root, err))
        return false;
    from = root;
    if (root == SIZE_MAX)
        return true;
    if (path.n > 0) {
        if (!locate(a, &s, root, path, &spot, err))
            return false;
        if (spot.found == SIZE_MAX)
            return true;
        from = spot.in.members[spot.found].value;
        to = spot.in.members[spot.found].end;
    }
    return json_parse(a, plain(a, &s, from, to), out, err);
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
static str find_unit(struct arena *a, struct scan *s, size_t root)
{
    struct object o = read_object(a, s, root);
    if (o.n == 0)
        return STR("  ");
    str indent = config_indent(s->text, o.members[0].key);
    bool first = (size_t)(indent.p + indent.n - s->text.p) == o.members[0].key;
    return first && indent.n > 0 ? indent : STR("  ");
}

/* After everything on the line of at: spaces, and comments that end on it. */
static size_t after_comments(struct scan *s, size_t at)
{
    size_t end = at;
    for (s->at = at; s->at < s->text.n;) {
        char c = peek(s);
        if (is_blank(c)) {
            s->at++;
            continue;
        }
        size_t start = s->at;
        if (c != '/' || !skip_comment(s) ||
            str_find_char(str_slice(s->text, start, s->at), '\n') != STR_NONE)
            break;
        end = s->at;
    }
    return end;
}

/* Add the first member of an object. */
static str add_first(struct arena *a, struct scan *s, const struct object *o, str key,
                     const struct json *value, const struct style *st)
{
    struct sbuf out = SBUF_ON(a);
    size_t from = o->open + 1, next = from;
    s->at = from;
    while (next < o->close) { /* comments stay */
        if (is_white(s->text.p[next])) {
            next++;
            continue;
        }
        s->at = next;
        (void)skip_comment(s);
        from = next = s->at;
    }
    str indent = config_indent(s->text, o->open);
    if (st->spread)
        put_break(&out, st, indent, 1);
    config_jsonc_put_member(&out, key, value, st, indent, 1);
    if (st->spread)
        put_break(&out, st, indent, 0);
    return config_splice(a, s->text, from, o->close, sbuf_str(&out));
}

static str add_after(struct arena *a, struct scan *s, const struct object *o, str key,
                     const struct json *value, const struct style *st)
{
    struct sbuf out = SBUF_ON(a);
    const struct member *last = &o->members[o->n - 1];
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
    size_t root;
    struct spot spot;
    if (!check(text, l->comments, &root, err))
        return false;
    if (root == SIZE_MAX) {
        text = with_root(a, text);
        if (!check(text, l->comments, &root, err))
            return false;
    }
    struct scan s = {.text = text, .comments = l->comments};
    if (!locate(a, &s, root, path, &spot, err))
        return false;
    struct style st = {text_line_ending(text), find_unit(a, &s, root), spot.spread};
    str key = path.keys[spot.depth];
    const struct json *all = wrap(a, path, spot.depth, value);
    if (spot.found != SIZE_MAX) {
        const struct member *m = &spot.in.members[spot.found];
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

static str take_out(struct arena *a, str text, const struct object *o, size_t i)
{
    const struct member *m = &o->members[i];
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
    struct scan s = {.text = text, .comments = l->comments};
    size_t root;
    struct spot spot;
    if (!check(text, l->comments, &root, err) || !locate(a, &s, root, path, &spot, err))
        return false;
    *out = take_out(a, text, &spot.in, spot.found);
    return true;
}

const struct config_language config_json = {config_jsonc_get, config_jsonc_set,
                                            config_jsonc_drop, false};
const struct config_language config_jsonc = {config_jsonc_get, config_jsonc_set,
                                             config_jsonc_drop, true};
