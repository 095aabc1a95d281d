/*
 * pull_limit - how much one pull or clone may bring. A few objects of a hostile remote can
 * have more names than memory can hold, and more bytes than any disk, because folders and
 * files may have equal contents. So both are counted before anything is listed or written.
 */
#pragma once

#include "sync/git.h"

enum { PULL_NAMES_MAX = 400000 }; /* files and folders that are new or changed */
static const uint64_t PULL_BYTES_MAX = 16ULL << 30; /* of their contents */

/* Fails with ERR_LIMIT if a commit has more new or changed names than that. from is empty
 * for a clone. */
MUST_CHECK bool pull_limit_names(struct git_reader *r, str from, str to, struct err *err);

/* The same for the sum of the sizes of all files that would be written. */
MUST_CHECK bool pull_limit_bytes(uint64_t bytes, str from, struct err *err);
