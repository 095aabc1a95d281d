/*
 * inline - the inline fields of a note, as the plugin Dataview reads them.
 *
 *     **Due**:: 2026-11-20          a line: of a paragraph, heading, quote or list item
 *     rated [rating:: 4] (by:: me)  in text, any number per line
 *     - [ ] call 📅 2026-11-20      emoji dates of a task, as if it were [due:: 2026-11-20]
 *
 * A line with fields in brackets is not a field itself, and neither is a task. Brackets
 * within a value must be balanced; \ escapes one. Keys in brackets have no brackets; keys
 * of lines have letters, digits, spaces, emojis, "_", "-" and "/", and lose the formatting
 * around them. Nothing is read in code, math and HTML.
 *
 * What a value means is up to the reader (vault/eval/value_inline.h). Linear in the text.
 */
#pragma once

#include "vault/note/note.h"

enum {
    INLINE_FIELDS_MAX = 10000, /* per note; more are ignored */
    INLINE_KEY_MAX = 250,      /* bytes; longer keys are text */
    INLINE_DEPTH = 32, /* fields in values of fields that may turn out to be open */
};

struct inline_field {
    struct span key;   /* of an emoji date: the emoji */
    struct span value; /* without spaces around it; may be empty */
    uint32_t line;     /* from 1 */
    uint32_t item;     /* the first line of the list item that has it; 0: none */
    bool of_task;      /* the item is a task: the field belongs to it, not to the note */
};

/* The fields in the body of n, in their order, in the arena. Returns how many. */
uint32_t inline_scan(struct arena *a, const struct note *n, struct inline_field **out);

/* The key of a field in a text; for emoji dates due, start, scheduled, created or
 * completion. */
str inline_key(str text, const struct inline_field *f);

/*
 * The other form of a key under which Dataview knows it, folded: runs of spaces are "-",
 * and only letters, digits, emojis, "_" and "-" remain. "" if there are none of these.
 */
str inline_name(struct arena *a, str key);

/* Whether that form may differ from the folded key. */
bool inline_has_name(str key);
