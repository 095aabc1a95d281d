#include "app/setup/opener.h"

#include "base/os/self.h"

void opener_command_on(enum machine_system system, struct arena *a, str url,
                       const char *argv[OPENER_WORDS])
{
    size_t n = 0;
    switch (system) {
    case MACHINE_MACOS:
        argv[n++] = "open";
        break;
    case MACHINE_WINDOWS: /* no shell, which would read "&" in the URL */
        argv[n++] = "rundll32";
        argv[n++] = "url.dll,FileProtocolHandler";
        break;
    default:
        argv[n++] = "xdg-open";
    }
    argv[n++] = arena_str(a, url).p;
    argv[n] = NULL;
}

void opener_command(struct arena *a, str url, const char *argv[OPENER_WORDS])
{
    opener_command_on(machine_system(), a, url, argv);
}

bool opener_has_screen(void)
{
    return machine_system() != MACHINE_LINUX || self_variable("DISPLAY") != NULL ||
           self_variable("WAYLAND_DISPLAY") != NULL;
}
