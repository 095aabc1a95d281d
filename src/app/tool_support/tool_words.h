/*
 * tool_words - texts for a model, such as instructions, guides and prompts, without what they
 * say about tools that the server or the caller's grant leaves out.
 *
 * What names such a tool goes with its clause: an item of a list, what is between semicolons,
 * a sentence, or a pair of parentheses; and a line of which nothing remains. Only for our own
 * texts, never for those of users.
 */
#pragma once

#include "app/setup/app.h"

str tool_words(const struct app *app, struct arena *a, const struct mcp_caller *caller,
               str text);
