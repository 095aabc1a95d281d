/*
 * value - the typed value of a field or an expression, and how values compare.
 *
 * A value is small and passed by address or by copy; it borrows from the property, file
 * or arena it was read from. If the whole text of a property is a date or a link, the
 * value is that date or link; it is printed as written.
 *
 * The languages that use values differ in how they compare; a dialect (dialect.h) says
 * how. Functions without a dialect compare as vault_query does: texts, names and tags
 * after utf8_fold, and a list by any of its items.
 */
#pragma once

#include "base/json_write.h"
#include "vault/eval/value_date.h"
#include "vault/eval/value_duration.h"
#include "vault/index/names.h"
#include "vault/note/frontmatter.h"

/* In the order in which types are sorted; dialects differ in whether text, links and tags
 * are sorted together, and in where null is. */
enum value_type {
    VALUE_NULL,
    VALUE_NUMBER,
    VALUE_DATE,
    VALUE_DURATION,
    VALUE_TEXT,
    VALUE_LINK,
    VALUE_TAG, /* text without '#' */
    VALUE_FILE,
    VALUE_BOOL,
    VALUE_LIST,
    VALUE_MAP,
    VALUE_REGEXP, /* text: /source/flags */
    VALUE_HTML,   /* this and the next two: text for a view to render */
    VALUE_IMAGE,
    VALUE_ICON,
    VALUE_ROW,   /* a row, such as a task or a member of a group */
    VALUE_ERROR, /* text: why there is no value */
    VALUE_TYPES
};

enum { VALUE_LIST_MAX = 100000 }; /* items of a list that is made */

struct file;
struct note_task;
struct regex;
struct row;

struct value {
    enum value_type type;
    union {
        bool truth;          /* of a boolean: which it is */
        bool is_integer;     /* of a number: it is in number, too */
        bool describes_date; /* of a text: date is what it is sorted by */
        bool no_dates;       /* of a list or map in a property: texts that look like dates
                                are text */
        bool is_this;        /* of a file: it is `this`, whose members are properties */
        bool is_global;      /* of a regexp */
    };
    uint8_t rank; /* of a key (value_key): types are sorted by it */
    union {
        struct {
            int64_t number; /* of an integer */
            double real;    /* of any number */
        };
        struct date date;
        struct duration duration;
        str display; /* of a link: its display text, or empty */
        struct {
            const str *keys;       /* of a map with items: their names */
            uint32_t depth, total; /* of items: nested lists, and values in all of them */
        };
        const struct regex *regexp; /* compiled; its owner is the expression */
        const struct row *row;
    };
    str text; /* as written; may be empty for computed numbers and dates */
    str path; /* of a link: the target's, or the unresolved path; of a file: its path */
    union {   /* or NO_FILE */
        file_id target; /* of a file: itself; of a link, also if a constant text can be
                           read as one: where it leads to */
        file_id source; /* of a list or map in a property: its note */
    };
    const struct prop *props;  /* of a map, or of a list in a property */
    const struct value *items; /* of any other list or map */
    size_t n;                  /* of a list or map */
};

/* A name that a row has besides its fields: of FLATTEN or GROUP BY in DQL. */
struct row_name {
    str name; /* compared exactly */
    struct value value;
    const struct row_name *next;
};

/* What an expression is evaluated for: a file, a task in it, or a group. */
struct row {
    const struct file *file;      /* NULL: a group */
    const struct note_task *task; /* NULL: not a task */
    const struct row_name *names;
};

struct dialect;

/* The context of reading: links resolve from a note, times need the UTC offset. */
struct value_reader {
    struct arena *arena;
    const struct names *names;
    str source; /* the note's path */
    file_id source_id;
    int utc_offset;
    const struct dialect *dialect; /* NULL: vault_query's */

    /* The declared type of a property (obsidian_property_type), or NULL. */
    str (*property_type)(const void *arg, str name);
    const void *type_arg;
};

/* --- making values --- */

struct value value_null(void);
struct value value_bool(bool flag);
struct value value_number(double real);
struct value value_integer(int64_t number);
struct value value_text(str text);
struct value value_date(struct date date);
struct value value_duration(struct duration d);
struct value value_tag(str text); /* without '#' */
struct value value_file(file_id id, str path);

/* items is not copied; a map has as many keys as items. */
struct value value_list(const struct value *items, size_t n);
struct value value_map(const str *keys, const struct value *items, size_t n);

/* An error, which takes the place of a value. */
struct value value_error(struct arena *a, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* A link to target, which may have a #subpath or be a URL, seen from the reader's note.
 * Its text is [[target]] or [[target|display]], or the URL. */
struct value value_link(const struct value_reader *r, str target, str display);

/* --- reading --- */

/* The value of a property; if it is a member of the note's properties (and not inside of
 * one), its name decides about types: `tags` has tags, and declared types count. */
struct value value_of_prop(const struct value_reader *r, const struct prop *p);
struct value value_of_property(const struct value_reader *r, const struct prop *p);
struct value value_of_text(const struct value_reader *r, str text);

/* Whether a key is a name that was folded. */
bool value_is_key(struct arena *a, str key, str folded);

/* The member of that name among these (linked by next), or else one that differs in case
 * only; NULL if there is none. folded is the name after utf8_fold. */
const struct prop *value_find_prop(struct arena *a, const struct prop *first, str name,
                                   str folded);

/* The same of a map; null if there is none. */
struct value value_member(const struct value_reader *r, const struct value *map,
                          str name);

/* Iterates over the items of a list; begin with {.list = v}. */
struct value_items {
    const struct value *list;
    const struct prop *prop;
    size_t at;
};
bool value_next(const struct value_reader *r, struct value_items *it, struct value *out);

static inline bool value_is_textual(const struct value *v)
{
    return v->type == VALUE_TEXT || v->type == VALUE_LINK || v->type == VALUE_TAG;
}

/* Null, "", or an empty list or map. */
bool value_is_empty(const struct value *v);

/* A value that counts as true: neither empty nor false nor 0 (or NaN) nor an error. */
bool value_is_true(const struct value *v);

/* A scalar as text: as written, else in the usual form; empty for lists and maps. */
str value_plain(struct arena *a, const struct value *v);

/* A number as JavaScript writes it: 2.5, 1e+21, Infinity. */
str value_number_text(struct arena *a, double real);

/* The number that the whole of s spells, without spaces around it. */
bool value_read_number(str s, double *out);

/* Of a link: what it says before the display text, with a subpath. */
str value_link_text(const struct value *link);

/* The text of any value, for toString() and joining: dates and numbers in their usual
 * form, links as [[path|display]], lists as "a, b", maps as JSON, null as "". Longer
 * than VALUE_TEXT_MAX, it is cut. */
enum { VALUE_TEXT_MAX = 1 << 20 };
str value_text_of(const struct value_reader *r, const struct value *v);

/* The name of a type: "string", "date", ...; tags are strings. */
const char *value_type_name(enum value_type type);

/* --- comparing --- */

/*
 * Whether have equals want. For a list, any item is enough. A nested tag equals the tags
 * above it; links are equal if their targets are; a day equals its times; a number or
 * boolean equals a text that spells it.
 */
bool value_equal(const struct value_reader *r, const struct value *have,
                 const struct value *want);

/* Whether a contains b: as an item of a list, a key of a map, or part of a text. */
bool value_contains(const struct value_reader *r, const struct value *a,
                    const struct value *b);

/* How two scalars compare with < and >; VALUE_APART if their types cannot be compared. */
enum value_relation {
    VALUE_LESS = -1,
    VALUE_SAME,
    VALUE_GREATER,
    VALUE_APART,
};
enum value_relation value_relate(const struct value_reader *r, const struct value *a,
                                 const struct value *b);

/* Equality as Bases and Dataview have it: of whole values, lists item by item. What
 * counts as equal across types is up to the reader's dialect. */
bool value_same(const struct value_reader *r, const struct value *a,
                const struct value *b);

/* A copy for sorting with value_order(): its texts are folded, and its rank is set. */
struct value value_key(const struct value_reader *r, const struct value *v);

/* Two numbers, exactly; NaN comes after all others. */
int value_number_order(const struct value *a, const struct value *b);

/* A total order of keys: by rank, then by value. */
int value_order(const struct value *a, const struct value *b);

/* --- writing --- */

/* As JSON, keeping types; dates and links are strings, as written; durations are
 * {"duration": "5 days", "days": 5}, errors {"error": "..."}; NaN and infinities are
 * strings. */
void value_json(struct jsonw *w, const struct value *v);

/* For people: lists as "a, b", maps as "{k: v, l: w}", nothing for null. */
void value_print(struct sbuf *out, const struct value *v);
