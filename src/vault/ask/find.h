/*
 * find - the file that a caller names, the same way for every tool and command: by path,
 * with or without .md; by name as in a link, ignoring case, in Obsidian's order; or by
 * alias. [[A name in brackets]] means the same.
 *
 * Any path that vaultd prints in an answer is accepted here. A name that several files
 * share is an error, not a guess.
 */
#pragma once

#include "base/err.h"
#include "vault/index/index.h"

/*
 * Fails with ERR_NOT_FOUND (FILE_NOT_FOUND), with the nearest names (near_names.h), or
 * ERR_INVALID (AMBIGUOUS), with the files that match. The file belongs to the index.
 */
MUST_CHECK bool find_file(const struct index *x, struct arena *a, str word,
                          const struct file **out, struct err *err);

/* All files that a word may mean, by path, by name or by alias; without a word, all notes. In the
 * order of paths. */
size_t find_all(const struct index *x, struct arena *a, str word,
                const struct file ***out);

/* The same by path or name only, not by alias; NULL: none, or several. */
const struct file *find_named_file(const struct index *x, struct arena *a, str word);

/* Whether a word that means a file ends with '/', as only folders do: then it is refused. */
MUST_CHECK bool find_check_slash(str word, str path, struct err *err);

/*
 * The error of find_file() for a word that could also have been something else: if no file
 * has a similar name, it says that the word is not that either. Returns false.
 */
bool find_neither(const char *other, struct err *err);

/* Whether there are files below a folder, in any case, "" being all. Else ERR_NOT_FOUND,
 * with the nearest folder. */
MUST_CHECK bool find_folder(const struct index *x, struct arena *a, str word,
                            struct err *err);

/* The nearest folder as the end of a sentence: "; did you mean 'Areas/Garden'?", or "". */
str find_meant_folder(const struct index *x, struct arena *a, str word);

enum { FIND_TAGS_MAX = 5 }; /* tags that may be meant */

/* Up to FIND_TAGS_MAX tags that contain the word, with or without '#', or are near it. */
size_t find_near_tags(const struct index *x, struct arena *a, str word, str *out);

/* The same as the end of a sentence: "; did you mean 'area/garden'?", or "". */
str find_meant_tags(const struct index *x, struct arena *a, str word);

/* Says that there is no such tag, and which may be meant: ERR_NOT_FOUND (TAG_NOT_FOUND).
 * Always false. */
MUST_CHECK bool find_no_tag(const struct index *x, struct arena *a, str word,
                            struct err *err);

/* The tag, with or without '#'. Fails as find_no_tag() does. */
MUST_CHECK bool find_tag(const struct index *x, struct arena *a, str word,
                         struct tag *out, struct err *err);
