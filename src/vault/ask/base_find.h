/*
 * base_find - the base, and the view of it, that a caller names.
 *
 * A base is a .base file, a `base` code block of a note, or YAML that is in no file. A word
 * names a file as for find_file(), and may go on as links do: "Books.base#To read" is a
 * view, "Dashboard#Reading" is a base below that heading, "Dashboard#2" the second one of
 * the note.
 */
#pragma once

#include "base/err.h"
#include "vault/forms/base_file.h"
#include "vault/index/index.h"

struct base_request {
    str base;      /* such a word, or YAML: text with a line break or ": " */
    str view;      /* its name; empty: the first */
    str this_path; /* the file that `this` means; empty: the file with the base */
};

struct base_found {
    struct base base;
    const struct base_view *view;
    const struct file *file;      /* with the base; NULL: it is in no file */
    const struct file *this_file; /* or NULL */
    size_t number, bases;         /* which base of a note, from 1; how many it has */
};

/*
 * Fails as find_file() and base_read() do; also with ERR_NOT_FOUND if the file has no
 * base, or the base no such view: the message names those that exist.
 */
MUST_CHECK bool base_find(const struct index *x, struct arena *a,
                          const struct base_request *request, struct base_found *out,
                          struct err *err);
