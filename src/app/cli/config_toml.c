/*
 * TOML, edited by its lines: an entry is the table below its [header]. A line goes on
 * while a string or a bracket in it is open. Everything else that could mean the entry
 * (dotted keys, an inline table, a list of tables) is refused, and the user has to change
 * the file by hand.
 *
 * Names are compared as their keys joined by dots, without quotes and spaces. A value is
 * read if it is also JSON or a 'text'; others are only skipped and count as null. So an
 * error elsewhere in the file may go unnoticed: finding it is not our job.
 */
#include "app/cli/config_language.h"
#include "base/array.h"
#include "base/text.h"

#define BY_HAND "write it as a [table], or change the file by hand"

struct toml_line {
    size_t start, end;        /* end is after its line feed */
    size_t equals, value_end; /* of a key: after its '='; before a comment */
    str above, name;          /* of a key: the table that it is in, and its own name */
    bool header, list;        /* [header], [[header]]; name is that of the table */
};

struct toml_lines {
    struct toml_line *at;
    size_t n;
};

/* --- reading --- */

/* After the string that begins at at, of any of the four kinds; STR_NONE: not closed. */
static size_t string_end(str text, size_t at)
{
    bool escapes = text.p[at] == '"';
    str ends = escapes ? STR("\"\"\"") : STR("'''");
    bool many = str_starts(str_skip(text, at), ends);
    ends = str_slice(ends, 0, many ? 3 : 1);
    for (size_t i = at + ends.n; i < text.n; i++) {
        if (str_starts(str_skip(text, i), ends)) {
            i += ends.n;
            for (int more = 0; many && more < 2 && i < text.n; more++)
                i += text.p[i] == text.p[at]; /* quotes before the last three */
            return i;
        }
        if (!many && text.p[i] == '\n')
            break;
        i += escapes && text.p[i] == '\\' && !str_starts(str_skip(text, i), STR("\\\n"));
    }
    return STR_NONE;
}

/* Find the ends of a line. */
static bool toml_measure(str text, struct toml_line *l, struct err *err)
{
    size_t depth = 0, i = l->start;
    while (i < text.n && (depth > 0 || text.p[i] != '\n')) {
        size_t from = i++;
        char c = text.p[from];
        if (c == '#') {
            while (i < text.n && text.p[i] != '\n')
                i++;
            continue;
        }
        if (c == '"' || c == '\'')
            i = string_end(text, from);
        if (i == STR_NONE)
            return config_wrong(err, text, from, "this string is not closed");
        if (c == '=' && depth == 0 && l->equals == 0)
            l->equals = i;
        depth += c == '[' || c == '{';
        depth -= depth > 0 && (c == ']' || c == '}');
        if (!is_white(c))
            l->value_end = i;
    }
    l->end = i + (i < text.n);
    return depth == 0 || config_wrong(err, text, l->start, "a bracket is not closed");
}

static str plain_name(struct arena *a, str keys)
{
    struct sbuf out = SBUF_ON(a);
    for (size_t i = 0; i < keys.n; i++)
        if (!is_white(keys.p[i]) && strchr("[]\"'", keys.p[i]) == NULL)
            sbuf_char(&out, keys.p[i]);
    return sbuf_str(&out);
}

static str toml_value_of(str text, const struct toml_line *l)
{
    return str_trim_line(str_slice(text, l->equals, l->value_end));
}

static bool read_toml_line(struct arena *a, str text, struct toml_line *l,
                           struct err *err)
{
    l->value_end = l->start;
    if (!toml_measure(text, l, err))
        return false;
    str is = str_trim_line(str_slice(text, l->start, l->value_end));
    l->header = str_starts(is, STR("["));
    l->list = str_starts(is, STR("[["));
    if (l->header && !str_ends(is, l->list ? STR("]]") : STR("]")))
        return config_wrong(err, text, l->value_end,
                            l->list ? "']]' is expected here" : "']' is expected here");
    if (is.n > 0 && !l->header && l->equals == 0)
        return config_wrong(err, text, l->value_end, "'=' is expected here");
    if (is.n > 0 && !l->header && toml_value_of(text, l).n == 0)
        return config_wrong(err, text, l->value_end, "a value is expected here");
    l->name =
        plain_name(a, l->header ? is : str_slice(text, l->start, l->equals - (is.n > 0)));
    return true;
}

static bool read_lines(struct arena *a, str text, struct toml_lines *out, struct err *err)
{
    str above = STR("");
    *out = (struct toml_lines){0};
    for (size_t at = str_starts(text, STR("\xEF\xBB\xBF")) ? 3 : 0; at < text.n;) {
        struct toml_line l = {.start = at, .above = above};
        if (!read_toml_line(a, text, &l, err))
            return false;
        if (l.header)
            above = l.name;
        if (l.name.n > 0)
            *ARRAY_ADD(a, out->at, out->n) = l;
        at = l.end;
    }
    return true;
}

/* --- tables --- */

static str toml_joined(struct arena *a, str above, str name)
{
    return above.n == 0
               ? name
               : arena_printf(a, STR_FMT "." STR_FMT, STR_ARG(above), STR_ARG(name));
}

/* The name of the table or value at the first n keys of a path. */
static str name_at(struct arena *a, struct config_path path, size_t n)
{
    str out = STR("");
    for (size_t i = 0; i < n; i++)
        out = toml_joined(a, out, path.keys[i]);
    return out;
}

/* Whether name is that table, or below it. */
static bool is_in(str name, str table)
{
    return str_starts(name, table) && (name.n == table.n || name.p[table.n] == '.');
}

/* Refuse all forms but a [header] with keys below it for the tables on the path. */
static bool usual_form(struct arena *a, const struct toml_lines *all,
                       struct config_path path, struct err *err)
{
    for (size_t n = 1; n <= path.n; n++) {
        str table = name_at(a, path, n), key = path.keys[n - 1];
        for (size_t i = 0; i < all->n; i++) {
            const struct toml_line *l = &all->at[i];
            str name = l->header ? l->name : toml_joined(a, l->above, l->name);
            if (!is_in(name, table) || (!l->header && is_in(l->above, table)))
                continue;
            if (str_eq(name, table) && (l->list || !l->header))
                return config_blocked(err, key, "is not a table: " BY_HAND);
            if (!l->header)
                return config_blocked(err, path.keys[path.n - 1],
                                      "is written with dotted keys: " BY_HAND);
        }
    }
    return true;
}

/* The header of a table; SIZE_MAX: it has none. */
static bool find_table(const struct toml_lines *all, str table, str key, size_t *out,
                       struct err *err)
{
    *out = SIZE_MAX;
    for (size_t i = 0; i < all->n; i++) {
        if (!all->at[i].header || !str_eq(all->at[i].name, table))
            continue;
        if (*out != SIZE_MAX)
            return config_blocked(err, key, "occurs twice: remove one of them");
        *out = i;
    }
    return true;
}

/* After the last key below a header. */
static size_t table_end(const struct toml_lines *all, size_t header)
{
    size_t i = header + 1;
    while (i < all->n && !all->at[i].header)
        i++;
    return i;
}

static struct json *add_child(struct arena *a, struct json *to, str key)
{
    struct json **end = &to->child;
    while (*end != NULL)
        end = &(*end)->next;
    *end = ARENA_NEW(a, struct json);
    (*end)->key = key;
    to->n++;
    return *end;
}

static void toml_read_value(struct arena *a, str value, struct json *out)
{
    const struct json *j;
    struct err ignored;
    str key = out->key;
    bool literal = value.n > 1 && value.p[0] == '\'' &&
                   str_find_char(str_skip(value, 1), '\'') == value.n - 2;
    if (literal)
        *out =
            (struct json){.type = JSON_STRING, .text = str_slice(value, 1, value.n - 1)};
    else if (json_parse(a, value, &j, &ignored) && j->type != JSON_OBJECT)
        *out = *j;
    out->key = key;
}

/* The tables directly below one, each with the values that it has. */
static bool read_tables(struct arena *a, str text, const struct toml_lines *all,
                        str above, struct json *out, struct err *err)
{
    for (size_t i = 0; i < all->n; i++) {
        const struct toml_line *l = &all->at[i];
        str name = str_skip(l->name, above.n + 1);
        size_t header;
        if (!l->header || l->list || !is_in(l->name, above) || name.n == 0 ||
            str_find_char(name, '.') != STR_NONE)
            continue;
        if (!find_table(all, l->name, name, &header, err))
            return false;
        struct json *table = add_child(a, out, name);
        table->type = JSON_OBJECT;
        for (size_t k = i + 1; k < table_end(all, i); k++)
            toml_read_value(a, toml_value_of(text, &all->at[k]),
                            add_child(a, table, all->at[k].name));
    }
    return true;
}

static bool config_toml_get(const struct config_language *l, struct arena *a, str text,
                            struct config_path path, const struct json **out,
                            struct err *err)
{
    (void)l;
    struct toml_lines all;
    struct json *tables = ARENA_NEW(a, struct json);
    tables->type = JSON_OBJECT;
    size_t above = path.n > 1 ? path.n - 1 : path.n;
    if (!read_lines(a, text, &all, err) || !usual_form(a, &all, path, err) ||
        !read_tables(a, text, &all, name_at(a, path, above), tables, err))
        return false;
    *out = above < path.n ? json_get(tables, path.keys[above]) : tables;
    return true;
}

/* --- writing --- */

static void put_pair(struct sbuf *out, str key, const struct json *value)
{
    struct sbuf flat = SBUF_ON(out->arena);
    sbuf_add(out, key);
    sbuf_add(out, STR(" = "));
    config_put_flat(&flat, value);
    for (size_t i = 0; i < flat.n; i++) /* TOML, unlike JSON, has no 0x7F as it is */
        sbuf_add(out, flat.p[i] == 0x7F ? STR("\\u007F") : (str){flat.p + i, 1});
}

/* Add a table at the end of the file. */
static str add_table(struct arena *a, str text, str table, const struct json *members)
{
    struct sbuf out = SBUF_ON(a);
    str eol = text_line_ending(text);
    sbuf_add(&out, text);
    if (text.n > 0 && !str_ends(text, STR("\n")) && !str_eq(text, STR("\xEF\xBB\xBF")))
        sbuf_add(&out, eol);
    if (str_trim_line(text).n > 0)
        sbuf_add(&out, eol);
    sbuf_printf(&out, "[" STR_FMT "]" STR_FMT, STR_ARG(table), STR_ARG(eol));
    for (const struct json *m = members; m != NULL; m = m->next) {
        put_pair(&out, m->key, m);
        sbuf_add(&out, eol);
    }
    return sbuf_str(&out);
}

/* Set a value in the table below a header. */
static str set_value(struct arena *a, str text, const struct toml_lines *all,
                     size_t header, str key, const struct json *value)
{
    struct sbuf out = SBUF_ON(a);
    size_t end = table_end(all, header);
    const struct toml_line *last = &all->at[end - 1];
    put_pair(&out, key, value);
    for (size_t i = header + 1; i < end; i++) {
        const struct toml_line *l = &all->at[i];
        size_t from = l->start + config_indent(text, l->start).n;
        if (str_eq(l->name, key))
            return config_splice(a, text, from, l->value_end, sbuf_str(&out));
    }
    bool ended = text.p[last->end - 1] == '\n';
    str line =
        arena_printf(a, STR_FMT STR_FMT STR_FMT STR_FMT,
                     STR_ARG(ended ? STR("") : text_line_ending(text)),
                     STR_ARG(config_indent(text, last->start)), STR_ARG(sbuf_str(&out)),
                     STR_ARG(ended ? text_line_ending(text) : STR("")));
    return config_splice(a, text, last->end, last->end, line);
}

static bool config_toml_set(const struct config_language *l, struct arena *a, str text,
                            struct config_path path, const struct json *value, str *out,
                            struct err *err)
{
    (void)l;
    struct toml_lines all;
    size_t header;
    bool is_table = value->type == JSON_OBJECT;
    str table = name_at(a, path, path.n - !is_table), key = path.keys[path.n - 1];
    struct json member = *value;
    member.key = key;
    member.next = NULL;
    if (!read_lines(a, text, &all, err) || !find_table(&all, table, key, &header, err))
        return false;
    *out = header == SIZE_MAX
               ? add_table(a, text, table, is_table ? value->child : &member)
               : set_value(a, text, &all, header, key, value);
    return true;
}

/* A header is removed with the empty lines above it. */
static size_t toml_start_of(str text, const struct toml_line *l)
{
    size_t from = l->start;
    for (size_t line; l->header && from > 0; from = line) {
        line = text_line_start(text, from - 1);
        if (str_trim_line(str_slice(text, line, from)).n > 0)
            break;
    }
    return from;
}

static bool config_toml_drop(const struct config_language *l, struct arena *a, str text,
                             struct config_path path, str *out, struct err *err)
{
    (void)l;
    struct toml_lines all;
    struct sbuf rest = SBUF_ON(a);
    str name = name_at(a, path, path.n);
    size_t at = 0;
    if (!read_lines(a, text, &all, err))
        return false;
    for (size_t i = 0; i < all.n; i++) {
        const struct toml_line *line = &all.at[i];
        if (!is_in(line->header ? line->name : toml_joined(a, line->above, line->name),
                   name))
            continue;
        sbuf_add(&rest, str_slice(text, at, toml_start_of(text, line)));
        at = line->end;
        if (line->header)
            at = all.at[(i = table_end(&all, i) - 1)].end;
    }
    sbuf_add(&rest, str_skip(text, at));
    *out = sbuf_str(&rest);
    return true;
}

const struct config_language config_toml = {config_toml_get, config_toml_set,
                                            config_toml_drop, false};
