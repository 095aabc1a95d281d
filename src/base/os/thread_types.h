/*
 * thread_types - what thread.h consists of: the types of this system, and the values of those
 * that need no call to begin with.
 */
#pragma once

#ifdef _WIN32
#include "base/os/windows/thread_types.h"
#else
#include "base/os/posix/thread_types.h"
#endif
