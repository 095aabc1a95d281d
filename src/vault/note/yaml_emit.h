/*
 * yaml_emit - a value written as YAML the way the app writes it (obsidian.md 3.6): lists
 * one item per line, text plain when that is safe and in double quotes when not, text of
 * several lines as a literal block, null as nothing. Private to frontmatter_edit*.c.
 */
#pragma once

#include "base/sbuf.h"
#include "vault/note/frontmatter.h"

struct yaml_style {
    str eol;
    bool no_literal; /* quotes instead: what follows could be taken for a part of it */
};

/*
 * What stands behind the blank after "key:" or "-". Lists, maps and literal blocks go on
 * in further lines, which a line break begins and indent blanks indent; lists and maps
 * have nothing on the first one.
 */
void yaml_emit_value(struct sbuf *out, const struct prop *value, unsigned indent,
                     const struct yaml_style *style);

/* The same on one line, for inside of [ ] and { }; quoted: all texts, as JSON wants. */
void yaml_emit_flow(struct sbuf *out, const struct prop *value, bool quoted);

/* "- value" of a list whose dashes stand behind indent blanks, the first line without
 * those. */
void yaml_emit_item(struct sbuf *out, const struct prop *item, unsigned indent,
                    const struct yaml_style *style);

/* A key, without ':'. */
void yaml_emit_key(struct sbuf *out, str key);
void yaml_emit_flow_key(struct sbuf *out, str key);
