/*
 * native - threads and locks of POSIX. Private to base/os.
 */
#pragma once

#include <pthread.h>

typedef pthread_t thread_os;
typedef pthread_mutex_t mutex_os;
typedef pthread_cond_t cond_os;
typedef pthread_rwlock_t rwlock_os;
typedef pthread_once_t once_os;

#define MUTEX_OS_INIT PTHREAD_MUTEX_INITIALIZER
#define COND_OS_INIT PTHREAD_COND_INITIALIZER
#define ONCE_OS_INIT PTHREAD_ONCE_INIT
