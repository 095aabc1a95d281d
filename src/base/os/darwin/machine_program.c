#include <limits.h>
#include <mach-o/dyld.h>
#include <mach-o/loader.h>
#include <stdlib.h>

#include "base/os/machine.h"

str machine_program(struct arena *a)
{
    char path[PATH_MAX];
    uint32_t size = sizeof(path);
    char *self = _NSGetExecutablePath(path, &size) == 0 ? realpath(path, NULL) : NULL;
    str out = arena_str(a, str_c(self));
    free(self);
    return out;
}

/* LC_UUID of the program, which is the first image. */
void machine_build(void *out, size_t size)
{
    const struct mach_header_64 *header = (const void *)_dyld_get_image_header(0);
    const char *at = (const char *)(header + 1);
    for (uint32_t i = 0; i < header->ncmds; i++) {
        const struct load_command *command = (const void *)at;
        const struct uuid_command *id = (const void *)at;
        if (command->cmd == LC_UUID)
            memcpy(out, id->uuid, sizeof(id->uuid) < size ? sizeof(id->uuid) : size);
        at += command->cmdsize;
    }
}
