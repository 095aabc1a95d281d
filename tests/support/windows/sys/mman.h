/*
 * mman - see posix_system.h.
 */
#pragma once

#include "posix_system.h"
