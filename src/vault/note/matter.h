/*
 * matter - makes a new note from properties and a text, as gray-matter's stringify()
 * does.
 */
#pragma once

#include "base/err.h"
#include "vault/note/frontmatter.h"

/*
 * "---", the members of props in their order (yaml_dump.h), "---", then content with a
 * line break at its end. If the content has properties of its own, they stay, and those
 * of props are added or changed. If props is NULL or empty, the content is returned as it
 * is. Fails with ERR_INVALID if the properties of the content cannot be read, and with
 * ERR_LIMIT if the result could not be read back.
 */
MUST_CHECK bool matter_write(struct arena *a, const struct prop *props, str content,
                             str *out, struct err *err);
