/*
 * instructions - text that anybody can see, but that is written for an assistant and not
 * for people: "ignore all previous instructions". A note may come from anywhere, and a
 * model that reads it should know that this is not the user speaking.
 *
 * Only phrases that hardly occur otherwise count, in some languages:
 *
 *     to ignore or forget previous instructions, in up to eight words
 *     not to tell the user, shortly after assistants were addressed
 *     "if you are an AI", "any AI reading this"
 *     the markers of messages: <|im_start|>, [INST], <<SYS>>, <system>, <system-reminder>
 *
 * Words count across line breaks, and in code, which models read as well. Linear; pure.
 */
#pragma once

#include "base/str.h"

/* Call fn with the line, from 1, at which each of them begins, in order. */
typedef void instructions_fn(void *arg, size_t line);
void instructions_find(str text, instructions_fn *fn, void *arg);
