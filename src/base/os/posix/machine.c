#include "base/os/machine.h"

#include <pwd.h>
#include <sys/statvfs.h>
#include <unistd.h>

unsigned machine_cores(void)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 0 ? (unsigned)cores : 1;
}

bool machine_disk_free(const char *path, int64_t *out)
{
    struct statvfs st;
    if (statvfs(path, &st) != 0)
        return false;
    *out = (int64_t)st.f_bavail * (int64_t)st.f_frsize;
    return true;
}

/* --- users --- */

bool machine_is_root(void)
{
    return geteuid() == 0;
}

unsigned machine_user(void)
{
    return geteuid();
}

bool machine_find_account(struct arena *a, unsigned user, struct machine_account *out)
{
    const struct passwd *found = getpwuid((uid_t)user);
    if (found == NULL)
        return false;
    *out = (struct machine_account){arena_str(a, str_c(found->pw_name)),
                                    arena_str(a, str_c(found->pw_dir))};
    return true;
}
