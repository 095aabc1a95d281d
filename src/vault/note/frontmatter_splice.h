/*
 * frontmatter_splice - one property put, added, dropped or renamed in the bytes of a
 * block. Private to frontmatter_edit.c, which checks every result by reading it again: so
 * these may be wrong about YAML that nobody writes, but never harmful.
 */
#pragma once

#include "vault/note/frontmatter.h"

struct splice {
    struct arena *arena;     /* for results */
    str block;               /* empty, or ends with a line break */
    const struct prop *root; /* what frontmatter_read() made of it */
    str eol;                 /* "\n" or "\r\n" */
};

/* False from these: the key is written in a way that is not understood here. */

/* member with another value; of a list, what stays keeps its bytes. */
MUST_CHECK bool splice_put(const struct splice *s, const struct prop *member,
                           const struct prop *value, str *out);
MUST_CHECK bool splice_rename(const struct splice *s, const struct prop *member, str key,
                              str *out);

str splice_append(const struct splice *s, str key, const struct prop *value);

/* With its whole lines, and comments below that are indented further. */
str splice_drop(const struct splice *s, const struct prop *member);
