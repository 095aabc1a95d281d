/*
 * command - what can be typed after vaultd, for the help, the manual and completions.
 */
#pragma once

#include "base/options.h"

struct command_info {
    const char *name, *arguments, *about;
    const char *help;             /* more about it, with examples; or NULL */
    const struct option *options; /* NULL: no options */
    const char *group;            /* in a list: the title of the group that begins here */
};
