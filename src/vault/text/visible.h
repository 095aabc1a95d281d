/*
 * visible - a text in which everything can be seen, for people who decide about it: what has
 * no shape, or changes the order of other characters, is written out as "‹U+202E›".
 *
 * More is written out than hidden.h reports: a joiner between two emoji is normal text, but
 * where a person accepts a change, it is a character like any other. Line feeds, tabs and the
 * "\\r" of a "\\r\\n" stay.
 */
#pragma once

#include "base/arena.h"
#include "base/str.h"

/* The text itself if there is nothing to write out; bytes that are no characters become
 * U+FFFD then. */
str visible_text(struct arena *a, str text);
