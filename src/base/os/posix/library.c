#include <dlfcn.h>

#include "base/os/posix/library_parts.h"

bool library_load(const char *name, int version, const struct library_symbol *symbols,
                  size_t n)
{
    char file[LIBRARY_FILE_SIZE];
    library_file(file, name, version);
    void *handle = VAULTD_STATIC ? NULL : dlopen(file, RTLD_NOW | RTLD_LOCAL);
    for (size_t i = 0; handle != NULL && i < n; i++) {
        void *found = dlsym(handle, symbols[i].name);
        if (found == NULL)
            return false;
        memcpy(symbols[i].slot, &found, sizeof(found));
    }
    return handle != NULL;
}
