/*
 * TOML, edited by its lines: an entry is the table below its [header], which is appended,
 * replaced or cut as a whole. A line goes on while a string or a bracket in it is open.
 * Everything else that could mean the entry (dotted keys, an inline table, a list of
 * tables) is refused, and the user has to change the file by hand.
 *
 * Names are compared as their keys joined by dots, without quotes and spaces. A value is
 * read if it is also JSON or a 'text'; others are only skipped and count as null. So an
 * error elsewhere in the file may go unnoticed: finding it is not our job.
 */
#include "app/cli/config_language.h"
#include "base/array.h"
#include "base/json_write.h"
#include "base/text.h"

struct toml_line {
    size_t start, end;        /* end is after its line feed */
    size_t equals, value_end; /* of a key: after its '='; before a comment */
    str table;         /* the table that it is in; of a header, the one it begins */
    str name;          /* its keys from the root of the file */
    bool header, list; /* [header], [[header]] */
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

static str toml_value_of(str text, const struct toml_line *l)
{
    return str_trim_line(str_slice(text, l->equals, l->value_end));
}

/* The keys of a header or a line, below those of a table. */
static str full_name(struct arena *a, str table, str keys)
{
    struct sbuf out = SBUF_ON(a);
    sbuf_add(&out, table);
    if (table.n > 0)
        sbuf_char(&out, '.');
    for (size_t i = 0; i < keys.n; i++)
        if (!is_white(keys.p[i]) && strchr("[]\"'", keys.p[i]) == NULL)
            sbuf_char(&out, keys.p[i]);
    return sbuf_str(&out);
}

/* A line without a name is empty. */
static bool read_toml_line(struct arena *a, str text, struct toml_line *l,
                           struct err *err)
{
    l->value_end = l->start;
    if (!toml_measure(text, l, err))
        return false;
    str is = str_trim_line(str_slice(text, l->start, l->value_end));
    if (is.n == 0)
        return true;
    l->header = str_starts(is, STR("["));
    l->list = str_starts(is, STR("[["));
    if (l->header ? !str_ends(is, l->list ? STR("]]") : STR("]"))
                  : l->equals == 0 || toml_value_of(text, l).n == 0)
        return config_wrong(err, text, l->start,
                            "a [table] or 'key = value' is expected here");
    str keys = l->header ? is : str_slice(text, l->start, l->equals - 1);
    l->name = full_name(a, l->header ? STR("") : l->table, keys);
    l->table = l->header ? l->name : l->table;
    return true;
}

static bool read_lines(struct arena *a, str text, struct toml_lines *out, struct err *err)
{
    str table = STR("");
    *out = (struct toml_lines){0};
    for (size_t at = str_starts(text, STR("\xEF\xBB\xBF")) ? 3 : 0; at < text.n;) {
        struct toml_line l = {.start = at, .table = table};
        if (!read_toml_line(a, text, &l, err))
            return false;
        table = l.table;
        if (l.name.n > 0)
            *ARRAY_ADD(a, out->at, out->n) = l;
        at = l.end;
    }
    return true;
}

/* --- tables --- */

/* The name of the table or value at the first n keys of a path. */
static str name_at(struct arena *a, struct config_path path, size_t n)
{
    str out = STR("");
    for (size_t i = 0; i < n; i++)
        out = full_name(a, out, path.keys[i]);
    return out;
}

/* Whether name is that table, or below it. */
static bool is_in(str name, str table)
{
    return str_starts(name, table) && (name.n == table.n || name.p[table.n] == '.');
}

/* What line i is called below a table; empty: it is elsewhere, or was there before. */
static str key_below(const struct toml_lines *all, size_t i, str table)
{
    str name = all->at[i].name;
    if (!is_in(name, table))
        return STR("");
    for (size_t k = 0; k < i; k++)
        if (str_eq(all->at[k].name, name))
            return STR("");
    return str_skip(name, table.n + 1);
}

/* Refuse all forms but one [header] with keys below it for the tables on the path. */
static bool usual_form(struct arena *a, const struct toml_lines *all,
                       struct config_path path, struct err *err)
{
    for (size_t n = 1; n <= path.n; n++) {
        str table = name_at(a, path, n), key = path.keys[n - 1];
        size_t headers = 0;
        for (size_t i = 0; i < all->n; i++) {
            const struct toml_line *l = &all->at[i];
            bool is_it = str_eq(l->name, table);
            if ((l->list && is_it) ||
                (!l->header && is_in(l->name, table) && !is_in(l->table, table)))
                return config_blocked(err, key,
                                      "is not a table: write it as a [table], or change "
                                      "the file by hand");
            headers += l->header && is_it;
        }
        if (headers > 1)
            return config_blocked(err, key, "occurs twice: remove one of them");
    }
    return true;
}

static void put_toml_value(struct arena *a, struct jsonw *w, str value)
{
    const struct json *j;
    struct err ignored;
    bool literal = value.n > 1 && value.p[0] == '\'' &&
                   str_find_char(str_skip(value, 1), '\'') == value.n - 2;
    if (literal)
        jsonw_str(w, str_slice(value, 1, value.n - 1));
    else if (json_parse(a, value, &j, &ignored) && j->type != JSON_OBJECT)
        jsonw_value(w, j);
    else
        jsonw_null(w);
}

/* The values of a table; tables below it are null. */
static void put_table(struct arena *a, struct jsonw *w, str text,
                      const struct toml_lines *all, str table)
{
    jsonw_object(w);
    for (size_t i = 0; i < all->n; i++) {
        const struct toml_line *l = &all->at[i];
        str key = key_below(all, i, table);
        if (key.n == 0 || (!l->header && !str_eq(l->table, table)))
            continue;
        jsonw_key(w, key);
        if (l->header)
            jsonw_null(w);
        else
            put_toml_value(a, w, toml_value_of(text, l));
    }
    jsonw_end(w);
}

static bool config_toml_get(const struct config_language *l, struct arena *a, str text,
                            struct config_path path, const struct json **out,
                            struct err *err)
{
    (void)l;
    struct toml_lines all;
    struct sbuf json = SBUF_ON(a);
    struct jsonw w = JSONW_ON(&json);
    if (!read_lines(a, text, &all, err) || !usual_form(a, &all, path, err))
        return false;
    size_t above = path.n > 1 ? path.n - 1 : path.n;
    str table = name_at(a, path, above);
    jsonw_object(&w);
    for (size_t i = 0; i < all.n; i++) {
        str key = key_below(&all, i, table);
        if (!all.at[i].header || all.at[i].list || key.n == 0 ||
            str_find_char(key, '.') != STR_NONE)
            continue;
        jsonw_key(&w, key);
        put_table(a, &w, text, &all, all.at[i].name);
    }
    jsonw_end(&w);
    const struct json *tables;
    if (!json_parse(a, sbuf_str(&json), &tables, err))
        return false;
    *out = above < path.n ? json_get(tables, path.keys[above]) : tables;
    return true;
}

/* --- writing --- */

static str table_text(struct arena *a, str table, const struct json *members, str eol)
{
    struct sbuf out = SBUF_ON(a);
    sbuf_printf(&out, "[" STR_FMT "]" STR_FMT, STR_ARG(table), STR_ARG(eol));
    for (const struct json *m = members; m != NULL; m = m->next) {
        struct sbuf flat = SBUF_ON(a);
        config_put_flat(&flat, m);
        sbuf_printf(&out, STR_FMT " = ", STR_ARG(m->key));
        for (size_t i = 0; i < flat.n; i++) /* TOML, unlike JSON, has no 0x7F as it is */
            sbuf_add(&out, flat.p[i] == 0x7F ? STR("\\u007F") : (str){flat.p + i, 1});
        sbuf_add(&out, eol);
    }
    return sbuf_str(&out);
}

/* What separates a table from the text before it. */
static str gap_after(struct arena *a, str text, str eol)
{
    bool ended =
        text.n == 0 || str_ends(text, STR("\n")) || str_eq(text, STR("\xEF\xBB\xBF"));
    bool empty = str_trim_line(text).n == 0;
    return arena_printf(a, STR_FMT STR_FMT, STR_ARG(ended ? STR("") : eol),
                        STR_ARG(empty ? STR("") : eol));
}

/* After the last line below the header at i. */
static size_t table_end(const struct toml_lines *all, size_t i)
{
    while (i + 1 < all->n && !all->at[i + 1].header)
        i++;
    return all->at[i].end;
}

static bool config_toml_set(const struct config_language *l, struct arena *a, str text,
                            struct config_path path, const struct json *value, str *out,
                            struct err *err)
{
    (void)l;
    struct toml_lines all;
    str name = name_at(a, path, path.n), eol = text_line_ending(text);
    str table = table_text(a, name, value->child, eol);
    if (!read_lines(a, text, &all, err))
        return false;
    for (size_t i = 0; i < all.n; i++)
        if (all.at[i].header && str_eq(all.at[i].name, name)) {
            *out = config_splice(a, text, all.at[i].start, table_end(&all, i), table);
            return true;
        }
    *out = arena_printf(a, STR_FMT STR_FMT STR_FMT, STR_ARG(text),
                        STR_ARG(gap_after(a, text, eol)), STR_ARG(table));
    return true;
}

/* A table is cut with the empty lines above it. */
static size_t toml_cut_from(str text, size_t from)
{
    for (size_t line; from > 0; from = line) {
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
        if (!all.at[i].header || !is_in(all.at[i].name, name))
            continue;
        sbuf_add(&rest, str_slice(text, at, toml_cut_from(text, all.at[i].start)));
        at = table_end(&all, i);
    }
    sbuf_add(&rest, str_skip(text, at));
    *out = sbuf_str(&rest);
    return true;
}

const struct config_language config_toml = {
    .get = config_toml_get,
    .set = config_toml_set,
    .drop = config_toml_drop,
    .is_whole = true,
};
