/*
 * base - the headers of Windows, before banned.h bans what they name. The build forces it
 * into the files below os/windows, and into those that include <uv.h>.
 */
#pragma once

#ifndef _WIN32_WINNT
#define _WIN32_WINNT 0x0A00 /* Windows 10 */
#endif
#define WIN32_LEAN_AND_MEAN
#include <winsock2.h>
#include <ws2tcpip.h>

#include <windows.h>

#include <aclapi.h>
#include <wchar.h>

/* Words that are names elsewhere. */
#undef DELETE
#undef ERROR
#undef IN
#undef OUT
#undef far
#undef interface
#undef near
#undef small
