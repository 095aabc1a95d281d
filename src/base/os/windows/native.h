/*
 * native - as in posix/: what SRWLOCK, CONDITION_VARIABLE and INIT_ONCE consist of, so
 * that not every file needs <windows.h>.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef void *thread_os; /* HANDLE */
typedef struct mutex_os {
    void *lock; /* SRWLOCK */
    bool nested;
    unsigned depth; /* of nested ones: how often its holder has taken it */
    unsigned long holder;
} mutex_os;
typedef void *cond_os;   /* CONDITION_VARIABLE */
typedef void *rwlock_os; /* SRWLOCK */
typedef void *once_os;   /* INIT_ONCE */

#define MUTEX_OS_INIT                                                                    \
    {                                                                                    \
        NULL                                                                             \
    }
#define COND_OS_INIT NULL
#define ONCE_OS_INIT NULL
