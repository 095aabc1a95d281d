/*
 * nt_name - names as the kernel reads them, for nt.h.
 */
#pragma once

#include "base/os/windows/nt.h"

/* Whether the open file has the name that it was opened by, in any case, and not another one
 * of which that is the short form. */
bool nt_name_is_whole(const struct nt_name *name, HANDLE handle);
