/*
 * matter - a new note from properties and a text, as gray-matter's stringify() makes it.
 */
#pragma once

#include "base/err.h"
#include "vault/note/frontmatter.h"

/*
 * "---", the members of props in their order (yaml_dump.h), "---", then content with a
 * line break at its end. A content that begins with properties of its own keeps them, and
 * gets or changes those of props. No props, NULL or an empty map: the content as it is.
 * Fails with ERR_INVALID when the properties of the content cannot be read, and with
 * ERR_LIMIT when the result could not be read back.
 */
MUST_CHECK bool matter_write(struct arena *a, const struct prop *props, str content,
                             str *out, struct err *err);
