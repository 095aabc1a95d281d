/*
 * thread - a thread that leaves signals to the main thread.
 */
#pragma once

#include <pthread.h>

#include "base/str.h"

/*
 * Run body(arg) on a new thread with all signals blocked. name has up to 15 bytes and
 * must outlive the thread; ps and gdb show it. Returns false and sets errno on failure.
 * Use pthread_join() to wait for the end of the thread.
 */
MUST_CHECK bool thread_start(pthread_t *thread, const char *name, void *(*body)(void *),
                             void *arg);
