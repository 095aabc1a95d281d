/*
 * thread - a thread that leaves signals to the main thread.
 */
#pragma once

#include <pthread.h>

#include "base/str.h"

/*
 * Run body(arg) on a new thread with all signals blocked; name, of up to 15 bytes and
 * living as long as the thread, is what ps and gdb show. False, and errno says why, when
 * there is none. pthread_join() ends it.
 */
MUST_CHECK bool thread_start(pthread_t *thread, const char *name, void *(*body)(void *),
                             void *arg);
