/*
 * nt - opening files as the kernel of Windows does: a name below a folder that is open, and
 * a link only if it is asked to follow one. Private to base/os/windows.
 *
 * Every name is checked first. What Win32 would read as something else than a name is not
 * found: devices (NUL, COM1), streams (a.md:x), dots and blanks at the end, and, below a
 * folder, the short names of files (PROGRA~1).
 */
#pragma once

#include "base/os/windows/status.h"
#include "base/str.h"

enum { NT_DELETE = 0x00010000 }; /* the right to delete or rename: DELETE of winnt.h */
enum { NT_SHARE_ALL = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE };

/* --- names --- */

struct nt_name {
    HANDLE root; /* the folder; NULL: text is a whole path */
    UNICODE_STRING text;
    wchar_t *below;   /* text, if it is ours */
    bool looks_short; /* a part may be the short name of a file */
};

/* The name of path in dir, as in file.h; false and errno if there can be no such file. */
MUST_CHECK bool nt_name(int dir, const char *path, struct nt_name *out);
void nt_name_free(struct nt_name *name);

/* The path of an open file in UTF-16, such as "C:\x" or "\\server\share\x", to be freed with
 * free(); NULL and errno. */
wchar_t *nt_path(HANDLE handle);

/* --- opening --- */

struct nt_how {
    ACCESS_MASK access;
    ULONG refused;     /* FILE_SHARE_WRITE: as long as it is open, no one may write */
    ULONG disposition; /* FILE_OPEN, FILE_CREATE, ... */
    ULONG options;     /* FILE_DIRECTORY_FILE, FILE_OPEN_REPARSE_POINT, ... */
    ULONG attributes;  /* of a new file */
    bool secret;       /* a new file is for this user alone */
};

struct nt_file {
    HANDLE handle;
    DWORD attributes, tag; /* the tag of a reparse point; 0: it is none */
};

/* False and errno. A file that a program keeps for itself is tried again for a moment, since
 * scanners open what is new: then EBUSY. */
MUST_CHECK bool nt_open(int dir, const char *path, const struct nt_how *how,
                        struct nt_file *out);

/* The same of what is open already: with other rights, or to read what a placeholder stands
 * for. NULL and errno. */
HANDLE nt_reopen(HANDLE handle, ACCESS_MASK access, ULONG options);

/* Whether a tag is that of a symlink, of a junction, or of another name for something. */
bool nt_is_link(DWORD tag);

/* Not in every winternl.h. */
NTSTATUS NTAPI NtQueryDirectoryFile(HANDLE file, HANDLE event, PIO_APC_ROUTINE routine,
                                    PVOID context, PIO_STATUS_BLOCK io, PVOID out,
                                    ULONG size, FILE_INFORMATION_CLASS what,
                                    BOOLEAN single, PUNICODE_STRING pattern,
                                    BOOLEAN restart);

/* --- trying again --- */

/* How long to try what another program prevents for a moment: an open file, and a name. */
enum { NT_OPEN_MS = 60, NT_NAME_MS = 1000 };

struct nt_patience {
    DWORD left, next; /* milliseconds */
};
#define NT_PATIENCE(ms)                                                                  \
    {                                                                                    \
        ms, 1                                                                            \
    }

/* Wait a moment, longer each time; false if the time is used up. */
bool nt_wait(struct nt_patience *p);
