#include "base/os/library.h"

#include <dlfcn.h>
#include <nss.h>

#include "base/err.h"

bool library_load(const char *file, const struct library_symbol *symbols, size_t n)
{
    void *handle = VAULTD_STATIC ? NULL : dlopen(file, RTLD_NOW | RTLD_LOCAL);
    for (size_t i = 0; handle != NULL && i < n; i++) {
        void *found = dlsym(handle, symbols[i].name);
        if (found == NULL)
            return false;
        memcpy(symbols[i].slot, &found, sizeof(found));
    }
    return handle != NULL;
}

void library_keep_modules_out(void)
{
    if (VAULTD_STATIC && (__nss_configure_lookup("passwd", "files") != 0 ||
                          __nss_configure_lookup("hosts", "files dns") != 0))
        BUG("the name services cannot be chosen");
}
