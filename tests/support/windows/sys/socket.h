/*
 * socket - see posix_net.h.
 */
#pragma once

#include "posix_net.h"
