/*
 * signal - see posix_system.h.
 */
#pragma once

#include_next <signal.h>

#include "posix_system.h"
