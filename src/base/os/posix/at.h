/*
 * at - the folder in which a system call looks up a name. Private to base/os.
 */
#pragma once

#include <fcntl.h>

#include "base/os/file.h"

static inline int at(int dir)
{
    return dir == FILE_CWD ? AT_FDCWD : dir;
}
