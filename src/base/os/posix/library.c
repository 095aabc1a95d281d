#include "base/os/library.h"

#include <dlfcn.h>

bool library_load(const char *file, const struct library_symbol *symbols, size_t n)
{
    void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    for (size_t i = 0; handle != NULL && i < n; i++) {
        void *found = dlsym(handle, symbols[i].name);
        if (found == NULL)
            return false;
        memcpy(symbols[i].slot, &found, sizeof(found));
    }
    return handle != NULL;
}
