/*
 * uses - the files, folders, tags and properties that an expression of a base names,
 * with their places, so that they can be renamed.
 *
 * Only names that are written out are found: in file.inFolder("Books") the folder, in
 * note.due the property; not what a formula puts together.
 */
#pragma once

#include "base/arena.h"
#include "base/str.h"

enum use_kind {
    USE_FOLDER,   /* file.inFolder("a/b"), file.folder == "a/b" */
    USE_PATH,     /* file.path == "a/b.md" */
    USE_LINK,     /* link("b"), file("b"), file.hasLink("b#c"), and "[[b]]" anywhere */
    USE_TAG,      /* file.hasTag("a/b"), tags.contains("a"), with or without '#' */
    USE_PROPERTY, /* due, note.due, note["due"], this.due, file.hasProperty("due") */
};

/* How it is written. */
enum use_form {
    USE_TEXT, /* "due": with its quotes */
    USE_NAME, /* due, which means note.due */
    USE_DOT,  /* .due: with the dot */
};

struct use {
    enum use_kind kind;
    enum use_form form;
    size_t start, end; /* bytes of the expression */
    str value;         /* what it names */
};

/* All uses in an expression, in order; none if it is not one. */
size_t uses_find(struct arena *a, str text, struct use **out);

/* What to write at the place of a use instead, to name value. */
str use_text_of(struct arena *a, str text, const struct use *use, str value);
