/*
 * failure - what Windows says when something fails, as errno. Private to base/os/windows.
 */
#pragma once

#include "base/os/windows/status.h"
#include "base/str.h"

/* The errno of an error of Win32 or of Winsock, and of a status of the kernel. */
int failure_number(DWORD error);
int failure_status(NTSTATUS status);

/* Set errno, and return false. */
bool failure(void); /* GetLastError() */
bool failure_of(NTSTATUS status);
