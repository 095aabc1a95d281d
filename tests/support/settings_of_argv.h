/* Settings as vaultd serve reads them, for a command line without words. */
#pragma once

#include "app/setup/settings.h"

static inline bool settings_of_argv(struct arena *a, int argc, char **argv,
                                    struct settings *out, struct option_list *words,
                                    struct err *err)
{
    *out = (struct settings){0};
    return settings_parse(a, settings_table, argc, argv, out, words, err) &&
           (out->help || out->version || settings_complete(a, argc, argv, out, err));
}
