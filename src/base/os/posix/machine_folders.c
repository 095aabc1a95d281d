#include <stdlib.h>

#include "base/os/machine.h"

str machine_home(struct arena *a)
{
    return arena_str(a, str_c(getenv("HOME")));
}

/* As the XDG base directory specification says: a relative path in a variable is ignored. */
static str folder_of_user(struct arena *a, const char *variable, const char *usual)
{
    str given = str_c(getenv(variable));
    if (str_starts(given, STR("/")))
        return arena_printf(a, STR_FMT "/vaultd", STR_ARG(given));
    return arena_printf(a, STR_FMT "/%s/vaultd", STR_ARG(machine_home(a)), usual);
}

str machine_state_folder(struct arena *a)
{
    return folder_of_user(a, "XDG_STATE_HOME", ".local/state");
}

str machine_config_folder(struct arena *a)
{
    return folder_of_user(a, "XDG_CONFIG_HOME", ".config");
}

str machine_data_folder(struct arena *a)
{
    return folder_of_user(a, "XDG_DATA_HOME", ".local/share");
}
