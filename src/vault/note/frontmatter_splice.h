/*
 * frontmatter_splice - sets, adds, removes or renames one property in the bytes of a
 * block. Private to frontmatter_edit.c, which reads every result again to check it: so
 * these functions may be wrong about exotic YAML, but do no harm.
 */
#pragma once

#include "vault/note/frontmatter.h"

struct splice {
    struct arena *arena;     /* for results */
    str block;               /* empty, or ends with a line break */
    const struct prop *root; /* what frontmatter_read() made of it */
    str eol;                 /* "\n" or "\r\n" */
};

/* These return false if the key is written in a way that is not understood here. */

/* Give member another value; items of a list that stay keep their bytes. */
MUST_CHECK bool splice_put(const struct splice *s, const struct prop *member,
                           const struct prop *value, str *out);
MUST_CHECK bool splice_rename(const struct splice *s, const struct prop *member, str key,
                              str *out);

str splice_append(const struct splice *s, str key, const struct prop *value);

/*
 * Remove member with its whole lines, and with comments below it that are indented
 * further.
 */
str splice_drop(const struct splice *s, const struct prop *member);
