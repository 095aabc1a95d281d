/*
 * eval_file - what expressions ask about files.
 */
#pragma once

#include "vault/eval/dialect.h"
#include "vault/index/file.h"

/* The reader of e for the properties of another file. */
struct value_reader eval_reader(const struct eval *e, const struct file *f);

/* The fields that Bases has: file.name, file.links, ... */
extern const struct file_field eval_file_fields[];

/* Those of them that other languages have, too, by whichever name. */
file_field_read eval_file_basename, eval_file_path, eval_file_folder, eval_file_ext,
    eval_file_size, eval_file_ctime, eval_file_mtime, eval_file_links,
    eval_file_backlinks, eval_file_properties;

/* All properties of a note, as a map; f may be NULL. */
struct value eval_properties(const struct file *f);

/* Whether the file has that tag, with or without '#', or one below it. */
bool eval_has_tag(struct eval *e, const struct file *f, str tag);

/* Whether it is in that folder or below it; case counts. */
bool eval_in_folder(const struct file *f, str folder);

/* Whether it links to a file, link or text; if that leads nowhere, to the same text. */
bool eval_has_link(struct eval *e, const struct file *f, const struct value *to);

/* A link to exactly this file: [[path.md]]. */
struct value eval_file_link(struct eval *e, const struct file *f, str display);
