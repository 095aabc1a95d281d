#include <nss.h>
#include <stdio.h>

#include "base/err.h"
#include "base/os/posix/library_parts.h"

void library_file(char out[LIBRARY_FILE_SIZE], const char *name, int version)
{
    snprintf(out, LIBRARY_FILE_SIZE, "lib%s.so.%d", name, version);
}

void library_keep_modules_out(void)
{
    if (VAULTD_STATIC && (__nss_configure_lookup("passwd", "files") != 0 ||
                          __nss_configure_lookup("hosts", "files dns") != 0))
        BUG("the name services cannot be chosen");
}
