#include "base/os/windows/stop_event.h"

#include <stdio.h>

enum { NAME_UNITS = 64 };

static void event_name(wchar_t out[NAME_UNITS], DWORD pid, enum signal_request request)
{
    swprintf(out, NAME_UNITS, L"Local\\vaultd-%ls-%lu",
             request == SIGNAL_STOP ? L"stop" : L"reload", pid);
}

HANDLE stop_event_open(DWORD pid, enum signal_request request)
{
    wchar_t name[NAME_UNITS];
    event_name(name, pid, request);
    return OpenEventW(EVENT_MODIFY_STATE, FALSE, name);
}

HANDLE stop_event_create(enum signal_request request)
{
    wchar_t name[NAME_UNITS];
    event_name(name, GetCurrentProcessId(), request);
    return CreateEventW(NULL, FALSE, FALSE, name);
}
