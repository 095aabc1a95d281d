/* systems - what tests must know of the system that they run on. */
#pragma once

#include "base/os/machine.h"
#include "check.h"

#ifdef VAULTD_WINE
enum { UNDER_WINE = VAULTD_WINE };
#else
enum { UNDER_WINE = 0 };
#endif

/* Permissions of files, which Windows does not have: there they are not compared. */
#define CHECK_MODE(row, got, want)                                                       \
    do {                                                                                 \
        if (machine_system() != MACHINE_WINDOWS)                                         \
            CHECK_INT(row, got, want);                                                   \
    } while (0)
