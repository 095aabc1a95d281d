/*
 * valid - whether a text is what a file of its name should contain, as far as other
 * programs depend on it: properties that can be read, a canvas or base that opens, a
 * picture that is one.
 *
 * Pure: a path and a text. Everything else may contain anything.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"

enum valid_problem {
    VALID,
    VALID_NOT_TEXT, /* a note with zero bytes, or that is not UTF-8 */
    VALID_UNCLOSED, /* properties without a closing --- */
    VALID_YAML,     /* properties that cannot be read */
    VALID_TWICE,    /* a second block of properties after the first */
    VALID_CANVAS,
    VALID_CANVAS_ENDS, /* an edge leads to no node */
    VALID_BASE,
    VALID_MEDIA, /* not what the extension says: a picture, PDF, audio, video */
};

/* err says what is wrong, beginning with "line N". */
enum valid_problem valid_check(struct arena *a, str path, str text, struct err *err);
