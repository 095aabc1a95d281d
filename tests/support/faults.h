/*
 * faults - makes the n-th call that changes or opens a file fail.
 *
 * Linked into a test with --wrap for each call (FAULTS_LINK in tests/crash/meson.build),
 * which works with sanitizers. LD_PRELOAD does not, because they have these functions in
 * the program itself. Counts write, pwrite, fsync, fdatasync, syncfs, ftruncate,
 * renameat, renameat2, unlinkat, mkdirat, open and openat. One thread only.
 */
#pragma once

#include <stdbool.h>

enum { FAULT_KILL = -1 }; /* instead of an errno: SIGKILL before the call */

/* From now on, call number n (from 1) fails; if lasting, all later calls fail, too. */
void faults_arm(long n, int error, bool lasting);
void faults_disarm(void);

/* The number of calls since faults were armed. */
long faults_seen(void);

/* The calls since then: "openat fsync(name) ...", with the names of synced files. */
const char *faults_trace(void);

/* Call a function once, before call number n: to act as another program just then. */
void faults_meanwhile(long n, void (*act)(void *), void *context);
