/*
 * prompt_note - notes that are prompts: those with the tag `prompt` or one below it.
 *
 * The body is the prompt, and the property `description` says what it is for. The
 * property `arguments` is a list of names, or of maps with name, description and
 * required; {{name}} in the body is replaced by the value.
 */
#pragma once

#include "vault/index/index.h"

enum {
    PROMPT_NOTES_MAX = 200, /* more are left out */
    PROMPT_ARGUMENTS_MAX = 32,
};

struct prompt_argument {
    str name, about;
    bool required;
};

struct prompt_note {
    const struct file *file; /* owned by the index, like all texts here */
    str name; /* its title; if an earlier prompt has that name, its path without .md */
    str about;
    struct prompt_argument *arguments;
    size_t n_arguments;
};

/* All of them, by path. */
size_t prompt_notes(const struct index *x, struct arena *a, struct prompt_note **out);

/* The body with its arguments filled in; values has one per argument, empty if absent. */
str prompt_note_fill(struct arena *a, const struct prompt_note *p, const str *values);
