/*
 * config_language - the formats that config_edit.c edits, and what they have in common.
 */
#pragma once

#include "app/cli/config_edit.h"
#include "base/sbuf.h"

struct config_language {
    /* As config_get(); also checks that the text is in that language. */
    bool (*get)(const struct config_language *l, struct arena *a, str text,
                struct config_path path, const struct json **out, struct err *err);
    /* Put value at path; missing objects above it are created. */
    bool (*set)(const struct config_language *l, struct arena *a, str text,
                struct config_path path, const struct json *value, str *out,
                struct err *err);
    /* Remove the value at path, which exists. */
    bool (*drop)(const struct config_language *l, struct arena *a, str text,
                 struct config_path path, str *out, struct err *err);
    bool comments; /* JSON with comments and trailing commas */
    bool is_whole; /* an entry is only set as a whole, not member by member */
};

extern const struct config_language config_json, config_jsonc, config_toml;

/* text with the bytes [from, to) replaced. */
str config_splice(struct arena *a, str text, size_t from, size_t to, str with);

/* "line 3, column 7: what" as ERR_INVALID. */
bool config_wrong(struct err *err, str text, size_t at, const char *what);

/* The error for a key of the path that cannot be followed. */
bool config_blocked(struct err *err, str key, const char *why);

/* The spaces and tabs at the start of the line that contains at. */
str config_indent(str text, size_t at);

/* A value as JSON on one line, which is TOML, too, unless it has an object in it. */
void config_put_flat(struct sbuf *out, const struct json *v);
