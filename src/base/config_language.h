/*
 * config_language - the formats that config_edit.c edits, and what they have in common.
 */
#pragma once

#include "base/config_edit.h"
#include "base/sbuf.h"

struct config_language {
    /* As config_get(), and whether the text is in that language at all. */
    bool (*get)(const struct config_language *l, struct arena *a, str text,
                struct config_path path, const struct json **out, struct err *err);
    /* Put value at path; objects on the way that are missing are made. */
    bool (*set)(const struct config_language *l, struct arena *a, str text,
                struct config_path path, const struct json *value, str *out,
                struct err *err);
    /* Take out what is at path, which is there. */
    bool (*drop)(const struct config_language *l, struct arena *a, str text,
                 struct config_path path, str *out, struct err *err);
    bool comments; /* JSON with comments, and with commas behind the last member */
};

extern const struct config_language config_json, config_jsonc, config_toml;

/* text with the bytes [from, to) replaced. */
str config_splice(struct arena *a, str text, size_t from, size_t to, str with);

/* "line 3, column 7: what" as ERR_INVALID. */
bool config_wrong(struct err *err, str text, size_t at, const char *what);

/* That a key of the path cannot be gone through. */
bool config_blocked(struct err *err, str key, const char *why);

/* The blanks and tabs that the line of at begins with. */
str config_indent(str text, size_t at);
