/*
 * config_edit - change one entry of another program's configuration file, as text.
 *
 * An entry is an object (in TOML a table) at a path of keys: mcpServers, vault. Only the
 * bytes that have to change do: comments, order, other members, indentation, line ends, a
 * byte order mark and a missing line feed at the end are preserved. An empty text is an
 * empty file.
 *
 * A text that violates its format is refused (ERR_INVALID, with line and column), and so
 * is one where a key of the path occurs twice or is not an object. The result is parsed
 * again to check that it contains what was asked for.
 *
 * In TOML an entry is a table below a [header], which is added or replaced as a whole.
 * Other forms of an entry are refused, and so is an entry to which the user has added
 * something. A file is read line by line, so errors elsewhere in it may go unnoticed.
 */
#pragma once

#include "base/json.h"

enum config_format {
    CONFIG_JSON,  /* strict RFC 8259 */
    CONFIG_JSONC, /* with comments and trailing commas */
    CONFIG_TOML,  /* 1.0 */
};

enum { CONFIG_MAX_BYTES = 64 << 20 };

struct config_path {
    const str *keys; /* valid UTF-8 */
    size_t n;        /* at least 1 */
};

struct config_member {
    str key;
    const struct json *value; /* NULL: remove the member */
};

/*
 * The value at path, or NULL. TOML values that JSON does not have (multi-line strings,
 * dates, some numbers) and inline tables are null, and lists of tables are empty. An
 * empty path means the whole file.
 */
MUST_CHECK bool config_get(struct arena *a, enum config_format format, str text,
                           struct config_path path, const struct json **out,
                           struct err *err);

/*
 * Set these members of the entry at path; its other members stay (in TOML: ERR_INVALID if
 * it has any, unless nothing changes). The entry and the
 * objects above it are created if they are missing. out is text itself if nothing
 * changes.
 */
MUST_CHECK bool config_put(struct arena *a, enum config_format format, str text,
                           struct config_path path, const struct config_member *members,
                           size_t n, str *out, struct err *err);

/* Remove the entry; out is text itself if there is none. */
MUST_CHECK bool config_drop(struct arena *a, enum config_format format, str text,
                            struct config_path path, str *out, struct err *err);

/* Whether two values are equal, ignoring the order of members in objects. */
bool config_same(const struct json *a, const struct json *b);
