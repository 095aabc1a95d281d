/*
 * unistd - see posix.h. The build forces it into every test on Windows.
 */
#pragma once

#include_next <fcntl.h>
#include_next <sys/stat.h>
#include_next <unistd.h>

#include "posix.h"
#include "posix_system.h"
