/*
 * faults - let the n-th call that changes a file, or opens one, go wrong.
 *
 * Linked into a test with --wrap for each call (FAULTS_LINK in tests/crash/meson.build),
 * which works with sanitizers, where LD_PRELOAD does not: they have these functions in
 * the program itself. Counts write, pwrite, fsync, fdatasync, syncfs, ftruncate,
 * renameat, renameat2, unlinkat, mkdirat, open and openat. One thread only.
 */
#pragma once

#include <stdbool.h>

enum { FAULT_KILL = -1 }; /* instead of an errno: SIGKILL before the call */

/* From now on: call number n (from 1) fails, and if lasting all that follow, too. */
void faults_arm(long n, int error, bool lasting);
void faults_disarm(void);

/* Calls since it was armed. */
long faults_seen(void);

/* What was called since then: "openat fsync(name) ...", the names of what was synced. */
const char *faults_trace(void);

/* Call this once, before the call number n; to be somebody else at a certain instant. */
void faults_meanwhile(long n, void (*act)(void *), void *context);
