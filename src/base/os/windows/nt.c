#include "base/os/windows/nt.h"

#include <errno.h>
#include <sddl.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/os/file.h"
#include "base/os/windows/failure.h"
#include "base/os/windows/fd.h"
#include "base/os/windows/nt_name.h"
#include "base/os/windows/token.h"

/* --- trying again --- */

bool nt_wait(struct nt_patience *p)
{
    DWORD ms = p->next < p->left ? p->next : p->left;
    if (ms == 0)
        return false;
    Sleep(ms);
    p->left -= ms;
    p->next *= 2;
    return true;
}

/* --- private files --- */

static PSECURITY_DESCRIPTOR nt_secrecy;

/* For this user and the system, and not as the folder would pass it on. */
static BOOL CALLBACK nt_make_secrecy(INIT_ONCE *once, void *arg, void **context)
{
    wchar_t rule[TOKEN_SID_MAX + 64], user[TOKEN_SID_MAX];
    if (!token_user_text(user))
        return TRUE;
    swprintf(rule, COUNT_OF(rule), L"D:P(A;OICI;FA;;;%ls)(A;OICI;FA;;;SY)", user);
    ConvertStringSecurityDescriptorToSecurityDescriptorW(rule, SDDL_REVISION_1,
                                                         &nt_secrecy, NULL);
    return TRUE;
}

static PSECURITY_DESCRIPTOR nt_secret(void)
{
    static INIT_ONCE once = INIT_ONCE_STATIC_INIT;
    InitOnceExecuteOnce(&once, nt_make_secrecy, NULL, NULL);
    return nt_secrecy;
}

/* --- opening --- */

static NTSTATUS nt_create(const struct nt_name *name, const struct nt_how *how,
                          HANDLE *out)
{
    OBJECT_ATTRIBUTES object;
    IO_STATUS_BLOCK io;
    UNICODE_STRING text = name->text;
    InitializeObjectAttributes(&object, &text, OBJ_CASE_INSENSITIVE, name->root,
                               how->secret ? nt_secret() : NULL);
    return NtCreateFile(out, how->access | FILE_READ_ATTRIBUTES | SYNCHRONIZE, &object,
                        &io, NULL, how->attributes, NT_SHARE_ALL & ~how->refused,
                        how->disposition, how->options | FILE_SYNCHRONOUS_IO_NONALERT,
                        NULL, 0);
}

bool nt_is_link(DWORD tag)
{
    return tag != 0 && IsReparseTagNameSurrogate(tag);
}

static void nt_look(struct nt_file *f)
{
    FILE_ATTRIBUTE_TAG_INFO info = {0};
    GetFileInformationByHandleEx(f->handle, FileAttributeTagInfo, &info, sizeof(info));
    f->attributes = info.FileAttributes;
    f->tag =
        (info.FileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0 ? info.ReparseTag : 0;
}

/* A file that is about to be removed keeps its name until it is closed everywhere. */
static bool nt_is_passing(NTSTATUS status, ULONG disposition)
{
    return status == NT_SHARING_VIOLATION ||
           (status == NT_DELETE_PENDING && disposition != FILE_OPEN);
}

static NTSTATUS nt_open_name(const struct nt_name *name, const struct nt_how *how,
                             struct nt_file *out)
{
    struct nt_patience patience = NT_PATIENCE(NT_OPEN_MS);
    NTSTATUS status;
    do
        status = nt_create(name, how, &out->handle);
    while (nt_is_passing(status, how->disposition) && nt_wait(&patience));
    if (status != NT_OK)
        return status;
    nt_look(out);
    if (!name->looks_short || how->disposition == FILE_CREATE ||
        nt_name_is_whole(name, out->handle))
        return NT_OK;
    CloseHandle(out->handle);
    return NT_OBJECT_NAME_NOT_FOUND;
}

bool nt_open(int dir, const char *path, const struct nt_how *how, struct nt_file *out)
{
    struct nt_name name;
    if (!nt_name(dir, path, &name))
        return false;
    NTSTATUS status = nt_open_name(&name, how, out);
    nt_name_free(&name);
    return status == NT_OK || failure_of(status);
}

HANDLE nt_reopen(HANDLE handle, ACCESS_MASK access, ULONG options)
{
    wchar_t none[] = L"";
    const struct nt_name same = {.root = handle, .text = {.Buffer = none}};
    const struct nt_how how = {
        .access = access, .disposition = FILE_OPEN, .options = options};
    HANDLE out = NULL;
    NTSTATUS status = nt_create(&same, &how, &out);
    if (status == NT_OK)
        return out;
    failure_of(status);
    return NULL;
}
