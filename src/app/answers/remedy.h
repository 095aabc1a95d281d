/*
 * remedy - what to do about a failure (err.h), in the words of the caller: the rooms below
 * know neither the names of tools nor those of commands.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"

/* Add the remedy of a failure as a hint, unless it has one. Returns false. */
bool remedy_for_tools(struct err *err);
bool remedy_for_commands(struct err *err);

/* A message that names arguments of tools, with the options of commands instead. */
str remedy_command_words(struct arena *a, str message);
