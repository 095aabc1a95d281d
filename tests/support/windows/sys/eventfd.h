/*
 * eventfd - see posix_system.h.
 */
#pragma once

#include "posix_system.h"

#define eventfd_write(fd, n) posix_none()
