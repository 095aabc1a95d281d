#include "base/os/machine.h"

#include <cpuid.h>
#include <errno.h>
#include <psapi.h>

#include "base/os/file.h"
#include "base/os/self.h"
#include "base/os/windows/failure.h"
#include "base/os/windows/fd.h"
#include "base/os/windows/token.h"
#include "base/os/windows/wide.h"

enum machine_system machine_system(void)
{
    return MACHINE_WINDOWS;
}

unsigned machine_cores(void)
{
    DWORD n = GetActiveProcessorCount(ALL_PROCESSOR_GROUPS);
    return n > 0 ? n : 1;
}

/* AVX is of use only if the system keeps its registers. */
static bool keeps_avx(unsigned features)
{
    enum { OSXSAVE = 1 << 27, SSE_AND_AVX = 6 };
    unsigned low, high;
    if ((features & OSXSAVE) == 0)
        return false;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (low & SSE_AND_AVX) == SSE_AND_AVX;
}

/* The table of __builtin_cpu_supports() is not in every compiler's library for Windows. */
bool machine_can(enum machine_skill skill)
{
#ifdef __x86_64__
    enum { SSSE3 = 1 << 9, FMA = 1 << 12, AVX2 = 1 << 5 };
    unsigned a, b, c, d, more_b = 0, none;
    if (!__get_cpuid(1, &a, &b, &c, &d))
        return false;
    switch (skill) {
    case MACHINE_SSSE3:
        return (c & SSSE3) != 0;
    case MACHINE_FMA:
        return (c & FMA) != 0 && keeps_avx(c);
    case MACHINE_AVX2:
        return __get_cpuid_count(7, 0, &none, &more_b, &none, &none) &&
               (more_b & AVX2) != 0 && keeps_avx(c);
    }
#endif
    return false;
}

uint64_t machine_memory(void)
{
    PROCESS_MEMORY_COUNTERS use = {.cb = sizeof(use)};
    return GetProcessMemoryInfo(GetCurrentProcess(), &use, sizeof(use))
               ? use.WorkingSetSize
               : 0;
}

size_t machine_descriptors(void)
{
    return fd_count();
}

bool machine_disk_free(const char *path, int64_t *out)
{
    ULARGE_INTEGER bytes;
    wchar_t *wide = wide_of(str_c(path));
    bool ok =
        wide != NULL && (GetDiskFreeSpaceExW(wide, &bytes, NULL, NULL) || failure());
    if (ok)
        *out = (int64_t)bytes.QuadPart;
    free(wide);
    return ok;
}

/* --- the program --- */

static wchar_t *program_path(void)
{
    enum { LONGEST = 1 << 15 };
    wchar_t *path = mem_alloc(LONGEST * sizeof(*path));
    DWORD n = GetModuleFileNameW(NULL, path, LONGEST);
    if (n > 0 && n < LONGEST)
        return path;
    free(path);
    return NULL;
}

str machine_program(struct arena *a)
{
    wchar_t *path = program_path();
    char *text = path != NULL ? wide_text(path, wcslen(path)) : NULL;
    char *real = text != NULL ? file_real_path(text) : NULL;
    str out = arena_str(a, str_c(real));
    free(real);
    free(text);
    free(path);
    return out;
}

/* What the debug directory says of the file with symbols: the linker makes the number from the
 * bytes of the program (--build-id). */
struct code_view {
    uint32_t signature; /* "RSDS" */
    char number[16];
};

void machine_build(void *out, size_t size)
{
    enum { RSDS = 0x53445352, NUMBER = sizeof(((struct code_view *)NULL)->number) };
    const char *image = (const char *)GetModuleHandleW(NULL);
    const IMAGE_DOS_HEADER *dos = (const void *)image;
    const IMAGE_NT_HEADERS *head = (const void *)(image + dos->e_lfanew);
    const IMAGE_DATA_DIRECTORY *place =
        &head->OptionalHeader.DataDirectory[IMAGE_DIRECTORY_ENTRY_DEBUG];
    const IMAGE_DEBUG_DIRECTORY *entries = (const void *)(image + place->VirtualAddress);
    for (size_t i = 0; i < place->Size / sizeof(*entries); i++) {
        const struct code_view *view =
            (const void *)(image + entries[i].AddressOfRawData);
        if (entries[i].Type == IMAGE_DEBUG_TYPE_CODEVIEW && view->signature == RSDS)
            memcpy(out, view->number, size < NUMBER ? size : NUMBER);
    }
}

/* --- users --- */

bool machine_is_root(void)
{
    return token_is_elevated();
}

/* FNV-1a of the user's SID. */
unsigned machine_user(void)
{
    wchar_t sid[TOKEN_SID_MAX] = L"";
    unsigned hash = 2166136261u;
    if (token_user_text(sid))
        for (const wchar_t *c = sid; *c != L'\0'; c++)
            hash = (hash ^ *c) * 16777619u;
    return hash;
}

bool machine_find_account(struct arena *a, unsigned user, struct machine_account *out)
{
    str name = str_c(self_variable("USERNAME"));
    if (user != machine_user() || name.n == 0)
        return false;
    *out = (struct machine_account){arena_str(a, name), machine_home(a)};
    return true;
}

/* --- folders --- */

str machine_home(struct arena *a)
{
    str found = arena_str(a, str_c(self_variable("USERPROFILE")));
    for (char *c = (char *)(uintptr_t)found.p; found.n > 0 && *c != '\0'; c++)
        *c = *c == '\\' ? '/' : *c;
    return found;
}

str machine_state_folder(struct arena *a)
{
    return arena_printf(a, STR_FMT "/.vaultd/state", STR_ARG(machine_home(a)));
}

str machine_config_folder(struct arena *a)
{
    return arena_printf(a, STR_FMT "/.vaultd/config", STR_ARG(machine_home(a)));
}

str machine_data_folder(struct arena *a)
{
    return arena_printf(a, STR_FMT "/.vaultd", STR_ARG(machine_home(a)));
}
