/*
 * launch.exe PROGRAM ARGUMENT...: run a program of Windows under Wine, for tests/wine/run. When the file that STOP_FILE names
 * exists, the program is asked to stop as other programs of Windows would do it (base/os/windows/stop_event.h): a signal of
 * Unix would end Wine itself. Ends as the program does.
 */
#include <stdio.h>
#include <windows.h>

enum { LOOK_MS = 20 };

/* The command line behind the first word. */
static wchar_t *rest_of(wchar_t *line)
{
    wchar_t end = *line == L'"' ? *line++ : L' ';
    while (*line != L'\0' && *line != end)
        line++;
    line += *line == L'"';
    while (*line == L' ')
        line++;
    return line;
}

static void ask_to_stop(DWORD process)
{
    wchar_t name[64];
    swprintf(name, sizeof(name) / sizeof(*name), L"Local\\vaultd-stop-%lu", process);
    HANDLE event = OpenEventW(EVENT_MODIFY_STATE, FALSE, name);
    if (event != NULL)
        SetEvent(event);
    else
        TerminateProcess(OpenProcess(PROCESS_TERMINATE, FALSE, process), 143);
}

int main(void)
{
    STARTUPINFOW start = {.cb = sizeof(start)};
    PROCESS_INFORMATION child;
    wchar_t stop[MAX_PATH] = L"";
    DWORD code = 1;
    BOOL asked = FALSE;
    GetStartupInfoW(&start);
    GetEnvironmentVariableW(L"STOP_FILE", stop, MAX_PATH);
    if (!CreateProcessW(NULL, rest_of(GetCommandLineW()), NULL, NULL, TRUE, 0, NULL, NULL,
                        &start, &child))
        return 127;
    while (WaitForSingleObject(child.hProcess, LOOK_MS) == WAIT_TIMEOUT)
        if (!asked && GetFileAttributesW(stop) != INVALID_FILE_ATTRIBUTES) {
            ask_to_stop(child.dwProcessId);
            asked = TRUE;
        }
    GetExitCodeProcess(child.hProcess, &code);
    return (int)code;
}
