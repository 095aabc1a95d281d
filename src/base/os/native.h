/*
 * native - what thread.h consists of: the types of this system, and the values of those
 * that need no call to begin with.
 */
#pragma once

#ifdef _WIN32
#include "base/os/windows/native.h"
#else
#include "base/os/posix/native.h"
#endif
