#include "base/os/library.h"

#include <stdio.h>

#include "base/os/windows/base.h"

/* From the folder of the program and that of the system, never from the current one. */
static HMODULE library_open(const wchar_t *file)
{
    return LoadLibraryExW(
        file, NULL, LOAD_LIBRARY_SEARCH_APPLICATION_DIR | LOAD_LIBRARY_SEARCH_SYSTEM32);
}

bool library_load(const char *name, int version, const struct library_symbol *symbols,
                  size_t n)
{
    wchar_t file[64];
    swprintf(file, COUNT_OF(file), L"lib%hs-%d.dll", name, version);
    HMODULE library = library_open(file);
    for (size_t i = 0; library != NULL && i < n; i++) {
        FARPROC found = GetProcAddress(library, symbols[i].name);
        if (found == NULL)
            return false;
        memcpy(symbols[i].slot, &found, sizeof(found));
    }
    return library != NULL;
}

/* There are none. */
void library_keep_modules_out(void)
{
}
