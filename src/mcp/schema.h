/*
 * schema - one table of fields that both prints a JSON Schema and fills a struct.
 *
 *     struct args { str path; int64_t limit; };
 *     static const struct mcp_field fields[] = {
 *         MCP_FIELD(struct args, path, MCP_STR, MCP_REQUIRED, "Path of the note"),
 *         MCP_FIELD(struct args, limit, MCP_INT, 0, "Lines to return", .dflt = "200"),
 *         {0},
 *     };
 *
 * The schema uses only keywords that every model and client accepts: type, properties,
 * required, items, enum, description, default, minimum, maximum. Reading is lenient where
 * that is harmless: "5" for 5, "true" for true, JSON text of an array or object, one
 * string for a list of strings, null for absent, dryRun for dry_run. Other types are
 * never converted to text.
 */
#pragma once

#include "base/json.h"
#include "base/json_write.h"

enum mcp_type {
    MCP_STR,    /* str */
    MCP_INT,    /* int64_t */
    MCP_NUM,    /* double */
    MCP_BOOL,   /* bool */
    MCP_ENUM,   /* int: index into choices; -1 when absent without default */
    MCP_STRS,   /* struct mcp_strs */
    MCP_OBJECT, /* const struct json *, an object; NULL when absent */
    MCP_LIST, /* const struct json *, an array as described by items; NULL when absent */
    MCP_ANY,  /* const struct json *, of any type; NULL when absent */
};

struct mcp_strs {
    str *items;
    size_t n;
};

/* The schema says the range of a clamped number up to this maximum. */
#define MCP_RANGE_SHOWN 10000

/* An integer that was not given and has no default. */
#define MCP_ABSENT INT64_MIN

enum {
    MCP_REQUIRED = 1,
    MCP_UNLISTED = 2,   /* accepted, but not in the schema */
    MCP_TERSE = 16,     /* its name says enough: the schema does not describe it */
    MCP_CLAMPED = 4,    /* an amount: outside of its range, the nearest number in it is
                           taken. Not for a number that names something, such as a line
                           or a change: the wrong one would be used */
    MCP_AS_TEXT = 8,    /* an object that the schema calls a string; empty: absent */
    MCP_APP_FLAG = 256, /* this and higher bits are for the app */
};

struct mcp_field {
    const char *name; /* NULL ends the table */
    const char
        *also; /* other names that are accepted, with spaces between them; or NULL */
    const char *title;
    enum mcp_type type;
    unsigned flags;
    size_t offset;
    const char *about;
    const char *dflt;           /* JSON text, or NULL */
    const char *const *choices; /* of an enum; ends with NULL */
    const char *items;          /* of a list: the schema of one element, as JSON text */
    int64_t min, max; /* of a number, when max > min; others are refused or clamped */
    /* x-mcp-header: the client repeats the value in the header Mcp-Param-<header>. */
    const char *header;
};

#define MCP_FIELD(type_, member, kind, flags_, about_, ...)                              \
    MCP_FIELD_AS(type_, member, #member, kind, flags_, about_, __VA_ARGS__)

/* For a member that has another name, or is in a struct of its own. */
#define MCP_FIELD_AS(type_, member, name_, kind, flags_, about_, ...)                    \
    {                                                                                    \
        .name = (name_), .type = (kind), .flags = (flags_),                              \
        .offset = offsetof(type_, member), .about = (about_), __VA_ARGS__                \
    }

/* The type in the schema: "string", "integer" and so on; "any" if it has none. */
const char *mcp_type_name(const struct mcp_field *f);

/* Write {"type":"object","properties":{…},"required":[…]}; fields may be NULL. */
void mcp_schema_write(struct jsonw *w, const struct mcp_field *fields);

/*
 * Fill the struct at out, which must be zeroed, from arguments (an object, null or NULL).
 * With strict, unknown members (mcp_schema_unknown) are refused: a write that we did not
 * fully understand must not happen. Fails with ERR_INVALID, naming the field, what is
 * wrong and what it accepts.
 */
MUST_CHECK bool mcp_schema_read(struct arena *a, const struct mcp_field *fields,
                                const struct json *arguments, bool strict, void *out,
                                struct err *err);

/*
 * What is wrong if arguments have a member that is not a field: its name, the nearest
 * field, and a list of those in the schema. Empty if all are known, or if the schema has
 * no fields: some clients send a dummy to tools without parameters.
 */
str mcp_schema_unknown(struct arena *a, const struct mcp_field *fields,
                       const struct json *arguments);

/* The member of arguments for this field, in any accepted spelling; NULL if absent or
 * null. */
const struct json *mcp_schema_find(const struct mcp_field *field,
                                   const struct json *arguments);
