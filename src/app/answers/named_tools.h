/*
 * named_tools - which tools the client has that gets an answer: its printers name no others.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

struct answer_tools {
    bool (*has)(const void *arg, const char *name);
    const void *arg;
};

/* NULL: all of them. */
static inline bool answer_has(const struct answer_tools *t, const char *name)
{
    return t == NULL || t->has(t->arg, name);
}

/* The tool or command that made a change, as the client may read it: tools that it does not
 * have are "other". */
str answer_tool_name(const struct answer_tools *t, str name);
