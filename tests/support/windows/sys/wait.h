/*
 * wait - see posix.h.
 */
#pragma once

#include <unistd.h>

#define wait(status) waitpid(-1, status, 0)
