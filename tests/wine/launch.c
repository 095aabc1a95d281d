/*
 * launch.exe --ask stop|reload PID: ask a process as other programs of Windows do (base/os/windows/stop_event.h).
 * launch.exe PROGRAM ARGUMENT...: run a program of Windows under Wine, for tests/wine/run. When the file that ASK_FILE names
 * exists, its word is asked of the program: a signal of Unix would end Wine itself. Ends as the program does, which is killed
 * if this one is.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

enum { LOOK_MS = 20 };

/* The command line after the first word. */
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

/* What is in it ends with this process. */
static HANDLE make_job(void)
{
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {0};
    HANDLE job = CreateJobObjectW(NULL, NULL);
    limits.BasicLimitInformation.LimitFlags =
        JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | JOB_OBJECT_LIMIT_BREAKAWAY_OK;
    SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits,
                            sizeof(limits));
    return job;
}

/* Wine has folders of its own for the user, also in the variables: those of the tests are below WINE_HOME. */
static void set_folders(void)
{
    static const wchar_t *const rows[][2] = {{L"USERPROFILE", L""},
                                             {L"APPDATA", L"/AppData/Roaming"},
                                             {L"LOCALAPPDATA", L"/AppData/Local"}};
    wchar_t home[MAX_PATH], path[2 * MAX_PATH];
    DWORD n = GetEnvironmentVariableW(L"WINE_HOME", home, MAX_PATH);
    for (size_t i = 0; n > 0 && n < MAX_PATH && i < 3; i++) {
        swprintf(path, 2 * MAX_PATH, L"Z:%ls%ls", home, rows[i][1]);
        for (wchar_t *c = path; *c != L'\0'; c++)
            *c = *c == L'/' ? L'\\' : *c;
        SetEnvironmentVariableW(rows[i][0], path);
    }
}

/* A program that waits for no event is ended. */
static void ask(DWORD process, const char *what)
{
    wchar_t name[64];
    swprintf(name, 64, L"Local\\vaultd-%hs-%lu", what, process);
    HANDLE event = OpenEventW(EVENT_MODIFY_STATE, FALSE, name);
    if (event != NULL)
        SetEvent(event);
    else if (strcmp(what, "stop") == 0)
        TerminateProcess(OpenProcess(PROCESS_TERMINATE, FALSE, process), 143);
}

/* Take the word in the file, if there is one. */
static BOOL take_word(const wchar_t *path, char word[16])
{
    DWORD n = 0;
    HANDLE file = CreateFileW(path, GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_DELETE,
                              NULL, OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, NULL);
    if (file == INVALID_HANDLE_VALUE)
        return FALSE;
    ReadFile(file, word, 15, &n, NULL);
    word[n] = '\0';
    CloseHandle(file);
    return DeleteFileW(path);
}

static int run(wchar_t *line)
{
    STARTUPINFOW start = {.cb = sizeof(start)};
    PROCESS_INFORMATION child;
    wchar_t asked[MAX_PATH] = L"";
    char word[16];
    DWORD code = 1;
    GetStartupInfoW(&start);
    GetEnvironmentVariableW(L"ASK_FILE", asked, MAX_PATH);
    HANDLE job = make_job();
    set_folders();
    if (!CreateProcessW(NULL, line, NULL, NULL, TRUE, CREATE_SUSPENDED, NULL, NULL,
                        &start, &child))
        return 127;
    AssignProcessToJobObject(job, child.hProcess);
    ResumeThread(child.hThread);
    while (WaitForSingleObject(child.hProcess, LOOK_MS) == WAIT_TIMEOUT)
        if (take_word(asked, word))
            ask(child.dwProcessId, word);
    GetExitCodeProcess(child.hProcess, &code);
    return (int)code;
}

int main(int argc, char **argv)
{
    if (argc != 4 || strcmp(argv[1], "--ask") != 0)
        return run(rest_of(GetCommandLineW()));
    ask(strtoul(argv[3], NULL, 10), argv[2]);
    return 0;
}
