/*
 * property - a property of a note or task by its name.
 *
 * In a dialect with inline fields those are properties, too. A field of a task belongs to
 * the task, and wins there over the note's. Several values of one name are one list:
 * first those of the note's properties, then the fields in their order. If there is no
 * property of that name, it means those that have it in Dataview's form (inline_name).
 */
#pragma once

#include "vault/eval/value.h"
#include "vault/index/file.h"

struct property_place {
    const struct file *file;
    const struct note_task *task; /* NULL: of the note itself */
};

/* folded is the name after utf8_fold. Null if there is none. */
struct value property_value(const struct value_reader *r,
                            const struct property_place *place, str name, str folded);

/* Whether the task itself has it as an inline field, and its value. */
bool property_of_task(const struct value_reader *r, const struct property_place *place,
                      str folded, struct value *out);

/* Whether it exists there, even without a value. */
bool property_exists(const struct value_reader *r, const struct property_place *place,
                     str name, str folded);

/* Whether the note or one of its tasks has it. */
bool property_occurs(const struct value_reader *r, const struct file *f, str name,
                     str folded);
