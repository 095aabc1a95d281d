/*
 * values - which notes have a property, and which may have it with a certain value.
 *
 * Names and texts are folded (utf8_fold). Inline fields are properties; their
 * values count also if they are of a task; a name with spaces is known in Dataview's form, too (inline_name). Each item of
 * a list counts. What texts that begin with a digit or sign mean (dates, links, numbers)
 * is up to the reader, so they are among the "other" values, too; members of maps are not
 * here at all. Answers may have too many notes, never too few, so check the property
 * itself.
 *
 * Nothing is collected until the first question; then it is kept. Excluded files are left
 * out. One writer; any number of threads may ask while there is no writing.
 */
#pragma once

#include "vault/index/file.h"
#include "vault/index/ids.h"

struct values; /* index_values() has it; made by values_kind (derived.h) */

/* Whether a text can only mean itself: it begins with a letter. */
bool values_is_plain(str text);

/* --- questions: notes by id, valid until a change --- */

/* That have the property themselves, even without a value; with a task that has it as an
 * inline field. name is folded. */
struct ids values_having(const struct values *v, str name);
struct ids values_in_tasks(const struct values *v, str name);

/* That have it with a text, folded (true and false are texts, too); with a number; with a
 * text that is not plain. */
struct ids values_with_text(const struct values *v, str name, str text);
struct ids values_with_number(const struct values *v, str name, double number);
struct ids values_with_other(const struct values *v, str name);
