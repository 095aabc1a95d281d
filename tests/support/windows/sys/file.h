/*
 * file - see posix.h.
 */
#pragma once

#include <unistd.h>
