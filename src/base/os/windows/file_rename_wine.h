/*
 * file_rename_wine - what Wine cannot do with names, for the tests that run there. No release
 * has it: VAULTD_WINE is 0.
 */
#pragma once

#include "base/os/windows/file_parts.h"

/* After a rename with that status: replace a file that is open, which Wine refuses, and
 * change the case of a name, which it does not do. The new status. */
NTSTATUS file_rename_wine(HANDLE file, const struct nt_name *to, enum file_rename how,
                          NTSTATUS status);

/* Before a file is removed: Wine keeps its name until all others have closed it, too, so it
 * gets another one. */
void file_remove_wine(HANDLE file);
