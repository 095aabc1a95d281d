/*
 * prompt_words - what each of our own prompts says about a set's tools.
 */
#pragma once

/* NULL: the prompt is not offered with that set. */
struct prompt_words {
    const char *answer, *daily, *inbox, *related, *tidy, *week;
};
