/*
 * yaml_emit - writes a value as YAML the way Obsidian does: lists with
 * one item per line, text plain if that is safe and otherwise in double quotes, text of
 * several lines as a literal block, null as nothing. Private to frontmatter_edit*.c.
 */
#pragma once

#include "base/sbuf.h"
#include "vault/note/prop.h"

struct yaml_style {
    str eol;
    bool no_literal; /* use quotes: what follows could be taken for a part of it */
};

/*
 * Write what follows "key: " or "- ". Lists, maps and literal blocks continue on more
 * lines, each of which begins with a line break and indent spaces; lists and maps have
 * nothing on the first line.
 */
void yaml_emit_value(struct sbuf *out, const struct prop *value, unsigned indent,
                     const struct yaml_style *style);

/*
 * The same on one line, for use inside [ ] and { }; quoted: quote all texts, as in JSON.
 */
void yaml_emit_flow(struct sbuf *out, const struct prop *value, bool quoted);

/*
 * "- value" of a list whose dashes are indented by indent spaces; the first line without
 * them.
 */
void yaml_emit_item(struct sbuf *out, const struct prop *item, unsigned indent,
                    const struct yaml_style *style);

/* A key, without ':'. */
void yaml_emit_key(struct sbuf *out, str key);
void yaml_emit_flow_key(struct sbuf *out, str key);
