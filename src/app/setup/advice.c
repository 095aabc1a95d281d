#include "app/setup/advice.h"

#include "base/system_path.h"

enum { SYSTEMS = MACHINE_WINDOWS + 1 };

/* "{}" is replaced by the path. NULL: as on Linux. */
static const char *const texts[][SYSTEMS] = {
    [ADVICE_SANDBOX] =
        {
            [MACHINE_LINUX] = "Use a package for Linux, or run vaultd in a container",
            [MACHINE_WINDOWS] = "Serve only vaults whose files you trust to git and "
                                "poppler, or run vaultd in WSL or in a container",
        },
    [ADVICE_ROOT] =
        {
            [MACHINE_LINUX] = "Run vaultd as the user who owns the vault",
            [MACHINE_WINDOWS] = "Start vaultd from a window that is not elevated",
        },
    [ADVICE_PRIVATE_FILE] =
        {
            [MACHINE_LINUX] = "chmod 600 '{}'",
            [MACHINE_WINDOWS] = "icacls \"{}\" /inheritance:r /grant:r \"%USERNAME%:F\"",
        },
    [ADVICE_PRIVATE_FOLDER] =
        {
            [MACHINE_LINUX] = "chmod 700 '{}'",
            [MACHINE_WINDOWS] =
                "icacls \"{}\" /inheritance:r /grant:r \"%USERNAME%:(OI)(CI)F\"",
        },
    [ADVICE_READ_FOLDER] =
        {
            [MACHINE_LINUX] = "Run vaultd as its owner, or chmod u+rx '{}'",
            [MACHINE_WINDOWS] = "Give your account access to it: Properties > Security",
        },
    [ADVICE_WRITE_FOLDER] =
        {
            [MACHINE_LINUX] =
                "Run vaultd as its owner, mount it for writing, or serve it "
                "with --read-only",
            [MACHINE_WINDOWS] =
                "Allow vaultd in Windows Security > Virus & threat protection > "
                "Ransomware "
                "protection > Controlled folder access, or serve it with --read-only",
        },
    [ADVICE_GIT] =
        {
            [MACHINE_LINUX] = "apt install git openssh-client",
            [MACHINE_MACOS] = "xcode-select --install",
            [MACHINE_WINDOWS] = "winget install Git.Git",
        },
    [ADVICE_POPPLER] =
        {
            [MACHINE_LINUX] = "Install poppler-utils, or use --pdf off",
            [MACHINE_MACOS] = "brew install poppler, or use --pdf off",
            [MACHINE_WINDOWS] =
                "Install poppler for Windows, with its folder in PATH, or "
                "use --pdf off",
        },
    [ADVICE_PDF] = {[MACHINE_LINUX] = "Use --pdf off, or a package for Linux"},
    [ADVICE_CLOUD] =
        {
            [MACHINE_LINUX] = "Keep its files on this computer",
            [MACHINE_MACOS] = "Control-click the folder in the Finder > Keep Downloaded",
            [MACHINE_WINDOWS] = "Right-click the folder in the Explorer > Always keep on "
                                "this device",
        },
};

str advice_on(enum machine_system system, struct arena *a, enum advice what, str path)
{
    const char *text = texts[what][system];
    str found = str_c(text != NULL ? text : texts[what][MACHINE_LINUX]);
    size_t at = str_find(found, STR("{}"));
    path = system_path_shown_on(system, a, path);
    return at == STR_NONE ? found
                          : arena_printf(a, STR_FMT STR_FMT STR_FMT,
                                         STR_ARG(str_slice(found, 0, at)), STR_ARG(path),
                                         STR_ARG(str_skip(found, at + 2)));
}

str advice(struct arena *a, enum advice what, str path)
{
    return advice_on(machine_system(), a, what, path);
}

const char *advice_cloud_on(enum machine_system system, str path)
{
    static const struct {
        str begins;
        const char *name;
    } drives[] = {
        {{"OneDrive", 8}, "OneDrive"},
        {{"Dropbox", 7}, "Dropbox"},
        {{"iCloudDrive", 11}, "iCloud Drive"},
        {{"iCloud~", 7}, "iCloud Drive"},
        {{"com~apple~CloudDocs", 19}, "iCloud Drive"},
        {{"Google Drive", 12}, "Google Drive"},
        {{"GoogleDrive", 11}, "Google Drive"},
    };
    str name;
    while (system != MACHINE_LINUX && str_next(&path, '/', &name))
        for (size_t i = 0; i < COUNT_OF(drives); i++)
            if (str_eq_nocase(str_slice(name, 0, drives[i].begins.n), drives[i].begins))
                return drives[i].name;
    return NULL;
}
