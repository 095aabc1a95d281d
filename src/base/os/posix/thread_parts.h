/*
 * thread_parts - what systems do in different ways for thread.c.
 */
#pragma once

#include "base/os/thread.h"

/* Of the calling thread. */
void thread_set_name(const char *name);
