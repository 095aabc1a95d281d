/*
 * config_edit - change one entry of a configuration file that is somebody else's, as
 * text.
 *
 * An entry is an object (in TOML a table) at a path of keys: mcpServers, vault. Only the
 * bytes that have to change do: comments, order, other members, indentation, line ends, a
 * byte order mark and a missing line feed at the end stay as they are. A text without
 * anything in it is an empty file.
 *
 * A text that is not what its format says is refused (ERR_INVALID, naming line and
 * column), and so is one where a key of the path occurs twice or leads to something that
 * is not an object. What comes out has been read again: it holds what was asked for.
 *
 * Of TOML only tables below a [header] are edited; other forms of an entry are refused. A
 * file is read as lines, so mistakes elsewhere in it may pass.
 */
#pragma once

#include "base/json.h"

enum config_format {
    CONFIG_JSON,  /* as RFC 8259, nothing more */
    CONFIG_JSONC, /* with comments, and commas behind the last member */
    CONFIG_TOML,  /* 1.0 */
};

enum {
    CONFIG_MAX_BYTES = 64 << 20,
    CONFIG_MAX_DEPTH = 100, /* arrays and objects inside each other */
};

struct config_path {
    const str *keys; /* valid UTF-8 */
    size_t n;        /* at least 1 */
};

struct config_member {
    str key;
    const struct json *value; /* NULL: it must not be there */
};

/*
 * What is at path, NULL when nothing is. Of TOML's values, strings of several lines,
 * dates, numbers that JSON does not have and inline tables are null, and lists of tables
 * are empty. With no keys at all it is the whole file.
 */
MUST_CHECK bool config_get(struct arena *a, enum config_format format, str text,
                           struct config_path path, const struct json **out,
                           struct err *err);

/*
 * Let the entry at path have these members, each as given; others that it has stay. The
 * entry and the objects on the way are made where they are missing. out is text itself
 * when there is nothing to do.
 */
MUST_CHECK bool config_put(struct arena *a, enum config_format format, str text,
                           struct config_path path, const struct config_member *members,
                           size_t n, str *out, struct err *err);

/* Take the entry out; out is text itself when there is none. */
MUST_CHECK bool config_drop(struct arena *a, enum config_format format, str text,
                            struct config_path path, str *out, struct err *err);

/* Whether two values mean the same: the order of an object's members is none. */
bool config_same(const struct json *a, const struct json *b);
