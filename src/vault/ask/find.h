/*
 * find - the file somebody means: by path, with or without .md, or by a name as in a
 * link.
 *
 * What one answer names, another call accepts: any path that vaultd prints is found. A
 * name that several files have is not guessed at.
 */
#pragma once

#include "base/err.h"
#include "vault/index/index.h"

/*
 * Fails with ERR_NOT_FOUND (FILE_NOT_FOUND), naming near ones, or ERR_INVALID
 * (AMBIGUOUS), naming all that fit. The file is the index's.
 */
MUST_CHECK bool find_file(const struct index *x, struct arena *a, str word,
                          const struct file **out, struct err *err);

/* The tag, with or without '#'. Fails with ERR_NOT_FOUND (TAG_NOT_FOUND), naming tags
 * that end so. */
MUST_CHECK bool find_tag(const struct index *x, struct arena *a, str word,
                         struct tag *out, struct err *err);
